"""Write imported relations and adaptations: both concern memories that came from the same file."""

from uuid import UUID

from memories.models import Adaptation, ImportedRow, Memory, Relation
from memories.transfer.claim_rows import RowOutcome
from memories.transfer.founder_os import MEMORIES
from memories.transfer.membrane import RECORDS
from memories.transfer.options import Format, Result, RowResult, Writing
from memories.transfer.records import AdaptationRecord, RelationRecord, name_of
from memories.values.choices import RevertReason, Status

TABLES = {Format.FOUNDER_OS: MEMORIES, Format.MEMBRANE: RECORDS, Format.MEMOS: "memories"}  # of what is related
NOT_HERE = "what it is about was not imported"
NOT_APPLIED = "its memory is not applied here"


def write_relation(record: RelationRecord, label: str, writing: Writing) -> RowOutcome:
    source, target = _memory(record.source, writing), _memory(record.target, writing)
    is_previewed = [_name(id, writing) in writing.preview_statuses for id in (record.source, record.target)]
    if (
        record.source != record.target
        and any(is_previewed)
        and (source or is_previewed[0])
        and (target or is_previewed[1])
    ):
        return RowResult(label, Result.IMPORTED), None
    if source is None or target is None or source.pk == target.pk:
        return RowResult(label, Result.LEFT_OUT, (NOT_HERE,)), None
    if source.scope != target.scope:
        return RowResult(label, Result.LEFT_OUT, ("its ends are of different scopes",)), None
    facts = {"weight": record.weight, "created_at": min(record.created_at or writing.at, writing.at)}
    ends = {"source": source, "predicate": record.predicate, "target": target}
    _row, created = Relation.objects.get_or_create(**ends, defaults=facts)
    return RowResult(label, Result.IMPORTED if created else Result.KNOWN), source.pk


def write_adaptation(record: AdaptationRecord, label: str, writing: Writing) -> RowOutcome:
    """Write an adaptation: an active one updates that of the applied memory, a past one is stored as reverted. Agents
    get no notice."""
    memory = _memory(record.memory, writing)
    previewed_status = writing.preview_statuses.get(_name(record.memory, writing))
    if memory is None and previewed_status is not None:
        fits = record.reverted_at or previewed_status in ("", Status.APPLIED)
        result = RowResult(label, Result.IMPORTED) if fits else RowResult(label, Result.LEFT_OUT, (NOT_APPLIED,))
        return result, None
    if memory is None:
        return RowResult(label, Result.LEFT_OUT, (NOT_HERE,)), None
    applied_at = min(record.applied_at, writing.at)
    facts = {"plugin": record.plugin, "description": record.description, "applied_at": applied_at}
    if record.reverted_at is None:
        if memory.status != Status.APPLIED:
            return RowResult(label, Result.LEFT_OUT, (NOT_APPLIED,)), None
        Adaptation.objects.active().filter(memory=memory).update(notified_at=writing.at, used_before=None, **facts)
        return RowResult(label, Result.IMPORTED), memory.pk
    Adaptation.objects.create(
        memory=memory,
        memory_key=memory.key or "",
        content=memory.content,
        sessions=memory.times_confirmed,
        applied_by=record.plugin[:200],
        notified_at=applied_at,
        reverted_at=min(record.reverted_at, writing.at),
        reverted_by=writing.trust.actor.name[:200],
        revert_reason=RevertReason.USER_REVERT,
        scope=memory.scope,
        sensitivity=memory.sensitivity,
        **facts,
    )
    return RowResult(label, Result.IMPORTED), memory.pk


def _memory(id: str, writing: Writing) -> Memory | None:
    """The memory that was imported from the row with this id, in any scope; None if the importer may not see it."""
    name = _name(id, writing)
    ids: list[UUID] = [memory_id for _scope, memory_id in ImportedRow.objects.memories_of([name]).get(name, [])]
    return Memory.objects.visible_to(writing.trust).filter(pk__in=ids).order_by("pk").last() if ids else None


def _name(id: str, writing: Writing) -> bytes:
    format = writing.options.format
    return name_of(format.value, TABLES.get(format, ""), id)
