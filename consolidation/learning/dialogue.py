"""What the user said right before something was changed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning.lines import Counted, ids_of
from consolidation.learning.runs import Call, Run

_YES = re.compile(
    r"\b(?:yes|yeah|yep|yup|sure|ok|okay|go ahead|proceed|confirm(?:ed)?|please do|sounds good|that works|"
    r"works for me|do it|let'?s (?:go|do)|absolutely|agreed|correct|approved?|lgtm)\b"
    r"|好的|可以|是的|确认|同意|没问题|请继续|继续吧|就这样|对的|行吧|好吧",
    re.IGNORECASE,
)
_NO = re.compile(r"\b(?:no|not yet|don'?t|do not|wait|stop|hold on|instead)\b|不要|不行|不用|别|等一下", re.IGNORECASE)
_BESIDE = re.compile(r"\s*(?:and|but|also|plus)\b", re.IGNORECASE)  # goes on with something of its own
ANSWER = 600
OPENING = 40  # characters within which an answer says yes; further in, a yes belongs to something else


@dataclass(frozen=True)
class Assent(Counted):
    """Of `runs` runs that called the tool, in how many the user had said yes right before the first time."""

    runs: int
    yes: int


def assents(runs: Sequence[Run], tool: str) -> Assent:
    firsts = [(run, call) for run in runs if (call := _first(run, tool))]
    asked = [(run, call) for run, call in firsts if run.said_before(call.position)]
    agreed = [run for run, call in asked if said_yes(run, call)]
    return Assent(len(asked), len(agreed), ids=ids_of(agreed))


def said_yes(run: Run, call: Call) -> bool:
    """A go-ahead at the beginning of the last message before the call, which is not the request itself."""
    message = run.said_before(call.position)
    if message is None or message == run.said[0]:
        return False
    text = message.text[:ANSWER]
    agreed = _YES.search(text)
    if agreed and (agreed.start() > OPENING or _BESIDE.match(text)):
        return False
    refused = _NO.search(text[: agreed.start()]) if agreed else None
    return bool(agreed) and not refused


def _first(run: Run, tool: str) -> Call | None:
    return next((call for call in run.steps if call.name == tool), None)
