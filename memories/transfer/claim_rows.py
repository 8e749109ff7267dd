"""Write an imported claim: through the gate, never over what is here, never held or taught."""

from datetime import datetime
from typing import Any
from uuid import UUID

from memories import claims
from memories.claims import Likeness
from memories.intake import admission
from memories.intake.admission import Admission
from memories.intake.claims import Occasion, Statement, equals_of, promotion
from memories.intake.claims.reinforcement import Meeting, propose_edit, replace_typed
from memories.intake.claims.writing import create, live_row, lock_key_alone
from memories.intake.episodes.new_rows import HALF_LIFE
from memories.lifecycle.ladder import Ladder, waits_for_person
from memories.models import AuditEntry, Episode, Evidence, Memory, Performance, Tombstone
from memories.models.evidence import OF_EPISODE
from memories.transfer.options import Result, RowResult, Writing
from memories.transfer.payload_check import checked
from memories.transfer.records import ClaimRecord, MemoryRecord
from memories.values.choices import LIVE, Category, Origin, Sensitivity, Status, Type
from memories.values.exceptions import FieldError, Invalid
from memories.values.trust import Trust

CLOSED = (Status.SUPERSEDED, Status.RETRACTED)
LIVES_HERE = "it lives here: an import dismisses nothing that is believed here"
Written = tuple[RowResult, UUID | None]


def write(record: ClaimRecord, label: str, writing: Writing) -> Written:
    """Write one claim; the caller holds the locks of its scope and runs the transaction."""
    trust, at = writing.trust, writing.at
    statement = _statement(record, trust)
    if record.expires_at is not None and record.expires_at <= at:
        return RowResult(label, Result.LEFT_OUT, ("its time has passed",)), None
    if statement.key:
        lock_key_alone(statement.scope, statement.key)
    same = _same_id(record, statement.scope)
    if same is not None and same.status not in LIVE:
        return RowResult(label, Result.KNOWN), same.pk
    if Status(record.status) == Status.DISMISSED:
        return _bury(record, statement, label, writing)
    row = same or (None if record.status in CLOSED else _live(statement, at=at))
    if row is not None:
        return _meet(Meeting(row, statement, trust, at, Sensitivity.PUBLIC), label)
    experience = Type(record.type) == Type.WORKING
    admitted = admission.admit(statement, trust=trust, at=at, unmet=experience, **_columns(record, writing))
    if admitted.memory is None:
        admission.suppress(admitted.dismissal.blocking, statement, trust=trust, at=at)
        return RowResult(label, Result.SUPPRESSED, shown=statement.content[:200]), None
    memory = _create(admitted, record, writing, label)
    return RowResult(label, Result.IMPORTED, status=memory.status, shown=memory.content[:200]), memory.pk


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


def _live(statement: Statement, *, at: datetime) -> Memory | None:
    """The live row that this statement concerns: that of its key or thread; without one, its exact equal."""
    rows = Memory.objects.select_for_update(of=("self",)).live().filter(scope=statement.scope, type=statement.type)
    if statement.type == Type.WORKING:
        return rows.filter(thread_id=statement.thread_id).first()
    if statement.key:
        return live_row(statement.scope, statement.key, at=at)
    if statement.type != Type.SEMANTIC:
        return None
    return rows.filter(fingerprint=claims.fingerprint(statement.claim, statement.scope)).order_by("created_at").first()


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


def _bury(record: ClaimRecord, statement: Statement, label: str, writing: Writing) -> Written:
    """A dismissed row stays dismissed here, with its tombstone, unless people here believe the claim."""
    if admission.dismissal_of_statement(statement, trust=writing.trust).blocking is not None:
        return RowResult(label, Result.KNOWN), None
    admitted = admission.admit(statement, trust=writing.trust, at=writing.at, decided=True, **_columns(record, writing))
    assert admitted.memory is not None  # `decided`
    row = live_row(statement.scope, statement.key, at=writing.at) if statement.key else None
    lives = row is not None and claims.compare(claims.claim_of(row.content), statement.claim) == Likeness.SAME
    if lives or equals_of(admitted.memory, Memory.objects.live()):
        return RowResult(label, Result.LEFT_OUT, (LIVES_HERE,)), None
    memory = _create(admitted, record, writing, label)
    Tombstone.objects.bury(memory, by=writing.trust.actor, why=record.reason, at=writing.at)
    return RowResult(label, Result.IMPORTED, status=memory.status, shown=memory.content[:200]), memory.pk


