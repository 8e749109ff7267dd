"""A claim that was not there yet: a candidate, which the ladder may promote at once by its confidence."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from memories import claims, indexing
from memories.intake.claims import occasions, promotion
from memories.intake.statements import Occasion, Statement, Stored
from memories.models import Evidence, Memory, Tombstone
from memories.values import decay
from memories.values.choices import Origin, Sensitivity, Status, Type
from memories.values.field_errors import format_instant
from memories.values.trust import Trust

RESEMBLES = "resembles one you dismissed"
PROVENANCE = {Origin.OBSERVED: "observation"}  # what a source is called where that is not how it came in


class Taken(Exception):
    """Another memory came to live under this key at the same moment: whoever writes meets that one now."""


def create(
    statement: Statement,
    founding: Sequence[Occasion],
    *,
    evidence: int,
    resembled: Tombstone | None,
    trust: Trust,
    at: datetime,
    **facts: Any,
) -> Memory:
    """`evidence`: the highest sensitivity of what speaks for it. `facts`: of a memory that a person vouches for."""
    memory = Memory(
        **_said(statement, at=at),
        status=facts.pop("status", Status.CANDIDATE),
        sensitivity=_sensitivity(statement, evidence),
        resembles=resembled.pk if resembled else None,
        created_by=trust.actor.name[:200],
        created_by_id=trust.actor.identity,
        created_at=at,
        updated_at=at,
        salience_at=at,
        **facts,
    )
    try:
        with transaction.atomic():
            memory.save(force_insert=True)
    except IntegrityError:
        raise Taken from None
    indexing.index_memories([memory])
    occasions.count(memory, founding, statement, kind=Evidence.Kind.CREATED, delta=0, trust=trust)
    memory.audit("create", by=trust.actor, at=at).save(force_insert=True)
    promotion.climb(memory, at=at)
    return memory


def begun(memory: Memory, resembled: Tombstone | None) -> Stored:
    return Stored(memory, created=True, notice=RESEMBLES if resembled else None)


def _said(statement: Statement, *, at: datetime) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "type": statement.type,
        "category": statement.category,
        "scope": statement.scope,
        "key": statement.key,
        "content": statement.content,
        "payload": statement.payload or _note(statement, at=at),
        "source": statement.source,
        "origin": statement.origin,
        "thread_id": statement.thread_id,
        "company_id": statement.company_id,
        "tags": list(statement.tags),
        "confidence": statement.confidence,
        "flags": statement.flags,
        "provenance": {"sources": [_source(statement, at=at)]},
    }
    if statement.deletion_policy:
        columns["deletion_policy"] = statement.deletion_policy
    if statement.expires_at:
        columns |= {"expires_at": statement.expires_at, "ttl": (statement.expires_at - at).total_seconds()}
    if statement.type == Type.SEMANTIC:
        columns |= {"fingerprint": claims.fingerprint(statement.claim, statement.scope), **decay.awake(at)}
        validity = statement.payload.get("validity", {})
        columns |= {"valid_from": _instant(validity.get("start")), "valid_to": _instant(validity.get("end"))}
    return columns


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _note(statement: Statement, *, at: datetime) -> dict[str, Any]:
    """A keyed note is a statement with only its words."""
    told = {"source_type": statement.origin.value, "source_id": statement.source, "timestamp": format_instant(at)}
    plain = {"validity": {"mode": "global"}, "evidence": [told], "revision_policy": "replace"}
    return {"kind": Type.SEMANTIC.value, **plain}


def _source(statement: Statement, *, at: datetime) -> dict[str, Any]:
    kind = PROVENANCE.get(statement.origin, statement.origin.value)
    said = {"kind": kind, "ref": statement.key, "created_by": statement.source}
    return {**said, "timestamp": format_instant(at)}


def _sensitivity(statement: Statement, evidence: int) -> int:
    said = statement.sensitivity
    default = Sensitivity.named(settings.DEFAULT_SENSITIVITY)
    return max(default if said is None else said, statement.at_least(evidence))
