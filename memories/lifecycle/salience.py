"""Salience moved by hand. It is all that anybody moves who may write; it can put no knowledge out of the way."""

from datetime import datetime
from uuid import UUID

from memories.lifecycle import ownership
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.values.exceptions import Conflict, NotAllowed, NotFound
from memories.values.trust import Trust


def reinforce(trust: Trust, memory_id: UUID, amount: float | None, *, at: datetime) -> None:
    """By `amount`, or by the memory's own gain. NotFound, NotAllowed (another scope), Conflict (it is closed)."""
    memory, row = _row(trust, memory_id, at=at)
    _moved("reinforce", memory, row.reinforce(amount, at=at))


def penalize(trust: Trust, memory_id: UUID, amount: float, *, at: datetime) -> None:
    """Experience that fades is pruned, so that only who may forget it may make it fade (NotAllowed)."""
    memory, row = _row(trust, memory_id, at=at)
    if not memory.is_claim and not ownership.is_own(memory, trust):
        raise NotAllowed("an agent may penalize only experience of its own: what fades is removed")
    _moved("penalize", memory, row.penalize(amount, at=at))


def _row(trust: Trust, memory_id: UUID, *, at: datetime) -> tuple[Memory, MemoryQuerySet]:
    rows = Memory.objects.visible_to(trust).unexpired(at).filter(pk=memory_id)
    memory = rows.first()
    if memory is None:
        raise NotFound("no such memory")
    trust.scope_to_write(memory.scope)
    return memory, rows.live()


def _moved(verb: str, memory: Memory, rows: int) -> None:
    if not rows:
        raise Conflict(f"cannot {verb} a memory that is {memory.status}")
