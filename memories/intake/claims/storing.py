"""Store a claim (POST memories): read the report, write the statement, answer what came of it."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction

from memories.intake.claims import climbing
from memories.intake.claims.writing import write as write_statement
from memories.intake.reports.claims import Statable
from memories.intake.reports.payloads import SERVERS, TypedPayload
from memories.intake.statements import ClaimWrite, Occasion, Statement, WriteResult
from memories.lifecycle.ladder import Ladder
from memories.models import Memory
from memories.values.choices import Category, Sensitivity, Status, Type
from memories.values.exceptions import FieldError, Invalid, one_of
from memories.values.field_types import LONGEST_TEXT
from memories.values.trust import Trust

SETTLED = ("category", "confidence", "direct", "source", "sensitivity", "company_id", "expires_at", "deletion_policy")


def store(report: Statable, *, trust: Trust, at: datetime) -> WriteResult:
    """Insert the claim, or count it as a confirmation, rewording or change of the live memory of its (scope, key).

    It counts once for each episode, and once a day for each thread; what names neither always counts. Nothing counts
    of an agent that vouches for the claim of another while a different one that it proposed waits for a person.
    Creation is no confirmation. NotFound: the episode is not to be seen; Invalid: it is of another scope, or the expiry
    has passed; NotAllowed: the caller may not write there; Conflict: the key is that of another type of memory.
    """
    write = write_of(report, trust=trust, at=at)
    with transaction.atomic():
        return write.by_itself()


def write_of(report: Statable, *, trust: Trust, at: datetime) -> ClaimWrite[WriteResult]:
    """The same as a write that is still to be done; raises what is wrong with the report."""
    statement = _statement(report, trust=trust, at=at)
    founding = Occasion.request(at=at, episode_id=report.episode_id)
    confirming = _occasion(report, statement.source, at=at)

    def by_itself() -> WriteResult:
        occasions = {"founding": [founding], "confirming": [confirming]}
        return answer(write_statement(statement, **occasions, trust=trust, at=at))

    def answer(result: WriteResult) -> WriteResult:
        announcement = climbing.announcement(result.memory, at=at) if result.memory else None
        return replace(result, ignored_fields=_ignored_fields(report, result), notice=announcement or result.notice)

    return ClaimWrite(statement, [founding], {"status": Status.CANDIDATE}, by_itself, answer)


def _statement(report: Statable, *, trust: Trust, at: datetime) -> Statement:
    if report.expires_at is not None and report.expires_at <= at:
        raise Invalid(FieldError("/expires_at", "out_of_range", "must be in the future"))
    source, payload = trust.source_to_write(report.source), report.payload
    confidence = None if report.confidence is None else round(min(100.0, max(0.0, report.confidence)))
    type = Type(getattr(report, "type", Type.SEMANTIC))
    return Statement(
        content=(report.content or (payload.content if payload else "")).strip()[:LONGEST_TEXT],
        key=report.key or (payload.key if payload else ""),
        scope=_scope(report, trust),
        source=source,
        confidence=Ladder.of_settings().start(source=source, direct=report.direct, confidence=confidence),
        category=Category(getattr(report, "category", Category.FACT)) if type == Type.SEMANTIC else None,
        type=type,
        payload=_payload(payload),
        sensitivity=Sensitivity.named(report.sensitivity) if report.sensitivity else None,
        tags=report.tags,
        company_id=report.company_id,
        thread_id=report.thread_id,
        expires_at=report.expires_at,
        deletion_policy=report.deletion_policy,
    )


def _scope(report: Statable, trust: Trust) -> str:
    """The stated scope; else that of the episode it was learned from."""
    if report.scope is None and report.episode_id is not None:
        episodes = Memory.objects.visible_to(trust).filter(pk=report.episode_id, type=Type.EPISODIC)
        scope = one_of(episodes.values_list("scope", flat=True), "no such episode")
        return trust.scope_to_write(scope)
    return trust.scope_to_write(report.scope)


def _payload(payload: TypedPayload | None) -> dict[str, Any]:
    return payload.model_dump(mode="json", by_alias=True, exclude_none=True) if payload else {}


def _occasion(report: Statable, source: str, *, at: datetime) -> Occasion:
    if report.episode_id is not None:
        return Occasion.episode(report.episode_id, at=at)
    if report.thread_id is not None:
        return Occasion.thread(source, report.thread_id, at=at)
    return Occasion.request(at=at)


def _ignored_fields(report: Statable, result: WriteResult) -> list[str]:
    """The fields that were given for a memory that exists already, and did not change it."""
    fields = report.payload.model_fields_set if report.payload else set()
    server_fields = [f"payload.{name}" for name in SERVERS if name in fields]
    row = result.memory
    if row is None or result.created:
        return server_fields
    settled_fields = [name for name in SETTLED if name in report.model_fields_set]
    current = {"sensitivity": Sensitivity(row.sensitivity).label, "direct": False}
    current |= {} if not result.reset else {"confidence": report.confidence, "direct": report.direct}
    current |= {name: getattr(row, name) for name in settled_fields if name not in current}
    return [name for name in settled_fields if getattr(report, name) != current[name]] + server_fields
