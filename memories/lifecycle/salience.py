"""Reinforce, penalize, pin and unpin: salience moved by hand. It removes no knowledge: only experience is pruned."""

from datetime import datetime
from typing import Unpack
from uuid import UUID

from django.db import transaction

from memories.lifecycle import ownership
from memories.models import AuditEntry, Memory
from memories.models.audit import AuditFacts
from memories.models.memory import MemoryQuerySet
from memories.values.choices import LIVE
from memories.values.exceptions import Conflict, NotAllowed, one_of
from memories.values.trust import Trust


def reinforce(trust: Trust, memory_id: UUID, amount: float | None, *, at: datetime) -> None:
    """Raise salience by `amount`, or by the memory's own gain. NotFound, NotAllowed (scope), Conflict (closed)."""
    memory, row = _row(trust, memory_id, at=at)
    _check_updated("reinforce", memory, row.reinforce(amount, at=at))


def penalize(trust: Trust, memory_id: UUID, amount: float, *, at: datetime) -> None:
    """Lower salience by `amount`. NotAllowed also for experience of others: what fades is pruned, as if forgotten."""
    memory, row = _row(trust, memory_id, at=at)
    if not memory.is_claim and not ownership.is_own(memory, trust):
        raise NotAllowed("an agent may penalize only experience of its own: what fades is removed")
    _check_updated("penalize", memory, row.penalize(amount, at=at))


def _row(trust: Trust, memory_id: UUID, *, at: datetime) -> tuple[Memory, MemoryQuerySet]:
    rows = Memory.objects.answered_to(trust).unexpired(at).filter(pk=memory_id)
    memory = one_of(rows, "no such memory")
    trust.scope_to_write(memory.scope)
    return memory, rows.live()


def _check_updated(verb: str, memory: Memory, rows: int) -> None:
    if not rows:
        raise Conflict(f"cannot {verb} a memory that is {memory.status}")


def pin(memory: Memory, pinned: bool, **decision: Unpack[AuditFacts]) -> AuditEntry:
    """Pin: today's salience stays; unpin: it fades again from now on. Conflict: it is so already, or closed."""
    with transaction.atomic():
        memory.lock_for("pin" if pinned else "unpin", LIVE)
        if memory.pinned == pinned:
            raise Conflict(f"it is {'pinned' if pinned else 'not pinned'} already")
        change = {"pinned": pinned, "salience": memory.salience_on(decision["at"]), "salience_at": decision["at"]}
        return memory.revise("pin" if pinned else "unpin", change, **decision)
