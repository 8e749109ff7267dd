"""Observations: subject, predicate, object. The same again confirms; another object follows the revision policy."""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from uuid_utils.compat import uuid7

from memories import indexing, revision
from memories.choices import Category, Origin, Status, Type
from memories.ingestion.ingested import Ingested
from memories.ingestion.opening import sensitivity_of
from memories.models import Evidence, Memory, Proposal
from memories.reports import ObservationReport
from memories.trust import Trust

CONFIDENCE = 70
REINFORCEMENT = 15
LONGEST_STEM = 240


def observation(report: ObservationReport, *, trust: Trust, at: datetime) -> Ingested:
    """Stores a statement, or reinforces the one that says the same.

    Another object for the same subject and predicate: what is the caller's own is superseded, kept beside or contested,
    as the policy says; anything else is left as it is, and a revision is proposed (`Ingested.proposal`).
    """
    scope, source = trust.scope_to_write(report.scope), trust.source_to_write(report.source)
    stem = _stem(report)
    with transaction.atomic():
        _hold_statement(scope, stem)
        rows = Memory.objects.select_for_update().live().filter(scope=scope, key__startswith=f"{stem}#").order_by("pk")
        same = [row for row in rows if row.key == _key(report)]
        others = [row for row in rows if row.key != _key(report) and row.status != Status.CONTESTED]
        if same:
            return _reinforce(same[0], report, trust=trust, at=at)
        if report.revision_policy != "fork" and (foreign := _foreign(others, trust)):
            return _propose(foreign, report, trust=trust, at=at)
        memory = _store(report, scope, source, trust=trust, at=at)
        _revise(others, memory, report, trust=trust, at=at)
    return Ingested(memory, created=True)


def _hold_statement(scope: str, stem: str) -> None:
    """Two first observations at one moment find one row: whoever stores holds the lock of what it is about."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"memos:statement:{scope}/{stem}"])


def _stem(report: ObservationReport) -> str:
    stem = f"{report.subject}.{report.predicate}"
    return stem if len(stem) <= LONGEST_STEM else f"{stem[:200]}~{hashlib.sha256(stem.encode()).hexdigest()[:16]}"


def _key(report: ObservationReport) -> str:
    said = json.dumps(report.object, sort_keys=True, ensure_ascii=False)
    return f"{_stem(report)}#{hashlib.sha256(said.encode()).hexdigest()[:8]}"


def _content(report: ObservationReport) -> str:
    said = report.object if isinstance(report.object, str) else json.dumps(report.object, ensure_ascii=False)
    return f"{report.subject} {report.predicate}" + ("" if report.object is None else f" {said}")


def _payload(report: ObservationReport, *, at: datetime) -> dict[str, Any]:
    return {
        "kind": Type.SEMANTIC.value,
        "subject": report.subject,
        "predicate": report.predicate,
        "object": report.object,
        "validity": {"mode": "global"},
        "evidence": [{"source_type": "observation", "source_id": report.source, "timestamp": at.isoformat()}],
        "revision_policy": report.revision_policy,
    }


def _store(report: ObservationReport, scope: str, source: str, *, trust: Trust, at: datetime) -> Memory:
    memory = Memory(
        type=Type.SEMANTIC,
        category=Category.FACT,
        scope=scope,
        key=_key(report),
        content=_content(report),
        payload=_payload(report, at=report.timestamp or at),
        source=source,
        origin=Origin.OBSERVED,
        tags=report.tags,
        sensitivity=sensitivity_of(report.sensitivity),
        confidence=CONFIDENCE,
        status=Status.CONFIRMED,
        salience_at=at,
        created_by=trust.actor.name,
        created_by_id=trust.actor.identity,
        created_at=at,
        updated_at=at,
    )
    memory.save(force_insert=True)
    indexing.index_memories([memory])
    _witness(memory, report, Evidence.Kind.CREATED, trust=trust, at=at)
    memory.audit("create", by=trust.actor, at=at).save(force_insert=True)
    return memory


def _witness(memory: Memory, report: ObservationReport, kind: Evidence.Kind, *, trust: Trust, at: datetime) -> None:
    Evidence.objects.create(
        memory=memory,
        occasion=f"request:{uuid7()}",
        kind=kind,
        at=report.timestamp or at,
        delta=REINFORCEMENT if kind == Evidence.Kind.REINFORCED else 0,
        made_by=trust.actor.name,
        made_by_id=trust.actor.identity,
        snapshot=_content(report)[:2000],
    )


def _reinforce(memory: Memory, report: ObservationReport, *, trust: Trust, at: datetime) -> Ingested:
    if not trust.sees(scope=memory.scope, sensitivity=memory.sensitivity):
        return Ingested(None, created=False)
    before = {"confidence": memory.confidence}
    memory.confidence = min(100, memory.confidence + REINFORCEMENT)
    memory.times_confirmed += 1
    memory.tags = list(dict.fromkeys([*memory.tags, *report.tags]))[:100]
    memory.updated_at = memory.reinforced_at = at
    memory.save(update_fields=["confidence", "times_confirmed", "tags", "updated_at", "reinforced_at"])
    _witness(memory, report, Evidence.Kind.REINFORCED, trust=trust, at=at)
    entry = memory.audit("reinforce", by=trust.actor, at=at, before=before, after={"confidence": memory.confidence})
    entry.save(force_insert=True)
    return Ingested(memory, created=False, changed=True)


def _foreign(others: Sequence[Memory], trust: Trust) -> Memory | None:
    return next((memory for memory in others if not revision.is_own(memory, trust)), None)


def _propose(memory: Memory, report: ObservationReport, *, trust: Trust, at: datetime) -> Ingested:
    change = {"object": report.object, "content": _content(report), "policy": report.revision_policy}
    proposal = Proposal.objects.propose(
        Proposal.Kind.REVISION,
        memory,
        change,
        by=trust.actor,
        why=f"{report.source} observed another {report.predicate}",
        at=at,
        sensitivity=sensitivity_of(report.sensitivity),
    )
    if not trust.sees(scope=memory.scope, sensitivity=memory.sensitivity):
        return Ingested(None, created=False)
    return Ingested(memory, created=False, proposal=proposal.pk)


def _revise(others: Sequence[Memory], memory: Memory, report: ObservationReport, *, trust: Trust, at: datetime) -> None:
    why = f"{report.source} observed {_content(report)}"[:2000]
    for old in others:
        if report.revision_policy == "fork":
            revision.fork(old, memory, at=at)
        elif report.revision_policy == "contest":
            revision.contest(old, memory, by=trust.actor, why=why, at=at)
        else:
            revision.supersede(old, memory, by=trust.actor, why=why, at=at)
