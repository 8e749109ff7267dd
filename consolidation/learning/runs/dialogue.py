"""Detection of the user's consent right before a tool was called."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning.runs.lines import Counted, ids_of
from consolidation.learning.runs.run import Call, Run

_YES = re.compile(
    r"\b(?:yes|yeah|yep|yup|sure|ok|okay|go ahead|proceed|confirm(?:ed)?|please do|sounds good|that works|"
    r"works for me|do it|let'?s (?:go|do)|absolutely|agreed|correct|approved?|lgtm)\b"
    r"|好的|可以|是的|确认|同意|没问题|请继续|继续吧|就这样|对的|行吧|好吧",
    re.IGNORECASE,
)
_NO = re.compile(r"\b(?:no|not yet|don'?t|do not|wait|stop|hold on|instead)\b|不要|不行|不用|别|等一下", re.IGNORECASE)
_BESIDE = re.compile(r"\s*(?:and|but|also|plus)\b", re.IGNORECASE)  # continues with another subject
ANSWER = 600
OPENING = 40  # a yes counts only within so many characters from the beginning of the answer


@dataclass(frozen=True)
class Assent(Counted):
    """In `yes` of `runs` runs the user agreed right before the first call of a tool.

    Only runs in which the user had spoken before are counted.
    """

    runs: int
    yes: int


def assents(runs: Sequence[Run], tool: str) -> Assent:
    """Count in how many runs the user agreed right before the first call of the tool."""
    firsts = [(run, call) for run in runs if (call := run.first_call(tool))]
    asked = [(run, call) for run, call in firsts if run.said_before(call.position)]
    agreed = [run for run, call in asked if said_yes(run, call)]
    return Assent(len(asked), len(agreed), ids=ids_of(agreed))


def said_yes(run: Run, call: Call) -> bool:
    """Return whether the user's last message before the call begins with consent. The request itself does not count."""
    message = run.said_before(call.position)
    if message is None or message == run.said[0]:
        return False
    text = message.text[:ANSWER]
    agreed = _YES.search(text)
    if agreed and (agreed.start() > OPENING or _BESIDE.match(text)):
        return False
    refused = _NO.search(text[: agreed.start()]) if agreed else None
    return bool(agreed) and not refused
