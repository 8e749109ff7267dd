"""Notes of a step: what it would write, and what the model is asked about them first, together with those of the steps
beside it."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from consolidation.models import Redundancy


class Needless(NamedTuple):
    """Why nobody is asked about something."""

    why: Redundancy.Why
    reason: str = ""


class Question(NamedTuple):
    """A note as the model sees it; a fact with the words that prove it and its counterpart, a skill without."""

    note: str
    words: str = ""
    counterpart: str = ""


class Opinion(NamedTuple):
    """What the model says of a note. `fault`: the counter of what it says against it; see `counterparts`."""

    needless: Needless | None = None
    fault: str = ""


class Notes(NamedTuple):
    """`write`: with an opinion for each of the questions, in their order, writes the notes and answers the counters.
    It is called after the steps beside it were asked, one step after the other in their order."""

    questions: Sequence[Question]
    write: Callable[[Sequence[Opinion]], Counter[str]]
