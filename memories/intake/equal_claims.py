"""A claim that stands under several keys is decided about once: what a person ends in one row ends in its equals.

In the batch of the decision, so that they are undone together. Equals that the person may not see stay as they are, and
numbers carry them no further.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from memories.intake.claims import equals_of
from memories.models import AuditEntry, Memory
from memories.values.choices import Hold, RevertReason, Status
from memories.values.exceptions import Conflict
from memories.values.trust import Trust

DUPLICATE = "duplicate"  # a reason that says nothing against the claim: its equals stay


def dismiss(memory: Memory, *, trust: Trust, why: str, at: datetime, batch: UUID) -> None:
    """The memory, and what claims the same; a duplicate alone. Conflict: somebody was faster."""
    told: dict[str, Any] = {"by": trust.actor, "why": why, "at": at, "batch": batch}
    duplicate = why.partition(":")[0].strip() == DUPLICATE
    try:
        memory.dismiss(duplicate=duplicate, **told)
    except Conflict:
        if memory.pk not in dismissed_by(batch):  # as the equal of another one, just now
            raise
    for equal in () if duplicate else _equals(memory, trust):
        equal.dismiss(**told)


def dismissed_by(batch: UUID) -> list[UUID]:
    entries = AuditEntry.objects.of_batch(batch).filter(subject_kind="memory", action="dismiss")
    return list(entries.values_list("subject_id", flat=True))


def fix(memory: Memory, *, trust: Trust, why: str, at: datetime, batch: UUID) -> None:
    """Its behaviour was reverted: that of its equals ends too, and rules apply none of them again."""
    for equal in _equals(memory, trust):
        equal.lock_for("revert", Status.values)
        change: dict[str, Any] = {"hold": Hold.FIXED}
        if equal.status == Status.APPLIED:
            equal.adaptations.revert(why=RevertReason.USER_REVERT, by=trust.actor, at=at)
            change["status"] = Status.CONFIRMED
        equal.revise("revert", change, by=trust.actor, why=why, at=at, batch=batch)


def _equals(memory: Memory, trust: Trust) -> list[Memory]:
    return equals_of(memory, Memory.objects.visible_to(trust).live())
