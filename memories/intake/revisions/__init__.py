"""Revise memories: supersede, fork, merge, contest, retract.

One transaction each: whatever fails leaves all of them as they were. Evidence stays.
"""

from memories.intake.revisions.revising import Revised, ask, carry_out
from memories.intake.revisions.superseding import begin, choose, contest, contest_by, fork, merge, retract, supersede
from memories.intake.revisions.undoing import together
