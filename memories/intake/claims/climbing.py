"""Promote a row as far as the ladder allows, and announce its adaptation."""

from datetime import datetime

from memories.intake.admission import dismissal_of
from memories.intake.claims.near_duplicates import equals_of
from memories.lifecycle.ladder import Ladder, may_climb
from memories.models import Adaptation, Evidence, Memory
from memories.values.choices import Hold, Status
from memories.values.trust import SYSTEM

STEPS = (Status.CANDIDATE, Status.CONFIRMED, Status.APPLIED)


def climb(memory: Memory, *, at: datetime) -> bool:
    """Promote this row as far as its numbers carry it; True if they did. The caller has locked the row."""
    if not may_climb(memory):
        return False
    ladder = Ladder.of_settings()
    agents = Evidence.objects.filter(memory=memory).agents_or_sessions() if ladder.apply_agents > 1 else 1
    numbers = {"confidence": memory.confidence, "times_confirmed": memory.times_confirmed, "agents_or_sessions": agents}
    status = ladder.status(memory.status, **numbers)
    if status == memory.status:
        return False
    status = min(status, ceiling(memory), key=STEPS.index)
    if STEPS.index(status) <= STEPS.index(Status(memory.status)):
        return False
    why = f"confidence {memory.confidence}, confirmations: {memory.times_confirmed}"
    memory.revise("promote", {"status": status}, by=SYSTEM, why=why, at=at)
    return True


def ceiling(memory: Memory) -> Status:
    """The highest status that numbers may give to an equal of what people dismissed, demoted or reverted under another
    key, or of what they dismissed in a scope that reads it. What a person vouches for climbs."""
    if memory.hold == Hold.FLOOR:
        return Status.APPLIED
    dismissal = dismissal_of(memory.content, scope=memory.scope, key=memory.key, origin=memory.origin)
    if dismissal.withheld_from or (dismissal.blocking is not None and not dismissal.blocking.duplicate):
        return Status.CANDIDATE
    rows = Memory.objects.filter(hold=Hold.FIXED).exclude(status=Status.DISMISSED)
    ceilings = [Status(row.status) if row.status in STEPS else Status.CONFIRMED for row in equals_of(memory, rows)]
    return min(ceilings, key=STEPS.index, default=Status.APPLIED)


def announcement(memory: Memory, *, at: datetime) -> str | None:
    """The notice of the adaptation that this very write opened, once."""
    if memory.status != Status.APPLIED:
        return None
    adaptation = Adaptation.objects.active().filter(memory=memory, applied_at=at, notified_at=None).first()
    if adaptation is None:
        return None
    Adaptation.objects.filter(pk=adaptation.pk).update(notified_at=at)
    return adaptation.notice
