"""Store observations (subject, predicate, object) that agents report."""

from datetime import datetime
from typing import Any

from memories.intake import triples
from memories.intake.claims import Occasion, Statement, Stored
from memories.intake.episodes.new_rows import Ingested
from memories.intake.reports import payloads
from memories.intake.reports.events import ObservationReport
from memories.intake.reports.payloads import key_of
from memories.intake.statements import ClaimWrite
from memories.intake.triples import Triple
from memories.values.choices import Origin, Sensitivity, Status, Type
from memories.values.field_errors import format_instant
from memories.values.field_types import LONGEST_TEXT
from memories.values.trust import Trust

CONFIDENCE = 70


def observation(report: ObservationReport, *, trust: Trust, at: datetime) -> Ingested:
    """Store a statement, or confirm the one that says the same; see `triples.store`.

    Confirmed at birth: a hint, listed as not reviewed.
    """
    return write_of(report, trust=trust, at=at).by_itself()


def write_of(report: ObservationReport, *, trust: Trust, at: datetime) -> ClaimWrite[Ingested]:
    """The same as a write that is still to be done; raises what is wrong with the report."""
    statement = _statement(report, trust=trust, at=at)
    triple = Triple(
        statement,
        Occasion.request(at=report.timestamp or at),
        why=f"{report.source} observed {statement.content}"[:2000],
        proposal_why=f"{report.source} observed another {report.predicate}",
        status=Status.CONFIRMED,
        inherits_policy=report.revision_policy is None,
    )

    def by_itself() -> Ingested:
        return _answer(triples.store(triple, trust=trust, at=at))

    return ClaimWrite(statement, [triple.occasion], {"status": triple.status}, by_itself, _answer, triple.stems)


def _answer(stored: Stored) -> Ingested:
    facts: dict[str, Any] = {"proposal": stored.proposal, "forgotten": stored.forgotten}
    return Ingested(stored.memory, created=stored.created, changed=stored.reinforced, **facts)


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
        "revision_policy": report.revision_policy or "replace",
    }
