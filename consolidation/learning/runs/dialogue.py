"""What users ask and agree to: their consent right before a tool was called, and what a short request points to: "Work
ticket T-102 to the end" asks for what the text of the ticket says."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning.runs.call import Call
from consolidation.learning.runs.lines import CountedResult, ids_of
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.terms import han
from consolidation.learning.runs.values import leaves
from memories.lexicon.english_words import STOP

_YES = re.compile(
    r"\b(?:yes|yeah|yep|yup|sure|ok|okay|go ahead|proceed|confirm(?:ed)?|please do|sounds good|that works|"
    r"works for me|do it|let'?s (?:go|do)|absolutely|agreed|correct|approved?|lgtm)\b"
    r"|好的|可以|是的|确认|同意|没问题|请继续|继续吧|就这样|对的|行吧|好吧",
    re.IGNORECASE,
)
_NO = re.compile(r"\b(?:no|not yet|don'?t|do not|wait|stop|hold on|instead)\b|不要|不行|不用|别|等一下", re.IGNORECASE)
_CONTINUATION = re.compile(r"\s*(?:and|but|also|plus)\b", re.IGNORECASE)  # continues with another subject
ANSWER = 600
OPENING = 40  # a yes counts only within so many characters from the beginning of the answer


@dataclass(frozen=True)
class Assent(CountedResult):
    """In `yes` of `runs` runs the user agreed right before the first call of a tool.

    Only runs in which the user had spoken before are counted.
    """

    runs: int
    yes: int


def assents(runs: Sequence[Run], tool: str) -> Assent:
    """Count in how many runs the user agreed right before the first call of the tool."""
    first_calls = [(run, call) for run in runs if (call := run.first_call(tool))]
    calls_after_talk = [(run, call) for run, call in first_calls if run.user_message_before(call.position)]
    consenting_runs = [run for run, call in calls_after_talk if user_agreed(run, call)]
    return Assent(len(calls_after_talk), len(consenting_runs), ids=ids_of(consenting_runs))


def user_agreed(run: Run, call: Call) -> bool:
    """Return whether the user's last message before the call begins with consent. The request itself does not count."""
    message = run.user_message_before(call.position)
    if message is None or message == run.user_messages[0]:
        return False
    text = message.text[:ANSWER]
    consent = _YES.search(text)
    if consent and (consent.start() > OPENING or _CONTINUATION.match(text)):
        return False
    refusal = _NO.search(text[: consent.start()]) if consent else None
    return bool(consent) and not refusal


LONGEST_POINTER = 12  # words of a request, or runs of Chinese characters
LEAST_WORDS = 5
LEAST_HAN = 8


def is_short_request(run: Run) -> bool:
    """Return whether the request has at most LONGEST_POINTER words, so that it may stand for a record's text."""
    return len(run.opening.split()) + len(han(run.opening)) <= LONGEST_POINTER


def lines_of_named_record(run: Run, *, until: int | None) -> list[str]:
    """Return the lines of the texts in the first record that the request names, looked up before the position `until`.

    [] where the request is long. Expects each command of a line as a call of its own (`effects.with_single_commands`).
    """
    if not is_short_request(run):
        return []
    for call in run.steps:
        if until is not None and call.position >= until:
            break
        is_named = any(_is_named(leaf, run.opening) for _, leaf in leaves(call.arguments))
        texts = [leaf for _, leaf in leaves(call.parsed_result) if isinstance(leaf, str) and _is_prose(leaf)]
        if is_named and texts and not call.failed:
            return [line for text in dict.fromkeys(texts) for line in text.splitlines() if line.strip()]
    return []


def _is_named(leaf: object, request: str) -> bool:
    name = str(leaf)
    return any(map(str.isdigit, name)) and name in request


def _is_prose(text: str) -> bool:
    words = text.lower().split()
    return (len(words) >= LEAST_WORDS and not STOP.isdisjoint(words)) or sum(map(len, han(text))) >= LEAST_HAN
