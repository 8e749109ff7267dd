"""Write the rows of a file batch by batch: a batch is one transaction; a row that fails does not affect the others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from django.db import transaction

from memories.models import ImportedRow, Memory, claim_locks
from memories.transfer import claim_writes, episode_rows, link_rows
from memories.transfer.claim_rows import RowOutcome
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
RowName = tuple[bytes, str]


def batches(rows: Iterable[SourceRow]) -> Iterator[list[SourceRow]]:
    """Group rows into batches of one table each, since relations need stored rows. The events of a group stay in one
    batch up to MOST_EVENTS."""
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
    statuses: dict[bytes, str] | None = None,
) -> list[RowResult]:
    """Write a batch, in one transaction; the results in the order of the rows.

    `keeps` False: all of it is rolled back, and `statuses` gets those of the memories that would be here, by row name.
    """
    statuses = {} if statuses is None else statuses
    with transaction.atomic():
        scopes = Memory.objects.filter(hold=Hold.FIXED).order_by().values_list("scope", flat=True).distinct()
        ids = {row.record.id for row in rows if isinstance(row.record, MemoryRecord) and row.record.id}
        writing = Writing(options, at, frozenset(scopes), claim_writes.ids_here(ids), preview_statuses=statuses)
        results = _write_rows(rows, writing)
        if not keeps:
            transaction.set_rollback(True)
            named_results = zip((row.name(options.format.value) for row in rows), results, strict=True)
            successes = (Result.IMPORTED, Result.KNOWN, Result.CHANGED)
            statuses |= {name: result.status for name, result in named_results if result.result in successes}
    return results


def _write_rows(rows: Sequence[SourceRow], writing: Writing) -> list[RowResult]:
    claim_locks.alone("memos:import")  # two at once, each with the keys that the other needs, would wait for each other
    _lock_scopes(rows)
    earlier_rows = _earlier_rows(rows, writing)
    outcomes: dict[int, RowOutcome] = {}
    loose: dict[int, LooseEvent] = {}
    claims: dict[int, SourceRow] = {}  # not written yet
    index_by_name: dict[RowName, int] = {}
    for index, row in enumerate(rows):
        name = (row.name(writing.options.format.value), _scope(row))
        if (earlier_index := index_by_name.get(name)) in claims:
            _write_claims(claims, outcomes, writing)
        earlier = earlier_rows.get(name)
        is_repeated = earlier_index is not None and not (
            earlier_index in outcomes and outcomes[earlier_index][0].result == Result.FAILED
        )
        if is_repeated or (earlier and bytes(earlier.content_sha256) == row.sha256):
            continue
        index_by_name[name] = index
        if isinstance(row.record, LooseEvent):
            loose[index] = row.record
        elif isinstance(row.record, ClaimRecord):
            claims[index] = row
            if earlier and earlier.memory_id and row.has_id and not row.record.key:
                writing.earlier[index] = earlier.memory_id
            if Status(row.record.status) == Status.DISMISSED:  # what follows may meet its tombstone
                _write_claims(claims, outcomes, writing)
        else:
            outcomes[index] = _write_one(row, writing)
    _write_claims(claims, outcomes, writing)
    outcomes |= _write_loose(loose, rows, writing)
    _record(rows, outcomes, writing)
    return [_with_notice(row, outcomes.get(index)) for index, row in enumerate(rows)]


def _with_notice(row: SourceRow, outcome: RowOutcome | None) -> RowResult:
    """The result of a row, with the notice of an imported one; KNOWN for a row that was not written."""
    result = outcome[0] if outcome else RowResult(row.label, Result.KNOWN)
    if not row.notice or result.result != Result.IMPORTED:
        return result
    return replace(result, errors=(*result.errors, row.notice))


def _write_claims(claims: dict[int, SourceRow], outcomes: dict[int, RowOutcome], writing: Writing) -> None:
    outcomes |= claim_writes.write(claims, writing)
    claims.clear()


def _lock_scopes(rows: Sequence[SourceRow]) -> None:
    records = [row.record for row in rows if isinstance(row.record, ClaimRecord)]
    scopes = {record.scope or "" for record in records}
    dismissal_scopes = {record.scope or "" for record in records if Status(record.status) == Status.DISMISSED}
    claim_locks.to_import(scopes, dismissal_scopes)


def _earlier_rows(rows: Sequence[SourceRow], writing: Writing) -> dict[RowName, ImportedRow]:
    names = {row.name(writing.options.format.value) for row in rows}
    return {
        (bytes(earlier_row.name), earlier_row.scope): earlier_row for earlier_row in ImportedRow.objects.named(names)
    }


def _scope(row: SourceRow) -> str:
    return getattr(row.record, "scope", None) or ""


def _write_one(row: SourceRow, writing: Writing) -> RowOutcome:
    record, label = row.record, row.label
    if isinstance(record, LeftOut):
        return RowResult(label, Result.LEFT_OUT, (record.why,)), None
    try:
        with transaction.atomic():
            return _store(record, label, writing)
    except (Invalid, Conflict, NotAllowed) as refusal:
        return RowResult.failed(label, refusal), None


def _store(record: AnyRecord | Invalid, label: str, writing: Writing) -> RowOutcome:
    """Write one record that is no claim. Invalid: the row is, or the gate refuses it."""
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


def _write_loose(loose: Mapping[int, LooseEvent], rows: Sequence[SourceRow], writing: Writing) -> dict[int, RowOutcome]:
    def place(index: int) -> tuple[str, tuple[str, ...]]:
        return loose[index].scope or "", loose[index].group

    outcomes: dict[int, RowOutcome] = {}
    for _place, members in groupby(sorted(loose, key=place), key=place):
        group = list(members)
        try:
            with transaction.atomic():
                answers = episode_rows.write_together([(rows[index].label, loose[index]) for index in group], writing)
        except (Invalid, NotAllowed) as refusal:
            answers = [(RowResult.failed(rows[index].label, refusal), None) for index in group]
        outcomes |= zip(group, answers, strict=True)
    return outcomes


def _record(rows: Sequence[SourceRow], outcomes: Mapping[int, RowOutcome], writing: Writing) -> None:
    """Store the outcome of each row for later imports, except failed and left-out ones, which are tried again."""
    rows_to_remember = [
        (rows[index], memory_id)
        for index, (result, memory_id) in sorted(outcomes.items())
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
            for row, memory_id in rows_to_remember
        ]
    )
