"""One memory takes the place of another, or stands beside or against it; what does not hold is taken back.

One transaction each: whatever fails leaves all of them as they were. Evidence stays.
"""

from memories.revision.contesting import contest, contest_by_words, contest_with
from memories.revision.merging import merge
from memories.revision.own import decides, is_own
from memories.revision.requested import Revised, ask, carry_out
from memories.revision.superseding import begin, fork, retract, supersede
from memories.revision.undoing import together

__all__ = [
    "Revised",
    "ask",
    "begin",
    "carry_out",
    "contest",
    "contest_by_words",
    "contest_with",
    "decides",
    "fork",
    "is_own",
    "merge",
    "retract",
    "supersede",
    "together",
]
