"""Remove the words of a forgotten memory outside of its own row and of what belongs to that."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import TextField
from django.db.models.functions import Cast

from memories.models import (
    Adaptation,
    Evidence,
    IdempotencyKey,
    Injection,
    Memory,
    Proposal,
    Tombstone,
)
from memories.values.choices import LIVE, RevertReason, Type
from memories.values.trust import Actor

REREAD = "an episode that it was learnt from has been forgotten: read it again"


def wipe(memory: Memory, *, by: Actor, at: datetime) -> None:
    """Remove its words from what quotes it; what was built from it is put before a person."""
    adaptations = Adaptation.objects.filter(memory=memory)
    adaptations.revert(why=RevertReason.FORGOTTEN, by=by, at=at)
    adaptations.update(memory_key="", content="", description="")
    Tombstone.objects.filter(memory_id=memory.pk).update(reason="")
    drop_answers({memory.pk})
    _injections(memory.pk)
    if memory.type == Type.EPISODIC:
        _flag_what_was_built(memory, by=by, at=at)
        Evidence.objects.filter(episode=memory.pk).update(snapshot="")
        memory.episode.skill_uses.update(note="")


def drop_answers(ids: Collection[UUID]) -> None:
    """Delete the stored answers to repeated requests that name one of these; reads all of them, once."""
    if ids:
        answers = IdempotencyKey.objects.annotate(as_text=Cast("answer", TextField()))
        answers.filter(as_text__regex="|".join(sorted(map(str, ids)))).delete()


def _injections(memory_id: UUID) -> None:
    """Remove from the contexts that held it why it was found; that it was given stays."""
    changed = list(Injection.objects.of(memory_id))
    for injection in changed:
        injection.items = [_bare(item, str(memory_id)) for item in injection.items]
    Injection.objects.bulk_update(changed, ["items"], batch_size=500)


def _bare(item: Any, memory_id: str) -> Any:
    if not isinstance(item, dict) or memory_id not in item.values():
        return item
    return {name: value for name, value in item.items() if value == memory_id or not isinstance(value, str)}


def _flag_what_was_built(episode: Memory, *, by: Actor, at: datetime) -> None:
    built = Memory.objects.filter(type__in=(Type.COMPETENCE, Type.PLAN_GRAPH), status__in=LIVE)
    for memory in built.filter(evidence__episode=episode.pk).distinct():
        change = {"verb": "edit"}  # accepting it changes nothing: it was read again
        kind, sensitivity = Proposal.Kind.REVISION, memory.sensitivity
        Proposal.objects.propose(kind, memory, change, by=by, why=REREAD, at=at, sensitivity=sensitivity)
