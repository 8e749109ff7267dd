"""Write the rows of a file batch by batch: each batch is one transaction, and each row of it stands or falls alone."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db import transaction

from memories.models import ImportedRow, Memory, claim_locks
from memories.transfer import claim_writes, episode_rows, link_rows
from memories.transfer.claim_rows import Written
from memories.transfer.episode_rows import Loose
from memories.transfer.options import Options, Result, RowResult, Writing
from memories.transfer.records import (
    AdaptationRecord,
    AnyRecord,
    ClaimRecord,
    EpisodeRecord,
    LeftOut,
    LooseEvent,
    MemoryRecord,
    RelationRecord,
    SourceRow,
)
from memories.values.choices import Hold, Status
from memories.values.exceptions import Conflict, Invalid, NotAllowed

MOST_ROWS = 200  # of one transaction: a decision in its scopes waits as long
MOST_EVENTS = 1_000  # of one session, which is not torn apart below that
LARGEST = 4 * 1024 * 1024  # characters of text
Named = tuple[bytes, str]


def together(rows: Iterable[SourceRow]) -> Iterator[list[SourceRow]]:
    """Rows as batches of one table each, since relations concern rows that are stored. A group of events is one batch
    as long as it fits."""
    batch: list[SourceRow] = []
    size, group = 0, None
    for row in rows:
        its_group = row.record.group if isinstance(row.record, LooseEvent) else None
        full = len(batch) >= (MOST_EVENTS if its_group and its_group == group else MOST_ROWS) or size > LARGEST
        if batch and (full or row.table != batch[-1].table):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size, group = size + _size(row), its_group
    if batch:
        yield batch


def _size(row: SourceRow) -> int:
    record = row.record
    if isinstance(record, ClaimRecord):
        return len(record.content) + 50 * len(record.evidence or ())
    return 200 * len(record.events) if isinstance(record, EpisodeRecord) else 500


def write(
    rows: Sequence[SourceRow],
    options: Options,
    *,
    at: datetime,
    keeps: bool = True,
    previewed: dict[bytes, str] | None = None,
) -> list[RowResult]:
    """Write a batch, in one transaction; the results in the order of the rows.

    `keeps` false: all of it is undone; then `previewed` gets the statuses of what would be here, for later batches.
    """
    previewed = {} if previewed is None else previewed
    with transaction.atomic():
        fixed = Memory.objects.filter(hold=Hold.FIXED).order_by().values_list("scope", flat=True).distinct()
        ids = {row.record.id for row in rows if isinstance(row.record, MemoryRecord) and row.record.id}
        writing = Writing(options, at, frozenset(fixed), claim_writes.ids_here(ids), previewed=previewed)
        results = _written(rows, writing)
        if not keeps:
            transaction.set_rollback(True)
            named = zip((row.name(options.format.value) for row in rows), results, strict=True)
            here = (Result.IMPORTED, Result.KNOWN, Result.CHANGED)
            previewed |= {name: result.status for name, result in named if result.result in here}
    return results


def _written(rows: Sequence[SourceRow], writing: Writing) -> list[RowResult]:
    claim_locks.alone("memos:import")  # two at once, each with the keys that the other needs, would wait for each other
    _lock_scopes(rows)
    known = _known(rows, writing)
    results: dict[int, RowResult] = {}
    made: dict[int, UUID | None] = {}
    loose: list[tuple[int, Loose]] = []
    claims: dict[int, SourceRow] = {}  # not written yet
    seen: dict[Named, int] = {}
    for index, row in enumerate(rows):
        name = (row.name(writing.options.format.value), _scope(row))
        if (before := seen.get(name)) in claims:
            _write_claims(claims, results, made, writing)
        earlier = known.get(name)
        if (earlier and bytes(earlier.content_sha256) == row.sha256) or (
            before is not None and not _has_failed(before, results)
        ):
            results[index] = RowResult(row.label, Result.KNOWN)
            continue
        seen[name] = index
        if isinstance(row.record, LooseEvent):
            loose.append((index, Loose(row.label, row.record)))
        elif isinstance(row.record, ClaimRecord):
            claims[index] = row
            if earlier and earlier.memory_id and row.has_id and not row.record.key:
                writing.earlier[index] = earlier.memory_id
            if Status(row.record.status) == Status.DISMISSED:  # what follows may meet its tombstone
                _write_claims(claims, results, made, writing)
        else:
            results[index], made[index] = _one(row, writing)
    _write_claims(claims, results, made, writing)
    _write_loose(loose, results, made, writing)
    _record(rows, results, made, writing)
    return [_noticed(results[index], row) for index, row in enumerate(rows)]


def _noticed(result: RowResult, row: SourceRow) -> RowResult:
    """The result with what did not come along with an imported row."""
    if not row.notice or result.result != Result.IMPORTED:
        return result
    return replace(result, errors=(*result.errors, row.notice))


def _has_failed(index: int, results: dict[int, RowResult]) -> bool:
    return index in results and results[index].result == Result.FAILED


def _write_claims(
    claims: dict[int, SourceRow], results: dict[int, RowResult], made: dict[int, UUID | None], writing: Writing
) -> None:
    for index, (result, memory_id) in claim_writes.write(claims, writing).items():
        results[index], made[index] = result, memory_id
    claims.clear()


def _lock_scopes(rows: Sequence[SourceRow]) -> None:
    records = [row.record for row in rows if isinstance(row.record, ClaimRecord)]
    stored = {record.scope or "" for record in records}
    decided = {record.scope or "" for record in records if Status(record.status) == Status.DISMISSED}
    claim_locks.to_import(stored, decided)


def _known(rows: Sequence[SourceRow], writing: Writing) -> dict[Named, ImportedRow]:
    names = {row.name(writing.options.format.value) for row in rows}
    return {(bytes(known.name), known.scope): known for known in ImportedRow.objects.named(names)}


def _scope(row: SourceRow) -> str:
    return getattr(row.record, "scope", None) or ""


def _one(row: SourceRow, writing: Writing) -> Written:
    record, label = row.record, row.label
    if isinstance(record, LeftOut):
        return RowResult(label, Result.LEFT_OUT, (record.why,)), None
    try:
        with transaction.atomic():
            return _store(record, label, writing)
    except Invalid as invalid:
        return RowResult.failed(label, *invalid.errors), None
    except (Conflict, NotAllowed) as refusal:
        return RowResult.failed(label, refusal), None


def _store(record: AnyRecord | Invalid, label: str, writing: Writing) -> Written:
    """Invalid: the row was, or the gate finds it so."""
    match record:
        case EpisodeRecord():
            return episode_rows.write(record, label, writing)
        case RelationRecord():
            return link_rows.write_relation(record, label, writing)
        case AdaptationRecord():
            return link_rows.write_adaptation(record, label, writing)
        case Invalid():
            raise record
        case LooseEvent() | ClaimRecord():
            raise AssertionError("these are written together")


def _write_loose(
    loose: Sequence[tuple[int, Loose]],
    results: dict[int, RowResult],
    made: dict[int, UUID | None],
    writing: Writing,
) -> None:
    def place(one: tuple[int, Loose]) -> tuple[str, tuple[str, ...]]:
        return one[1].record.scope or "", one[1].record.group

    for _place, members in groupby(sorted(loose, key=place), key=place):
        group = list(members)
        try:
            with transaction.atomic():
                written, memory_id = episode_rows.write_together([one for _, one in group], writing)
        except (Invalid, NotAllowed) as refusal:
            results.update({index: RowResult.failed(one.label, refusal) for index, one in group})
            continue
        for (index, _one), result in zip(group, written, strict=True):
            results[index], made[index] = result, memory_id


def _record(
    rows: Sequence[SourceRow],
    results: dict[int, RowResult],
    made: dict[int, UUID | None],
    writing: Writing,
) -> None:
    """Remember what came of each row that was settled; failed ones are tried again by the next import."""
    ImportedRow.objects.record(
        [
            ImportedRow(
                name=row.name(writing.options.format.value),
                scope=_scope(row),
                content_sha256=row.sha256,
                memory_id=made[index],
            )
            for index, row in enumerate(rows)
            if index in made and results[index].result not in (Result.FAILED, Result.LEFT_OUT)
        ]
    )
