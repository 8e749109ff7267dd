"""What a short request points to: "Work ticket T-102 to the end" asks for what the text of the ticket says."""

from collections.abc import Callable

from consolidation.learning.runs.run import Run
from consolidation.learning.runs.terms import han
from consolidation.learning.runs.values import leaves
from memories.lexicon.english_words import STOP

LONGEST_POINTER = 12  # words of a request, or pairs of Chinese characters
LEAST_WORDS = 5
LEAST_HAN = 8


def lines(run: Run, changes: Callable[[str], bool]) -> list[str]:
    """Return the lines of the texts in the first record that the request names, looked up before anything is changed.

    None where the request has many words of its own.
    """
    if len(run.opening.split()) + len(han(run.opening)) > LONGEST_POINTER:
        return []
    for call in run.steps:
        if changes(call.name):
            break
        named = any(_is_named(leaf, run.opening) for _, leaf in leaves(call.arguments))
        texts = [leaf for _, leaf in leaves(call.returned) if isinstance(leaf, str) and _is_prose(leaf)]
        if named and texts and not call.failed:
            return [line for text in dict.fromkeys(texts) for line in text.splitlines() if line.strip()]
    return []


def _is_named(leaf: object, request: str) -> bool:
    name = str(leaf)
    return any(map(str.isdigit, name)) and name in request


def _is_prose(text: str) -> bool:
    words = text.lower().split()
    return (len(words) >= LEAST_WORDS and not STOP.isdisjoint(words)) or len(han(text)) >= LEAST_HAN
