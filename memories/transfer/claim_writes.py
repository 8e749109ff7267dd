"""Write the claims of a batch in their order: new ones together, others one by one; then evidence, requests and track
records of the new memories."""

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from memories import claims
from memories.intake import claim_batch
from memories.intake.statements import ClaimWrite
from memories.models import AuditEntry, Episode, Evidence, Memory, Performance, Tombstone, bulk_rows
from memories.models.evidence import OF_EPISODE
from memories.models.locked_rows import LockedRows
from memories.transfer import claim_rows, request_lines
from memories.transfer.claim_rows import RowOutcome
from memories.transfer.options import ImportedMemory, Result, RowResult, Writing
from memories.transfer.records import ClaimRecord, EvidenceRecord, SourceRow
from memories.values.choices import Status, Type

WHY_APPLIED = "it was applied in the scope that it comes from"
Writes = dict[int, ClaimWrite[RowOutcome]]
# Rooms above register functions here when they start, which store their members of a line; exported by KEPT_ABOVE.
KEEPERS: list[Callable[[Sequence[ImportedMemory]], None]] = []


def write(rows: Mapping[int, SourceRow], writing: Writing) -> dict[int, RowOutcome]:
    """Write claims; the outcome of each by its index in the batch. The caller holds the locks of their scopes and runs
    the transaction."""
    records = {index: row.record for index, row in rows.items() if isinstance(row.record, ClaimRecord)}
    outcomes: dict[int, RowOutcome] = {}
    writes: Writes = {}
    for index, record in records.items():
        if record.expires_at is not None and record.expires_at <= writing.at:
            outcomes[index] = RowResult(rows[index].label, Result.LEFT_OUT, ("its time has passed",)), None
            continue
        try:
            writes[index] = claim_rows.write_of(record, rows[index].label, writing, writing.earlier.get(index))
        except claim_batch.REFUSALS as refusal:
            outcomes[index] = RowResult.failed(rows[index].label, refusal), None
    answers = claim_batch.write_in_order(
        writes,
        trust=writing.trust,
        at=writing.at,
        single_indexes=_single_indexes(records, writes, writing),
        climbs=False,
        details=writing.audit_facts,
    )
    for index, answer in answers.items():
        is_refused = isinstance(answer, Exception)
        outcomes[index] = (RowResult.failed(rows[index].label, answer), None) if is_refused else answer
    _complete(writing)
    writing.new_memories.clear()
    return outcomes


def _single_indexes(records: Mapping[int, ClaimRecord], writes: Writes, writing: Writing) -> set[int]:
    """The indexes of claims to write one by one: typed or dismissed ones, and those whose id, or without a key whose
    words, a memory here or an earlier row has."""
    prints = {
        index: (write.statement.scope, claims.fingerprint(write.statement.claim, write.statement.scope))
        for index, write in writes.items()
        if write.statement.type == Type.SEMANTIC
    }
    same = Memory.objects.live().filter(fingerprint__in=[digest for _, digest in prints.values()])
    known_words = {(scope, bytes(digest or b"")) for scope, digest in same.values_list("scope", "fingerprint")}
    ids, single_indexes = set(writing.known_ids), set()
    for index, write in writes.items():
        record, words = records[index], prints.get(index)
        plain = words is not None and Status(record.status) != Status.DISMISSED
        if (
            not plain
            or record.id in ids
            or index in writing.earlier
            or (not write.statement.key and words in known_words)
        ):
            single_indexes.add(index)
        ids |= {record.id} if record.id else set()
        known_words |= {words} if words else set()
    return single_indexes


def ids_here(ids: set[UUID]) -> set[UUID]:
    """Those ids that a memory has or had: a new memory must not continue the audit trail of a forgotten one."""
    known_ids = set(Memory.objects.filter(pk__in=ids).values_list("pk", flat=True))
    tombstone_ids = Tombstone.objects.filter(memory_id__in=ids).values_list("memory_id", flat=True)
    known_ids |= {id for id in tombstone_ids if id}
    audit_entries = AuditEntry.objects.filter(subject_kind="memory", subject_id__in=ids)
    return known_ids | set(audit_entries.order_by().values_list("subject_id", flat=True).distinct())


def _complete(writing: Writing) -> None:
    """Write the evidence, requests and track records of the new memories, and promote those to apply."""
    new_memories = writing.new_memories
    _add_evidence(new_memories, writing)
    performances = [
        Performance(memory=new.memory, **new.record.track_record.model_dump())
        for new in new_memories
        if new.record.track_record
    ]
    Performance.objects.bulk_create(performances)
    request_lines.keep_imported(new_memories, writing)
    for keep in KEEPERS:
        keep(new_memories)
    applied_memories = {new.memory.pk: new.memory for new in new_memories if new.to == Status.APPLIED}
    times = {pk: memory.updated_at for pk, memory in applied_memories.items()}
    locked_rows = LockedRows(dict(applied_memories))
    for memory in applied_memories.values():
        memory.revise("promote", {"status": Status.APPLIED}, by=writing.trust.actor, why=WHY_APPLIED, at=writing.at)
    locked_rows.write()
    for pk, memory in applied_memories.items():
        memory.updated_at = times[pk]
    if applied_memories:
        bulk_rows.update(list(applied_memories.values()), ["updated_at"])


def _add_evidence(new_memories: list[ImportedMemory], writing: Writing) -> None:
    """Insert the evidence of the file; episodes here are linked, in the same scope and not above the memory."""
    new_evidence = [
        (new.memory, row, _episode_id(row.occasion))
        for new in new_memories
        for row in {row.occasion: row for row in new.record.evidence or ()}.values()
    ]
    episode_ids = {id for _, _, id in new_evidence if id}
    episodes = (
        Episode.objects.visible_to(writing.trust).filter(pk__in=episode_ids) if episode_ids else Episode.objects.none()
    )
    levels = {(pk, scope): level for pk, scope, level in episodes.values_list("pk", "scope", "memory__sensitivity")}

    def evidence(memory: Memory, row: EvidenceRecord, id: UUID | None) -> Evidence:
        is_linked = id is not None and levels.get((id, memory.scope), memory.sensitivity + 1) <= memory.sensitivity
        by = {"made_by": writing.trust.actor.name[:200], "made_by_id": writing.trust.actor.identity}
        return Evidence(memory=memory, episode_id=id if is_linked else None, **by, **row.model_dump())

    rows = [evidence(*new) for new in new_evidence]
    bulk_rows.insert(rows)
    linked_ids = {row.episode_id for row in rows if row.episode_id}
    Memory.objects.filter(pk__in=linked_ids, evidence_of_live=False).update(evidence_of_live=True)


def _episode_id(occasion: str) -> UUID | None:
    try:
        return UUID(occasion.removeprefix(OF_EPISODE)) if occasion.startswith(OF_EPISODE) else None
    except ValueError:
        return None
