"""Many decisions as one batch: each verb writes all or nothing, so that one that fails keeps no other from it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from memories.models import Memory, claim_locks
from memories.models.memory import MemoryQuerySet
from memories.values.choices import Permission, Type
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.values.trust import Trust
from memos_site.review import waiting
from memos_site.review.decide import VERBS, Verdict, along, carry_out, unexplained

CHUNK = 500  # decisions in one transaction, for which stores into their scopes wait
MOST_AT_ONCE = 5_000
CODES: dict[type[Exception], str] = {
    **{Conflict: "conflict", NotFound: "not_found", Invalid: "invalid", NotAllowed: "not_allowed"},
}
EXACT = ("type", "status", "category", "source", "origin", "company_id", "scope", "thread_id")
NARROWING = ("kind", "q", "flag", "tag", "min_confidence")


@dataclass
class Many:
    """One batch, by which all of it is undone; `failed` names each that was not done, and why; `equals` what was
    dismissed along because it claims the same."""

    batch: UUID
    done: list[UUID] = field(default_factory=list)
    equals: list[UUID] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)


def by_ids(
    trust: Trust,
    ids: Collection[UUID],
    verb: str,
    *,
    at: datetime,
    why: str = "",
    seen: Mapping[UUID, str] | None = None,
    **how: Any,
) -> Many:
    """The verb on each of these. `seen` and `how` as in `decide`. NotAllowed; Invalid: too many, or an unknown verb.

    The locks of all their scopes come before any row's and rows are taken in one order: of two who decide about the
    same ones at once, one waits for the other and is told.
    """
    if not trust.may(Permission.REVIEW):
        raise NotAllowed("deciding needs the permission review")
    if verb not in VERBS:
        raise Invalid(FieldError("/action", "unknown_value", f"must be one of {', '.join(VERBS)}"))
    if verb == "dismiss" and not why.strip():
        raise Invalid(unexplained())
    wanted = sorted(set(ids))
    if len(wanted) > MOST_AT_ONCE:
        detail = f"{len(wanted):,} at once; no more than {MOST_AT_ONCE:,} are taken"
        raise Invalid(FieldError("/ids", "too_many", detail))
    many = Many(batch=uuid7())
    verdict = Verdict(verb, trust, at, many.batch, why.strip(), **how)
    scopes = _rows(trust).filter(pk__in=wanted).values_list("scope", flat=True).distinct()
    for start in range(0, len(wanted), CHUNK):
        part = wanted[start : start + CHUNK]
        with transaction.atomic():
            claim_locks.to_decide(*scopes)
            held = _locked(trust, part)
            for memory_id in part:
                _decide(trust, memory_id, held.get(memory_id), verdict, (seen or {}).get(memory_id, ""), many)
    many.equals = along(verdict, wanted)
    return many


def _decide(trust: Trust, memory_id: UUID, memory: Memory | None, verdict: Verdict, seen: str, many: Many) -> None:
    try:
        _one(trust, memory, verdict, seen)
        many.done.append(memory_id)
    except tuple(CODES) as refusal:
        many.failed.append({"id": str(memory_id), "code": CODES[_kind(refusal)], "detail": str(refusal)})


def by_filter(trust: Trust, asked: Mapping[str, Any], as_of: datetime, verb: str, *, at: datetime, **how: Any) -> Many:
    """The verb on what `matching` finds now of what the caller may have seen then."""
    return by_ids(trust, ids_matching(trust, asked, as_of, at=at), verb, at=at, **how)


def ids_matching(trust: Trust, asked: Mapping[str, Any], as_of: datetime, *, at: datetime) -> list[UUID]:
    """Of the rows that `matching` finds now those that had not changed since then. Invalid: too many."""
    rows = matching(trust, asked, at=at).filter(created_at__lte=as_of, updated_at__lte=as_of)
    ids = list(rows.order_by().values_list("pk", flat=True)[: MOST_AT_ONCE + 1])
    if len(ids) > MOST_AT_ONCE:
        raise Invalid(FieldError("/filter", "too_many", f"matches more than {MOST_AT_ONCE:,}: narrow it"))
    return ids


def matching(trust: Trust, asked: Mapping[str, Any], *, at: datetime) -> MemoryQuerySet:
    """With a `status` (one or several) what a list of memories shows, without one what waits in the inbox.

    `asked`: exact values of columns, `kind`, `q` and `flag` as in the inbox, `tag` and `min_confidence`. Invalid: any
    other, for what is asked and not understood must not widen what is decided.
    """
    asked = {name: value for name, value in asked.items() if value not in (None, "")}
    for name in asked.keys() - {*EXACT, *NARROWING}:
        raise Invalid(FieldError(f"/filter/{name}", "unknown_field", "is not known"))
    columns = {name: asked[name] for name in EXACT if name in asked}
    if "status" in columns:
        statuses = columns.pop("status")
        rows = Memory.objects.visible_to(trust).unexpired(at)
        rows = rows.filter(status__in=[statuses] if isinstance(statuses, str) else statuses)
        rows = rows if "type" in columns else rows.knowledge()
        rows = waiting.narrowed(rows, asked)
    else:
        rows = waiting.waiting(trust, at=at, **{name: asked.get(name, "") for name in ("kind", "q", "flag")})
    if "tag" in asked:
        rows = rows.filter(tags__contains=[asked["tag"]])
    if "min_confidence" in asked:
        rows = rows.filter(confidence__gte=asked["min_confidence"])
    return rows.filter(**columns)


def _rows(trust: Trust) -> MemoryQuerySet:
    return Memory.objects.visible_to(trust)


def _locked(trust: Trust, ids: Collection[UUID]) -> dict[UUID, Memory]:
    """Those that there are, held for the transaction, in the order of their ids."""
    rows = _rows(trust).select_for_update(of=("self",)).select_related("skill").prefetch_related("skill__versions")
    return {row.pk: row for row in rows.filter(pk__in=ids).order_by("pk")}


def _one(trust: Trust, memory: Memory | None, verdict: Verdict, seen: str) -> None:
    if memory is None:
        raise NotFound("there is nothing here, or nothing that you may see")
    trust.scope_to_write(memory.scope)
    if verdict.verb == "dismiss" and memory.type == Type.COMPETENCE and memory.status in waiting.HELD:
        raise Conflict(f"this skill is {memory.status}: take it from the agents by itself, not among others")
    carry_out(memory, verdict, seen=seen)


def _kind(refusal: Exception) -> type[Exception]:
    return next(kind for kind in CODES if isinstance(refusal, kind))
