"""Write the rows of a file batch by batch: each batch is one transaction, and each row of it stands or falls alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from django.db import transaction

from memories.models import ImportedRow, Memory, claim_locks
from memories.transfer import claim_writes, episode_rows, link_rows
from memories.transfer.claim_rows import Written
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
    written: dict[int, Written] = {}
    loose: dict[int, LooseEvent] = {}
    claims: dict[int, SourceRow] = {}  # not written yet
    seen: dict[Named, int] = {}
    for index, row in enumerate(rows):
        name = (row.name(writing.options.format.value), _scope(row))
        if (before := seen.get(name)) in claims:
            _write_claims(claims, written, writing)
        earlier = known.get(name)
        repeated = before is not None and not (before in written and written[before][0].result == Result.FAILED)
        if repeated or (earlier and bytes(earlier.content_sha256) == row.sha256):
            continue
        seen[name] = index
        if isinstance(row.record, LooseEvent):
            loose[index] = row.record
        elif isinstance(row.record, ClaimRecord):
            claims[index] = row
            if earlier and earlier.memory_id and row.has_id and not row.record.key:
                writing.earlier[index] = earlier.memory_id
            if Status(row.record.status) == Status.DISMISSED:  # what follows may meet its tombstone
                _write_claims(claims, written, writing)
        else:
            written[index] = _one(row, writing)
    _write_claims(claims, written, writing)
    written |= _write_loose(loose, rows, writing)
    _record(rows, written, writing)
    return [_noticed(row, written.get(index)) for index, row in enumerate(rows)]


def _noticed(row: SourceRow, written: Written | None) -> RowResult:
    """The result with what did not come along with an imported row. What was not written was known."""
    result = written[0] if written else RowResult(row.label, Result.KNOWN)
    if not row.notice or result.result != Result.IMPORTED:
        return result
    return replace(result, errors=(*result.errors, row.notice))


def _write_claims(claims: dict[int, SourceRow], written: dict[int, Written], writing: Writing) -> None:
    written |= claim_writes.write(claims, writing)
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
    except (Invalid, Conflict, NotAllowed) as refusal:
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


def _write_loose(loose: Mapping[int, LooseEvent], rows: Sequence[SourceRow], writing: Writing) -> dict[int, Written]:
    def place(index: int) -> tuple[str, tuple[str, ...]]:
        return loose[index].scope or "", loose[index].group

    written: dict[int, Written] = {}
    for _place, members in groupby(sorted(loose, key=place), key=place):
        group = list(members)
        try:
            with transaction.atomic():
                answers = episode_rows.write_together([(rows[index].label, loose[index]) for index in group], writing)
        except (Invalid, NotAllowed) as refusal:
            answers = [(RowResult.failed(rows[index].label, refusal), None) for index in group]
        written |= zip(group, answers, strict=True)
    return written


def _record(rows: Sequence[SourceRow], written: Mapping[int, Written], writing: Writing) -> None:
    """Remember what came of each row that was settled; failed ones are tried again by the next import."""
    settled = [
        (rows[index], memory_id)
        for index, (result, memory_id) in sorted(written.items())
        if result.result not in (Result.FAILED, Result.LEFT_OUT)
    ]
    ImportedRow.objects.record(
        [
            ImportedRow(
                name=row.name(writing.options.format.value),
                scope=_scope(row),
                content_sha256=row.sha256,
                memory_id=memory_id,
            )
            for row, memory_id in settled
        ]
    )
