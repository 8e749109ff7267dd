"""Store observations (subject, predicate, object): the same again confirms, another object follows the policy."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from memories.intake import revisions
from memories.intake.admission import admit, suppress
from memories.intake.claims import Occasion, Statement, Stored
from memories.intake.claims.reinforcement import Meeting, reinforce
from memories.intake.claims.writing import create, lock_key
from memories.intake.episodes.write_result import Ingested
from memories.intake.reports import payloads
from memories.intake.reports.events import ObservationReport
from memories.intake.reports.payloads import key_of
from memories.models import Memory, Proposal, claim_locks
from memories.values.choices import Origin, Sensitivity, Status, Type
from memories.values.field_errors import format_instant
from memories.values.field_types import LONGEST_TEXT
from memories.values.strict_json import text_of
from memories.values.trust import Trust

CONFIDENCE = 70
VERB = {"replace": "supersede", "contest": "contest"}  # what a revision policy asks for


def observation(report: ObservationReport, *, trust: Trust, at: datetime) -> Ingested:
    """Store a statement, or confirm the one that says the same.

    Another object for the same subject and predicate: what is the caller's own is superseded, kept beside or contested,
    as the policy says; anything else is left as it is, and a revision is proposed (`Ingested.proposal`). What people
    dismissed is answered as it stands, dismissed.
    """
    statement = _statement(report, trust=trust, at=at)
    stem, occasion = payloads.stem_of(report.subject, report.predicate), Occasion.request(at=report.timestamp or at)
    with transaction.atomic():
        _hold_statement(statement, stem)
        rows = Memory.objects.select_for_update().live().filter(scope=statement.scope, key__startswith=f"{stem}#")
        known = list(rows.order_by("pk"))
        same = [row for row in known if _says(row, statement)]
        others = [row for row in known if row not in same and row.status != Status.CONTESTED]
        if same:
            return _answer(reinforce(Meeting(same[0], statement, trust, at, Sensitivity.PUBLIC), [occasion]))
        admission = admit(statement, trust=trust, at=at)
        if admission.memory is None:
            return _answer(suppress(admission.dismissal.blocking, statement, trust=trust, at=at))
        unsure = bool(statement.flags or admission.dismissal.resembled)
        if protected := _not_to_be_revised(others, report, trust, unsure=unsure):
            return _propose(protected, report, statement, trust=trust, at=at)
        if not unsure:  # confirmed at birth: a hint, listed as not reviewed
            admission.memory.status = Status.CONFIRMED
        memory = create(admission.memory, [occasion], trust=trust, at=at)
        _revise(others, memory, report, trust=trust, at=at)
    return Ingested(memory, created=True)


def _hold_statement(statement: Statement, stem: str) -> None:
    """Two first observations at one moment find one row: whoever stores holds the lock of what it is about."""
    claim_locks.to_store(statement.scope)
    with connection.cursor() as cursor:
        name = f"memos:statement:{statement.scope}/{stem}"
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
    lock_key(statement.scope, statement.key)


def _says(row: Memory, statement: Statement) -> bool:
    """Whether it is this statement, also where its object was stored in quotes and made the key of that."""
    subject, predicate = (str(row.payload.get(name)) for name in ("subject", "predicate"))
    return statement.key in (row.key, key_of(subject, predicate, text_of(row.payload.get("object"))))


def _statement(report: ObservationReport, *, trust: Trust, at: datetime) -> Statement:
    source = trust.source_to_write(report.source)
    return Statement(
        content=payloads.content_of(report.subject, report.predicate, report.object)[:LONGEST_TEXT],
        key=key_of(report.subject, report.predicate, report.object),
        scope=trust.scope_to_write(report.scope),
        source=source,
        confidence=CONFIDENCE,
        origin=Origin.OBSERVED,
        payload=_payload(report, at=report.timestamp or at),
        sensitivity=Sensitivity.named(report.sensitivity) if report.sensitivity else None,
        tags=report.tags,
        deletion_policy=report.deletion_policy,
    )


def _payload(report: ObservationReport, *, at: datetime) -> dict[str, Any]:
    return {
        "kind": Type.SEMANTIC.value,
        "subject": report.subject,
        "predicate": report.predicate,
        "object": report.object,
        "validity": {"mode": "global"},
        "evidence": [{"source_type": "observation", "source_id": report.source, "timestamp": format_instant(at)}],
        "revision_policy": report.revision_policy,
    }


def _answer(stored: Stored) -> Ingested:
    return Ingested(
        stored.memory, created=False, changed=stored.reinforced, proposal=stored.proposal, forgotten=stored.forgotten
    )


def _not_to_be_revised(
    others: Sequence[Memory], report: ObservationReport, trust: Trust, *, unsure: bool
) -> Memory | None:
    """The first memory with another object that this observation may not replace or contest without a person.

    `unsure`: it asks for a second look, or resembles what was dismissed.
    """
    if report.revision_policy == "fork":
        return None
    return next((memory for memory in others if unsure or not revisions.is_own(memory, trust)), None)


def _propose(
    memory: Memory, report: ObservationReport, statement: Statement, *, trust: Trust, at: datetime
) -> Ingested:
    needed = max(memory.sensitivity, statement.at_least(Sensitivity.PUBLIC))
    evidence = [{"source_type": "observation", "source_id": statement.source}]  # said again, it is the same proposal
    new = replace(statement, payload={**statement.payload, "evidence": evidence}).as_new_memory(needed)
    why = f"{report.source} observed another {report.predicate}"
    proposal = Proposal.objects.propose(
        Proposal.Kind.REVISION,
        memory,
        {"verb": VERB[report.revision_policy], "memory": new, "rationale": why[:2000]},
        by=trust.actor,
        why=why,
        at=at,
        sensitivity=needed,
    )
    if not trust.sees(scope=memory.scope, sensitivity=memory.sensitivity):
        return Ingested(None, created=False)
    return Ingested(memory, created=False, proposal=None if proposal.is_rejected else proposal.pk)


def _revise(others: Sequence[Memory], memory: Memory, report: ObservationReport, *, trust: Trust, at: datetime) -> None:
    why = f"{report.source} observed {memory.content}"[:2000]
    for old in others:
        if report.revision_policy == "fork":
            revisions.fork(old, memory, by=trust.actor, why=why, at=at)
        elif report.revision_policy == "contest":
            revisions.contest(old, memory, by=trust.actor, why=why, at=at)
        else:
            revisions.supersede(old, memory, by=trust.actor, why=why, at=at)
