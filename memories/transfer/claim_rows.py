"""Import of one claim through the gate: compared with memories here, it overwrites none and is never held or taught.

Evidence, requests and track records of a batch are written by claim_writes.py.
"""

from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from memories import claims
from memories.claims import Likeness
from memories.intake import admission
from memories.intake.claims import Occasion, Statement, climbing, equals_of
from memories.intake.claims.reinforcement import Meeting, propose_edit, replace_typed
from memories.intake.claims.writing import KeyTaken, create, live_row, lock_key_alone
from memories.intake.statements import ClaimWrite, WriteResult
from memories.lifecycle.ladder import Ladder, waits_for_person
from memories.models import Memory, Tombstone
from memories.transfer.options import ImportedMemory, Result, RowResult, Writing
from memories.transfer.payload_check import checked_payload
from memories.transfer.records import ClaimRecord, MemoryRecord
from memories.values.choices import LIVE, Category, Origin, Sensitivity, Status, Type
from memories.values.decay import HALF_LIFE
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.trust import Trust

CLOSED = (Status.SUPERSEDED, Status.RETRACTED)
LIVES_HERE = "it lives here: an import dismisses nothing that is believed here"
RowOutcome = tuple[RowResult, UUID | None]


def write_of(record: ClaimRecord, label: str, writing: Writing, earlier: UUID | None = None) -> ClaimWrite[RowOutcome]:
    """Prepare the write of one claim. Invalid, Conflict, NotAllowed: the record cannot be stored. The caller holds the
    locks of its scope. `earlier`: the memory that an earlier import made of the same row.
    """
    statement, columns = _statement(record, writing.trust), _columns(record, writing)
    name = f"import:{writing.options.format.value}:{label}"[:1100]
    founding = [Occasion(name, columns["created_at"])] if record.evidence is None else []
    settle, answer = partial(_settle, record, writing), partial(_imported_result, record, label, writing)
    claim_write = ClaimWrite(
        statement,
        founding,
        columns,
        lambda: _write(record, label, writing, claim_write, earlier),
        answer,
        settle=settle,
    )
    return claim_write


def _write(
    record: ClaimRecord, label: str, writing: Writing, claim_write: ClaimWrite[RowOutcome], earlier: UUID | None
) -> RowOutcome:
    """Write one claim that may have the id, the key or the words of a memory here."""
    statement, trust, at = claim_write.statement, writing.trust, writing.at
    if statement.key:
        lock_key_alone(statement.scope, statement.key)
    same = _same_id(record, statement.scope) if record.id in writing.known_ids else None
    if same is not None and same.status not in LIVE:
        return RowResult(label, Result.KNOWN), same.pk
    if Status(record.status) == Status.DISMISSED:
        return _dismiss(record, label, writing, claim_write)
    row = same or (None if record.status in CLOSED else _live(statement, earlier, at=at))
    if row is not None:
        return _meet(Meeting(row, statement, trust, at, Sensitivity.PUBLIC), label)
    experience = Type(record.type) == Type.WORKING
    admission_result = admission.admit(
        statement, trust=trust, at=at, no_tombstones=experience, **_columns(record, writing)
    )
    if admission_result.memory is None:
        admission.suppress(admission_result.dismissal.blocking, statement, trust=trust, at=at)
        return RowResult(label, Result.SUPPRESSED, shown=statement.content[:200]), None
    return _create(admission_result.memory, claim_write, writing)


def _statement(record: ClaimRecord, trust: Trust) -> Statement:
    confidence = Ladder.of_settings().start(source="", direct=False, confidence=record.confidence)
    semantic = Type(record.type) == Type.SEMANTIC
    return Statement(
        content=record.content,
        key=record.key or "",
        scope=trust.scope_to_write(record.scope),
        source=record.source,
        confidence=confidence,
        category=Category(record.category) if semantic and record.category else None,
        origin=Origin.IMPORTED,
        type=Type(record.type),
        payload=checked_payload(record),
        sensitivity=Sensitivity.named(record.sensitivity) if record.sensitivity else None,
        tags=record.tags,
        company_id=record.company_id,
        thread_id=record.thread_id,
        expires_at=record.expires_at,
    )


def _same_id(record: ClaimRecord, scope: str) -> Memory | None:
    """The memory with the record's id in this scope, locked: it was exported from here."""
    if record.id is None:
        return None
    rows = Memory.objects.select_for_update(of=("self",)).filter(scope=scope, type=record.type)
    return rows.filter(pk=record.id).first()


def _live(statement: Statement, earlier: UUID | None, *, at: datetime) -> Memory | None:
    """The live row that this statement concerns, locked: that of its thread or key; without a key, the row with the
    same words, else `earlier`."""
    rows = Memory.objects.select_for_update(of=("self",)).live().filter(scope=statement.scope, type=statement.type)
    if statement.type == Type.WORKING:
        return rows.filter(thread_id=statement.thread_id).first()
    if statement.key:
        return live_row(statement.scope, statement.key, at=at)
    if statement.type != Type.SEMANTIC:
        return None
    equal = rows.filter(fingerprint=claims.fingerprint(statement.claim, statement.scope)).order_by("created_at").first()
    return equal or (rows.filter(pk=earlier).first() if earlier else None)


