"""One row of a file with a claim: how it meets what is here, through the gate; never over it, never held or taught.

What a batch of them brings along beside the memories is written by claim_writes.py.
"""

from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from memories import claims
from memories.claims import Likeness
from memories.intake import admission
from memories.intake.claims import Occasion, Statement, equals_of, promotion
from memories.intake.claims.reinforcement import Meeting, propose_edit, replace_typed
from memories.intake.claims.writing import KeyTaken, create, live_row, lock_key_alone
from memories.intake.statements import ClaimWrite, Stored
from memories.lifecycle.ladder import Ladder, waits_for_person
from memories.models import Memory, Tombstone
from memories.transfer.options import Made, Result, RowResult, Writing
from memories.transfer.payload_check import checked
from memories.transfer.records import ClaimRecord, MemoryRecord
from memories.values.choices import LIVE, Category, Origin, Sensitivity, Status, Type
from memories.values.decay import HALF_LIFE
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.trust import Trust

CLOSED = (Status.SUPERSEDED, Status.RETRACTED)
LIVES_HERE = "it lives here: an import dismisses nothing that is believed here"
Written = tuple[RowResult, UUID | None]


def write_of(record: ClaimRecord, label: str, writing: Writing, earlier: UUID | None = None) -> ClaimWrite[Written]:
    """The write of one claim; raises what is wrong with the record. The caller holds the locks of its scope.

    `earlier`: the memory that an earlier import made of the same row.
    """
    statement, columns = _statement(record, writing.trust), _columns(record, writing)
    name = f"import:{writing.options.format.value}:{label}"[:1100]
    founding = [Occasion(name, columns["created_at"])] if record.evidence is None else []
    settle, answer = partial(_settle, record, writing), partial(_made, record, label, writing)
    new = ClaimWrite(
        statement, founding, columns, lambda: _write(record, label, writing, new, earlier), answer, settle=settle
    )
    return new


def _write(
    record: ClaimRecord, label: str, writing: Writing, new: ClaimWrite[Written], earlier: UUID | None
) -> Written:
    """Write one claim by itself, where it may meet what is here."""
    statement, trust, at = new.statement, writing.trust, writing.at
    if statement.key:
        lock_key_alone(statement.scope, statement.key)
    same = _same_id(record, statement.scope) if record.id in writing.known_ids else None
    if same is not None and same.status not in LIVE:
        return RowResult(label, Result.KNOWN), same.pk
    if Status(record.status) == Status.DISMISSED:
        return _bury(record, label, writing, new)
    row = same or (None if record.status in CLOSED else _live(statement, earlier, at=at))
    if row is not None:
        return _meet(Meeting(row, statement, trust, at, Sensitivity.PUBLIC), label)
    experience = Type(record.type) == Type.WORKING
    admitted = admission.admit(statement, trust=trust, at=at, unmet=experience, **_columns(record, writing))
    if admitted.memory is None:
        admission.suppress(admitted.dismissal.blocking, statement, trust=trust, at=at)
        return RowResult(label, Result.SUPPRESSED, shown=statement.content[:200]), None
    return _create(admitted.memory, new, writing)


def _statement(record: ClaimRecord, trust: Trust) -> Statement:
    confidence = Ladder.of_settings().start(source="", direct=False, given=record.confidence)
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
        payload=checked(record),
        sensitivity=Sensitivity.named(record.sensitivity) if record.sensitivity else None,
        tags=record.tags,
        company_id=record.company_id,
        thread_id=record.thread_id,
        expires_at=record.expires_at,
    )


def _same_id(record: ClaimRecord, scope: str) -> Memory | None:
    """The very memory that was exported from here, locked."""
    if record.id is None:
        return None
    rows = Memory.objects.select_for_update(of=("self",)).filter(scope=scope, type=record.type)
    return rows.filter(pk=record.id).first()


