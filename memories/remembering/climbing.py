"""What the ladder does to one row, and what its owner hears of it."""

from datetime import datetime

from memories.ladder import Ladder, may_climb
from memories.models import Adaptation, Memory
from memories.trust import SYSTEM


def climb(memory: Memory, *, at: datetime) -> bool:
    """Promotes this row as far as its numbers carry it; whether they did. The caller holds the row."""
    flagged, resembling = bool(memory.flags), memory.resembles is not None
    if not may_climb(type=memory.type, hold=memory.hold, flagged=flagged, resembling=resembling):
        return False
    ladder = Ladder.of_settings()
    to = ladder.status(memory.status, confidence=memory.confidence, times_confirmed=memory.times_confirmed)
    if to == memory.status:
        return False
    why = f"confidence {memory.confidence}, confirmed {memory.times_confirmed} times"
    memory.revise("promote", {"status": to}, by=SYSTEM, why=why, at=at)
    return True


def announcement(memory: Memory, *, at: datetime) -> str | None:
    """What this very write has adapted: told once, in its answer."""
    opened = Adaptation.objects.active().filter(memory=memory, applied_at=at, notified_at=None).first()
    if opened is None:
        return None
    Adaptation.objects.filter(pk=opened.pk).update(notified_at=at)
    return opened.notice