def _meet(meeting: Meeting, label: str) -> RowOutcome:
    """Compare a claim with the row here: the same claim is KNOWN, another one is proposed; nothing is overwritten."""
    row, statement, trust = meeting.row, meeting.statement, meeting.trust
    if row.type != statement.type:
        detail = f"the key {row.key!r} is that of a memory of another type" if meeting.visible else "cannot be stored"
        raise Invalid(FieldError("/key", "conflict", detail))
    hidden = RowResult(label, Result.IMPORTED, status=Status.CANDIDATE, shown=statement.content[:200]), None
    if row.type == Type.WORKING:
        return (RowResult(label, Result.KNOWN), row.pk) if meeting.visible else hidden
    if row.type == Type.SEMANTIC and meeting.likeness == Likeness.SAME:
        return (RowResult(label, Result.KNOWN), row.pk) if meeting.visible else hidden
    dismissal = admission.dismissal_of_statement(statement, trust=trust)
    if dismissal.blocking is not None:
        admission.suppress(dismissal.blocking, statement, trust=trust, at=meeting.at)
        return RowResult(label, Result.SUPPRESSED, shown=statement.content[:200]), None
    if row.type == Type.SEMANTIC:
        propose_edit(meeting, dismissal)
        is_proposed = True
    else:
        is_proposed = replace_typed(meeting).proposal is not None
    if not meeting.visible:
        return hidden
    return RowResult(label, Result.CHANGED if is_proposed else Result.KNOWN, shown=statement.content[:200]), row.pk


def _dismiss(record: ClaimRecord, label: str, writing: Writing, claim_write: ClaimWrite[RowOutcome]) -> RowOutcome:
    """A dismissed row stays dismissed here, with its tombstone, unless people here believe the claim."""
    statement, trust, at = claim_write.statement, writing.trust, writing.at
    if admission.dismissal_of_statement(statement, trust=trust).blocking is not None:
        return RowResult(label, Result.KNOWN), None
    memory = admission.admit(statement, trust=trust, at=at, decided=True, **_columns(record, writing)).memory
    assert memory is not None  # `decided`
    row = live_row(statement.scope, statement.key, at=at) if statement.key else None
    lives = row is not None and claims.compare(claims.claim_of(row.content), statement.claim) == Likeness.SAME
    if lives or equals_of(memory, Memory.objects.live()):
        return RowResult(label, Result.LEFT_OUT, (LIVES_HERE,)), None
    written = _create(memory, claim_write, writing)
    Tombstone.objects.bury(memory, by=trust.actor, why=record.reason, at=at)
    return written


def _columns(record: ClaimRecord, writing: Writing) -> dict[str, Any]:
    """The columns that a claim brings along beside its statement."""
    status = Status(record.status)
    columns = {
        **common_columns(record, writing),
        "status": status if status not in LIVE else Status.CANDIDATE,
        "times_confirmed": record.times_confirmed,
    }
    if Type(record.type) == Type.WORKING and record.curve.half_life is None:
        columns["half_life"] = HALF_LIFE["working"]
    if record.sources or record.evidence is not None:
        columns["provenance"] = {"sources": record.sources}
    return columns


def common_columns(record: MemoryRecord, writing: Writing) -> dict[str, Any]:
    """Times, counters and the curve of salience; times in the future become now. The id is kept if no memory had it."""
    at = writing.at
    created_at = min(record.created_at or at, at)
    updated_at = min(record.updated_at or created_at, at)
    curve = {name: value for name, value in record.curve.model_dump().items() if value is not None}
    times = {"salience_at": updated_at, **curve, "last_used_at": record.last_used_at}
    columns = {name: min(value, at) if isinstance(value, datetime) else value for name, value in times.items()}
    if record.id and record.id not in writing.known_ids:
        columns["id"] = record.id
    if record.expires_at and record.ttl:
        columns |= {"expires_at": record.expires_at, "ttl": record.ttl}
    return {**columns, "created_at": created_at, "updated_at": updated_at, "times_used": record.times_used}


def _create(memory: Memory, claim_write: ClaimWrite[RowOutcome], writing: Writing) -> RowOutcome:
    claim_write.settle(memory)
    try:
        create(
            memory, claim_write.founding, trust=writing.trust, at=writing.at, climbs=False, details=writing.audit_facts
        )
    except KeyTaken:
        raise Conflict("its key or thread was taken at this moment: import again") from None
    return claim_write.answer(WriteResult(memory, created=True))


def _settle(record: ClaimRecord, writing: Writing, memory: Memory) -> None:
    """Set the status of a new memory; APPLIED becomes CONFIRMED, which `claim_writes` promotes with an audit entry."""
    to = _status(memory, record, writing)
    memory.status = Status.CONFIRMED if to == Status.APPLIED else to


def _imported_result(record: ClaimRecord, label: str, writing: Writing, write_result: WriteResult) -> RowOutcome:
    memory = write_result.memory
    assert memory is not None
    imported_memory = ImportedMemory(memory, record, _status(memory, record, writing))
    writing.new_memories.append(imported_memory)
    writing.known_ids.add(memory.pk)
    return RowResult(label, Result.IMPORTED, status=imported_memory.to, shown=memory.content[:200]), memory.pk


def _status(memory: Memory, record: ClaimRecord, writing: Writing) -> Status:
    """The status here: as in the file or lower, and not above equal claims that people lowered here."""
    stated_status = Status(record.status)
    if stated_status not in LIVE:
        return stated_status
    if memory.type == Type.WORKING:
        return Status.CONFIRMED  # experience is no claim
    to = writing.options.status(stated_status, waits=waits_for_person(memory))
    if to in (Status.CONFIRMED, Status.APPLIED) and memory.scope in writing.fixed_scopes:
        return min(to, climbing.ceiling(memory), key=climbing.STEPS.index)
    return to
