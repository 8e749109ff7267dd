"""What a short request points to: "Work ticket T-102 to the end" asks for what the text of the ticket says."""

from consolidation.learning.runs.run import Run
from consolidation.learning.runs.terms import han
from consolidation.learning.runs.values import leaves
from memories.lexicon.english_words import STOP

LONGEST_POINTER = 12  # words of a request, or runs of Chinese characters
LEAST_WORDS = 5
LEAST_HAN = 8


def may_point(run: Run) -> bool:
    """Return whether the request has few words of its own."""
    return len(run.opening.split()) + len(han(run.opening)) <= LONGEST_POINTER


def lines(run: Run, *, until: int | None) -> list[str]:
    """Return the lines of the texts in the first record that the request names, looked up before the position `until`.

    None where the request has many words of its own. Commands of the run's lines are calls of their own.
    """
    if not may_point(run):
        return []
    for call in run.steps:
        if until is not None and call.position >= until:
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
    return (len(words) >= LEAST_WORDS and not STOP.isdisjoint(words)) or sum(map(len, han(text))) >= LEAST_HAN
