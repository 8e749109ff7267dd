"""Raise the sensitivity of episodes that became more secret, by as many statements for many as for one."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F

from memories.models import AuditEntry, Memory, Proposal
from memories.models.memory import MemoryQuerySet
from memories.scanning import SECRET
from memories.values.trust import Actor, Trust

FACTS = ("sensitivity", "version", "updated_at")


def may_continue(memory: Memory, trust: Trust) -> bool:
    """Whether the caller opened an episode that a secret has raised above it since. It may go on writing into it and
    say how it ended, or one leaked key would lose the rest of its run; it is told nothing."""
    within = trust.scopes is None or memory.scope in trust.scopes
    return within and SECRET in memory.flags and memory.created_by_id == trust.actor.identity


def first_to_continue(rows: MemoryQuerySet, trust: Trust) -> Memory | None:
    return next((memory for memory in rows if may_continue(memory, trust)), None)


def flag(memories: Sequence[Memory]) -> None:
    """Flag these episodes as holding a secret."""
    new = [memory for memory in memories if SECRET not in memory.flags]
    for memory in new:
        memory.flags = [*memory.flags, SECRET]
    if new:
        Memory.objects.filter(pk__in=[memory.pk for memory in new]).update(flags=[SECRET])


def raise_together(levels: Mapping[Memory, int], *, by: Actor, at: datetime) -> list[AuditEntry]:
    """Raise each episode at least to its level, with what speaks of it; one that somebody has raised higher stays.
    The audit rows, not yet saved. In the caller's transaction, which holds the episodes."""
    former_levels: dict[Any, int] = {}
    for level in sorted(set(levels.values())):
        below = Memory.objects.filter(pk__in=[row.pk for row, new_level in levels.items() if new_level == level])
        below = below.filter(sensitivity__lt=level)
        to_raise = dict(below.order_by("pk").select_for_update().values_list("pk", "sensitivity"))
        if to_raise:
            Memory.objects.filter(pk__in=to_raise).update(sensitivity=level, version=F("version") + 1, updated_at=at)
            proposals = Proposal.objects.naming(*to_raise).raise_to(level)
            AuditEntry.objects.raise_about([*to_raise, *proposals], level)
            former_levels |= to_raise
    _refresh(levels)
    return [
        row.audit("revise", by=by, at=at, before={"sensitivity": former_levels[row.pk]}, after={"sensitivity": level})
        for row, level in levels.items()
        if row.pk in former_levels
    ]


def _refresh(memories: Mapping[Memory, int]) -> None:
    if not memories:
        return
    rows = Memory.objects.filter(pk__in=[memory.pk for memory in memories])
    current_values = {pk: facts for pk, *facts in rows.values_list("pk", *FACTS)}
    for memory in memories:
        for name, value in zip(FACTS, current_values[memory.pk], strict=True):
            setattr(memory, name, value)
