"""A memory whose time has passed: it is gone from every read already, and now its row goes too."""

from datetime import datetime

from memories.choices import RevertReason
from memories.models import Memory, Tombstone
from memories.trust import SYSTEM


def expire(memory: Memory, *, at: datetime) -> None:
    """Removes the row, which the caller holds; its history says so, and a tombstone stays that blocks nothing."""
    memory.adaptations.revert(why=RevertReason.EXPIRED, by=SYSTEM, at=at)
    Tombstone.objects.bury(memory, by=SYSTEM, why="expired", at=at, blocks=False)
    memory.audit("expire", by=SYSTEM, at=at, before={"status": memory.status}).save(force_insert=True)
    memory.delete()
