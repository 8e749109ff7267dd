"""Write the claims of a batch of a file in their order: those that meet nothing together, each other one by itself;
then what the new ones bring along: evidence, requests, track record."""

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from memories import claims
from memories.intake import claim_batch
from memories.intake.statements import ClaimWrite
from memories.models import AuditEntry, Episode, Evidence, Memory, Performance, Tombstone, bulk_rows
from memories.models.evidence import OF_EPISODE
from memories.models.held import Held
from memories.transfer import claim_rows, request_lines
from memories.transfer.claim_rows import Written
from memories.transfer.options import Made, Result, RowResult, Writing
from memories.transfer.records import ClaimRecord, EvidenceRecord, SourceRow
from memories.values.choices import Status, Type

WHY_APPLIED = "it was applied where it comes from"
Writes = dict[int, ClaimWrite[Written]]
# Rooms above keep here what a line brings them; they register it when they start. The way out: exporting.KEPT_ABOVE
KEEPERS: list[Callable[[Sequence[Made]], None]] = []


def write(rows: Mapping[int, SourceRow], writing: Writing) -> dict[int, Written]:
    """The caller holds the locks of their scopes and runs the transaction."""
    records = {index: row.record for index, row in rows.items() if isinstance(row.record, ClaimRecord)}
    written: dict[int, Written] = {}
    writes: Writes = {}
    for index, record in records.items():
        if record.expires_at is not None and record.expires_at <= writing.at:
            written[index] = RowResult(rows[index].label, Result.LEFT_OUT, ("its time has passed",)), None
            continue
        try:
            writes[index] = claim_rows.write_of(record, rows[index].label, writing, writing.earlier.get(index))
        except claim_batch.REFUSALS as refusal:
            written[index] = RowResult.failed(rows[index].label, refusal), None
    how = {"climbs": False, "noted": writing.noted}
    alone = _alone(records, writes, writing)
    came = claim_batch.write_in_order(writes, trust=writing.trust, at=writing.at, alone=alone, **how)
    for index, answer in came.items():
        refused = isinstance(answer, Exception)
        written[index] = (RowResult.failed(rows[index].label, answer), None) if refused else answer
    _complete(writing)
    writing.made.clear()
    return written


def _alone(records: Mapping[int, ClaimRecord], writes: Writes, writing: Writing) -> set[int]:
    """Those that are no plain claims, that may be here by their id, or without a key by their words."""
    prints = {
        index: (write.statement.scope, claims.fingerprint(write.statement.claim, write.statement.scope))
        for index, write in writes.items()
        if write.statement.type == Type.SEMANTIC
    }
    same = Memory.objects.live().filter(fingerprint__in=[digest for _, digest in prints.values()])
    here = {(scope, bytes(digest or b"")) for scope, digest in same.values_list("scope", "fingerprint")}
    ids, alone = set(writing.known_ids), set()
    for index, write in writes.items():
        record, words = records[index], prints.get(index)
        plain = words is not None and Status(record.status) != Status.DISMISSED
        if not plain or record.id in ids or index in writing.earlier or (not write.statement.key and words in here):
            alone.add(index)
        ids |= {record.id} if record.id else set()
        here |= {words} if words else set()
    return alone


def ids_here(ids: set[UUID]) -> set[UUID]:
    """Those that a memory has, or had: the trail of a forgotten one must not become that of another."""
    here = set(Memory.objects.filter(pk__in=ids).values_list("pk", flat=True))
    buried = Tombstone.objects.filter(memory_id__in=ids).values_list("memory_id", flat=True)
    here |= {id for id in buried if id}
    trail = AuditEntry.objects.filter(subject_kind="memory", subject_id__in=ids)
    return here | set(trail.order_by().values_list("subject_id", flat=True).distinct())


def _complete(writing: Writing) -> None:
    """Write what the new memories bring along: evidence, track record, and that they are applied."""
    made = writing.made
    _add_evidence(made, writing)
    tracked = [
        Performance(memory=one.memory, **one.record.track_record.model_dump())
        for one in made
        if one.record.track_record
    ]
    Performance.objects.bulk_create(tracked)
    request_lines.keep_imported(made, writing)
    for keep in KEEPERS:
        keep(made)
    applied = {one.memory.pk: one.memory for one in made if one.to == Status.APPLIED}
    times = {pk: memory.updated_at for pk, memory in applied.items()}
    held = Held(dict(applied))
    for memory in applied.values():
        memory.revise("promote", {"status": Status.APPLIED}, by=writing.trust.actor, why=WHY_APPLIED, at=writing.at)
    held.write()
    for pk, memory in applied.items():
        memory.updated_at = times[pk]
    if applied:
        bulk_rows.update(list(applied.values()), ["updated_at"])


def _add_evidence(made: list[Made], writing: Writing) -> None:
    """Rows of evidence as the file has them; an episode is linked where it is here, in this scope."""
    new_evidence = [
        (one.memory, row, _episode_id(row.occasion))
        for one in made
        for row in {row.occasion: row for row in one.record.evidence or ()}.values()
    ]
    named = {id for _, _, id in new_evidence if id}
    episodes = Episode.objects.visible_to(writing.trust).filter(pk__in=named) if named else Episode.objects.none()
    levels = {(pk, scope): level for pk, scope, level in episodes.values_list("pk", "scope", "memory__sensitivity")}

    def evidence(memory: Memory, row: EvidenceRecord, id: UUID | None) -> Evidence:
        linked = id is not None and levels.get((id, memory.scope), memory.sensitivity + 1) <= memory.sensitivity
        by = {"made_by": writing.trust.actor.name[:200], "made_by_id": writing.trust.actor.identity}
        return Evidence(memory=memory, episode_id=id if linked else None, **by, **row.model_dump())

    rows = [evidence(*one) for one in new_evidence]
    bulk_rows.insert(rows)
    linked = {row.episode_id for row in rows if row.episode_id}
    Memory.objects.filter(pk__in=linked, evidence_of_live=False).update(evidence_of_live=True)


def _episode_id(occasion: str) -> UUID | None:
    try:
        return UUID(occasion.removeprefix(OF_EPISODE)) if occasion.startswith(OF_EPISODE) else None
    except ValueError:
        return None
