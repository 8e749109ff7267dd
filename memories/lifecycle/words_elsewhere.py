"""Remove the words of what is forgotten outside of its own row: from what quotes it, and from the audit trail.

Of the trail there stays who, when and which fields, or nothing.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import TextField
from django.db.models.functions import Cast

from memories.models import Adaptation, AuditEntry, Evidence, IdempotencyKey, Injection, Memory, Proposal, Tombstone
from memories.values.choices import LIVE, RevertReason, Type
from memories.values.trust import Actor

WORDLESS = {"status", "confidence", "hold", "sensitivity", "pinned", "outcome", "decision"}  # fields that keep values
PLAIN = (str, int, float, bool, type(None))

REREAD = "an episode that it was learned from has been forgotten: load the page again"


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
    injections = list(Injection.objects.of(memory_id))
    for injection in injections:
        injection.items = [_bare(item, str(memory_id)) for item in injection.items]
    Injection.objects.bulk_update(injections, ["items"], batch_size=500)


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


@contextmanager
def erasing() -> Iterator[None]:
    """Until its end, in this transaction, the database lets the trail be changed."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL memos.erasing = 'on'")
        yield
        cursor.execute("SET LOCAL memos.erasing = ''")


def reduce_to_skeleton(subjects: Collection[UUID]) -> None:
    """Remove all texts from the trail of these; of each field it stays that it was changed."""
    entries = list(AuditEntry.objects.filter(subject_id__in=subjects))
    for entry in entries:
        entry.label = entry.rationale = ""
        entry.before, entry.after = _without_words(entry.before), _without_words(entry.after)
    with erasing():
        AuditEntry.objects.bulk_update(entries, ["label", "rationale", "before", "after"], batch_size=200)


def silence_entries(entries: Collection[UUID]) -> None:
    """Remove the rationale of these entries."""
    with erasing():
        AuditEntry.objects.filter(pk__in=entries).update(rationale="")


def remove_from_trail(subjects: Collection[UUID]) -> None:
    with erasing():
        AuditEntry.objects.filter(subject_id__in=subjects).delete()


def _without_words(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value if name in WORDLESS and isinstance(value, PLAIN) else None for name, value in values.items()}