def _live(statement: Statement, earlier: UUID | None, *, at: datetime) -> Memory | None:
    """The live row that this statement concerns: that of its key or thread; without one, its exact equal, or what came
    of its row before."""
    rows = Memory.objects.select_for_update(of=("self",)).live().filter(scope=statement.scope, type=statement.type)
    if statement.type == Type.WORKING:
        return rows.filter(thread_id=statement.thread_id).first()
    if statement.key:
        return live_row(statement.scope, statement.key, at=at)
    if statement.type != Type.SEMANTIC:
        return None
    equal = rows.filter(fingerprint=claims.fingerprint(statement.claim, statement.scope)).order_by("created_at").first()
    return equal or (rows.filter(pk=earlier).first() if earlier else None)


def _meet(meeting: Meeting, label: str) -> Written:
    """Nothing here is overwritten: the same claim is known, another one is proposed to people."""
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
        proposed = True
    else:
        proposed = replace_typed(meeting).proposal is not None
    if not meeting.visible:
        return hidden
    return RowResult(label, Result.CHANGED if proposed else Result.KNOWN, shown=statement.content[:200]), row.pk


def _bury(record: ClaimRecord, label: str, writing: Writing, new: ClaimWrite[Written]) -> Written:
    """A dismissed row stays dismissed here, with its tombstone, unless people here believe the claim."""
    statement, trust, at = new.statement, writing.trust, writing.at
    if admission.dismissal_of_statement(statement, trust=trust).blocking is not None:
        return RowResult(label, Result.KNOWN), None
    memory = admission.admit(statement, trust=trust, at=at, decided=True, **_columns(record, writing)).memory
    assert memory is not None  # `decided`
    row = live_row(statement.scope, statement.key, at=at) if statement.key else None
    lives = row is not None and claims.compare(claims.claim_of(row.content), statement.claim) == Likeness.SAME
    if lives or equals_of(memory, Memory.objects.live()):
        return RowResult(label, Result.LEFT_OUT, (LIVES_HERE,)), None
    written = _create(memory, new, writing)
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
    """Times, counters and the curve of salience, none of them later than now. An id stands where nothing had it."""
    at = writing.at
    created = min(record.created_at or at, at)
    updated = min(record.updated_at or created, at)
    curve = {name: value for name, value in record.curve.model_dump().items() if value is not None}
    times = {"salience_at": updated, **curve, "last_used_at": record.last_used_at}
    past = {name: min(value, at) if isinstance(value, datetime) else value for name, value in times.items()}
    if record.id and record.id not in writing.known_ids:
        past["id"] = record.id
    if record.expires_at and record.ttl:
        past |= {"expires_at": record.expires_at, "ttl": record.ttl}
    return {**past, "created_at": created, "updated_at": updated, "times_used": record.times_used}


def _create(memory: Memory, new: ClaimWrite[Written], writing: Writing) -> Written:
    new.settle(memory)
    try:
        create(memory, new.founding, trust=writing.trust, at=writing.at, climbs=False, noted=writing.noted)
    except KeyTaken:
        raise Conflict("its key or thread was taken at this moment: import again") from None
    return new.answer(Stored(memory, created=True))


def _settle(record: ClaimRecord, writing: Writing, memory: Memory) -> None:
    """What is applied is confirmed first: see `claim_writes.write`."""
    to = _status(memory, record, writing)
    memory.status = Status.CONFIRMED if to == Status.APPLIED else to


def _made(record: ClaimRecord, label: str, writing: Writing, stored: Stored) -> Written:
    memory = stored.memory
    assert memory is not None
    made = Made(memory, record, _status(memory, record, writing))
    writing.made.append(made)
    writing.known_ids.add(memory.pk)
    return RowResult(label, Result.IMPORTED, status=made.to, shown=memory.content[:200]), memory.pk


def _status(memory: Memory, record: ClaimRecord, writing: Writing) -> Status:
    """Where it stands: as before or lower, and not above its equals that people lowered here."""
    stated = Status(record.status)
    if stated not in LIVE:
        return stated
    if memory.type == Type.WORKING:
        return Status.CONFIRMED  # experience is no claim
    to = writing.options.status(stated, waits=waits_for_person(memory))
    if to in (Status.CONFIRMED, Status.APPLIED) and memory.scope in writing.fixed_scopes:
        return min(to, promotion.ceiling(memory), key=promotion.STEPS.index)
    return to