def _columns(record: ClaimRecord, writing: Writing) -> dict[str, Any]:
    """The columns that a claim brings along beside its statement."""
    status = Status(record.status)
    columns = {
        **common_columns(record, at=writing.at),
        "status": status if status not in LIVE else Status.CANDIDATE,
        "times_confirmed": record.times_confirmed,
    }
    if Type(record.type) == Type.WORKING and record.curve.half_life is None:
        columns["half_life"] = HALF_LIFE["working"]
    if record.sources or record.evidence is not None:
        columns["provenance"] = {"sources": record.sources}
    return columns


def common_columns(record: MemoryRecord, *, at: datetime) -> dict[str, Any]:
    """Times, counters and the curve of salience, none of them later than now. An id stands where nothing has it."""
    created = min(record.created_at or at, at)
    updated = min(record.updated_at or created, at)
    curve = {name: value for name, value in record.curve.model_dump().items() if value is not None}
    times = {"salience_at": updated, **curve, "last_used_at": record.last_used_at}
    past = {name: min(value, at) if isinstance(value, datetime) else value for name, value in times.items()}
    if record.id and not _was_here(record.id):
        past["id"] = record.id
    if record.expires_at and record.ttl:
        past |= {"expires_at": record.expires_at, "ttl": record.ttl}
    return {**past, "created_at": created, "updated_at": updated, "times_used": record.times_used}


def _was_here(id: UUID) -> bool:
    """Whether a memory has this id, or had it: the trail of a forgotten one must not become that of another."""
    if Memory.objects.filter(pk=id).exists() or Tombstone.objects.filter(memory_id=id).exists():
        return True
    return AuditEntry.objects.filter(subject_kind="memory", subject_id=id).exists()


def _create(admitted: Admission, record: ClaimRecord, writing: Writing, label: str) -> Memory:
    memory, trust, at = admitted.memory, writing.trust, writing.at
    assert memory is not None
    format = writing.options.format.value
    to = _status(memory, record, writing)
    memory.status = Status.CONFIRMED if to == Status.APPLIED else to
    founding = [Occasion(f"import:{format}:{label}"[:1100], memory.created_at)] if record.evidence is None else []
    create(memory, founding, trust=trust, at=at, climbs=False, noted={"imported_from": format})
    _add_evidence(memory, record, trust)
    if record.track_record:
        Performance.objects.create(memory=memory, **record.track_record.model_dump())
    if to == Status.APPLIED:
        updated_at = memory.updated_at
        memory.revise("promote", {"status": to}, by=trust.actor, why="it was applied where it comes from", at=at)
        Memory.objects.filter(pk=memory.pk).update(updated_at=updated_at)
    return memory


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


def _add_evidence(memory: Memory, record: ClaimRecord, trust: Trust) -> None:
    """Rows of evidence as the file has them; an episode is linked where it is here, in this scope."""
    if not record.evidence:
        return
    named = {one.occasion: _episode_id(one.occasion) for one in record.evidence}
    ids = [id for id in named.values() if id]
    rows = Episode.objects.visible_to(trust).filter(pk__in=ids, scope=memory.scope)
    rows = rows.filter(memory__sensitivity__lte=memory.sensitivity)
    here = set(rows.values_list("pk", flat=True))
    Evidence.objects.bulk_create(
        (
            Evidence(
                memory=memory,
                episode_id=id if (id := named[one.occasion]) in here else None,
                made_by=trust.actor.name[:200],
                made_by_id=trust.actor.identity,
                **one.model_dump(),
            )
            for one in {one.occasion: one for one in record.evidence}.values()
        ),
        batch_size=500,
    )
    Memory.objects.filter(pk__in=here, evidence_of_live=False).update(evidence_of_live=True)


def _episode_id(occasion: str) -> UUID | None:
    try:
        return UUID(occasion.removeprefix(OF_EPISODE)) if occasion.startswith(OF_EPISODE) else None
    except ValueError:
        return None
