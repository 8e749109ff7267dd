"""Decide about many memories as one batch: each completely or not at all; one failure does not stop the others."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import OuterRef, Subquery
from uuid_utils.compat import uuid7

from memories import claims
from memories.intake.claims import alike_and_equal
from memories.models import Memory, Proposal, claim_locks
from memories.models.locked_rows import ClaimOf, LockedRows
from memories.models.memory import MemoryQuerySet
from memories.values.choices import Permission, Type
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.values.trust import Trust
from memos_site.review import waiting
from memos_site.review.decide import apply_decision, equals_dismissed_with, missing_reason, unknown_verb
from memos_site.review.decide_rows import decide_among, version_token
from memos_site.review.verbs import VERBS, Decision
from skills.models import SkillVersion

CHUNK = 500  # decisions in one transaction; stores into their scopes wait for it
MOST_AT_ONCE = 5_000
MOST_REMEMBERED = 10_000  # claims, of some 5 KB each
CODES: dict[type[Exception], str] = {
    **{Conflict: "conflict", NotFound: "not_found", Invalid: "invalid", NotAllowed: "not_allowed"},
}
COLUMN_FILTERS = ("type", "status", "category", "source", "origin", "company_id", "scope", "thread_id", "created_by")
NUMBER_PROPOSED = Subquery(  # of a skill's memory
    SkillVersion.objects.filter(skill=OuterRef("pk"), status=SkillVersion.Status.PROPOSED)
    .order_by("-number")
    .values("number")[:1]
)
OTHER_FILTERS = ("kind", "q", "flag", "tag", "min_confidence")


@dataclass
class Bulk:
    """Result of a bulk decision.

    `batch`: the id by which all of it is undone; `done`: memories and proposals decided; `equals`: memories dismissed
    along because they claim the same; `failed`: id, code and detail of each that was not decided.
    """

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
    tokens: Mapping[UUID, str] | None = None,
    **options: Any,
) -> Bulk:
    """Apply the verb to each memory, and to each proposal what it means there (`decide_rows.AMONG_MEMORIES`).

    `tokens` (id -> version token) and `options` as in `decide`. NotAllowed: no permission to review. Invalid: too many
    memories, an unknown verb, no reason.

    The locks of all scopes are taken before row locks, and rows in one order: of two concurrent callers one waits for
    the other and gets a Conflict for each row.
    """
    row_ids = sorted(set(ids))
    check_order(trust, verb, why, len(row_ids), most=MOST_AT_ONCE)
    result = Bulk(batch=uuid7())
    decision = Decision(verb, trust, at, result.batch, why.strip(), options)
    scopes, claim_of = scopes_of(trust, row_ids), claim_reader()
    for start in range(0, len(row_ids), CHUNK):
        part = {memory_id: (tokens or {}).get(memory_id, "") for memory_id in row_ids[start : start + CHUNK]}
        with transaction.atomic():
            decide_part(decision, part, scopes, result, claim_of)
    result.equals = equals_dismissed_with(decision, row_ids)
    return result


def check_order(trust: Trust, verb: str, why: str, number: int, *, most: int) -> None:
    """Check what applies to the whole order. NotAllowed and Invalid as in `by_ids`, too many: more than `most`."""
    trust.require(Permission.REVIEW, "deciding needs the permission review")
    if verb not in VERBS:
        raise Invalid(unknown_verb())
    if VERBS[verb].needs_reason and not why.strip():
        raise Invalid(missing_reason())
    if number > most:
        raise Invalid(FieldError("/ids", "too_many", f"{number:,} at once; no more than {most:,} are taken"))


def scopes_of(trust: Trust, ids: Collection[UUID]) -> list[str]:
    """Return the scopes of these memories and proposals, whose locks a decision about them takes."""
    rows = (_rows(trust), Proposal.objects.visible_to(trust))
    memories, proposals = (row.filter(pk__in=ids).order_by().values_list("scope", flat=True) for row in rows)
    return list(memories.union(proposals))


def claim_reader() -> ClaimOf:
    """Return a cached `claims.claim_of` for the parts of one order, which compare the same rows repeatedly."""
    return lru_cache(MOST_REMEMBERED)(claims.claim_of)


def decide_part(
    decision: Decision, part: Mapping[UUID, str], scopes: Collection[str], result: Bulk, claim_of: ClaimOf
) -> None:
    """Apply the decision to each of `part` (id -> version token, in the order of the ids) within a transaction.

    Proposals come last, when the memories that they are about stand as they were decided.
    """
    claim_locks.to_decide(*scopes)
    try:
        with transaction.atomic():
            decided = _decide_rows(decision, part, claim_of, together=True)
    except IntegrityError:  # another live memory holds a key of one of them; decided one by one, only that one fails
        decided = _decide_rows(decision, part, claim_of, together=False)
    result.done += decided.done
    result.failed += decided.failed


def _decide_rows(decision: Decision, part: Mapping[UUID, str], claim_of: ClaimOf, *, together: bool) -> Bulk:
    result = Bulk(decision.batch)
    memories = _lock_memories(decision.trust, part)
    other_ids = part.keys() - memories.keys()
    proposals = Proposal.objects.visible_to(decision.trust).in_bulk(other_ids) if other_ids else {}
    locked_rows = _lock_rows(decision, memories, claim_of=claim_of, together=together)
    for memory_id, token in part.items():
        if memory_id not in proposals:
            _decide(memory_id, memories.get(memory_id), decision, token, result)
    locked_rows.follow(by=decision.by, at=decision.at)
    for proposal_id in sorted(proposals):
        _decide(proposal_id, proposals[proposal_id], decision, part[proposal_id], result)
    return result


def _lock_rows(decision: Decision, memories: dict[UUID, Memory], *, claim_of: ClaimOf, together: bool) -> LockedRows:
    """Hold the chosen rows, and where they are dismissed, those that may claim the same."""
    if decision.verb != "dismiss":
        return LockedRows(dict(memories), together=together)
    similar = alike_and_equal(memories.values(), claim_of)
    similar_ids = {pk for rows in similar.values() for pk in rows.here} - memories.keys()
    rows = memories | (_lock_memories(decision.trust, similar_ids) if similar_ids else {})
    return LockedRows(rows, similar, claim_of=claim_of, together=together)


def _decide(row_id: UUID, row: Memory | Proposal | None, decision: Decision, token: str, result: Bulk) -> None:
    try:
        if isinstance(row, Proposal):
            decide_among(decision, row, token)
        else:
            _decide_one(decision.trust, row, decision, token)
        result.done.append(row_id)
    except tuple(CODES) as refusal:
        result.failed.append({"id": str(row_id), "code": CODES[_code_class(refusal)], "detail": str(refusal)})


def by_filter(
    trust: Trust, filters: Mapping[str, Any], as_of: datetime, verb: str, *, at: datetime, **options: Any
) -> Bulk:
    """Apply the verb to the memories that match the filters now and have not changed since `as_of`."""
    return by_ids(trust, ids_matching(trust, filters, as_of, at=at), verb, at=at, **options)


def ids_matching(
    trust: Trust,
    filters: Mapping[str, Any],
    as_of: datetime,
    *,
    at: datetime,
    most: int | None = None,
    proposals: bool = False,
) -> list[UUID]:
    """Return the ids of memories that match the filters now and have not changed, nor slept, since `as_of`.

    `proposals`: those too that wait in the inbox within the filters. Invalid: more than `most`, by default
    MOST_AT_ONCE.
    """
    most, shown_at = most or MOST_AT_ONCE, min(as_of, at)  # what wakes in between nobody was shown
    rows = matching(trust, filters, at=shown_at).unexpired(at).filter(created_at__lte=as_of, updated_at__lte=as_of)
    ids = list(rows.order_by().values_list("pk", flat=True)[: most + 1])
    if proposals and filters.get("kind", "") in ("", *waiting.PROPOSALS):
        proposal_rows = waiting.open_proposals(trust, at=shown_at, **filters).filter(opened_at__lte=as_of)
        ids += proposal_rows.filter(memory__updated_at__lte=as_of).order_by().values_list("pk", flat=True)[: most + 1]
    if len(ids) > most:
        raise Invalid(FieldError("/filter", "too_many", f"matches more than {most:,}: narrow it"))
    return ids


def version_tokens(trust: Trust, ids: Collection[UUID]) -> dict[UUID, str]:
    """Return id -> `version_token` of the visible memories and proposals, as they stand now."""
    versions = _rows(trust).filter(pk__in=ids).order_by().values_list("pk", "version", NUMBER_PROPOSED)
    proposals = Proposal.objects.visible_to(trust).filter(pk__in=ids).select_related("memory")
    tokens = {pk: token_of(version, number) for pk, version, number in versions}
    return tokens | {row.pk: version_token(row) for row in proposals}


def token_of(version: int, proposed_number: int | None) -> str:
    """Return what `version_token` returns for a memory of this version, with the number of a proposed one."""
    return f"{version}.{proposed_number or ''}"


def matching(trust: Trust, filters: Mapping[str, Any], *, at: datetime) -> MemoryQuerySet:
    """Return the memories that match: with `status` (one or several) of a list, without it of the inbox.

    `filters`: exact values of columns, `kind`, `q` and `flag` as in the inbox, `tag`, `min_confidence`. Invalid: any
    other name, and `kind` of a list, because a filter that is ignored would widen what is decided.
    """
    filters = {name: value for name, value in filters.items() if value not in (None, "")}
    for name in filters.keys() - {*COLUMN_FILTERS, *OTHER_FILTERS}:
        raise Invalid(FieldError(f"/filter/{name}", "unknown_field", "is not known"))
    columns = {name: filters[name] for name in COLUMN_FILTERS if name in filters}
    if "status" in columns:
        if "kind" in filters:
            raise Invalid(FieldError("/filter/kind", "ambiguous", "is of the inbox: leave out status, or name a type"))
        statuses = columns.pop("status")
        rows = Memory.objects.visible_to(trust).unexpired(at)
        rows = rows.filter(status__in=[statuses] if isinstance(statuses, str) else statuses)
        rows = rows if "type" in columns else rows.knowledge()
        rows = waiting.filter_rows(rows, filters)
    else:
        rows = waiting.waiting_memories(trust, at=at, **{name: filters.get(name, "") for name in ("kind", "q", "flag")})
    if "tag" in filters:
        rows = rows.filter(tags__contains=[filters["tag"]])
    if "min_confidence" in filters:
        rows = rows.filter(confidence__gte=filters["min_confidence"])
    return rows.filter(**columns)


def _rows(trust: Trust) -> MemoryQuerySet:
    return Memory.objects.visible_to(trust)


def _lock_memories(trust: Trust, ids: Collection[UUID]) -> dict[UUID, Memory]:
    """Return the visible rows, locked for the transaction in the order of their ids."""
    rows = _rows(trust).select_for_update(of=("self",)).select_related("skill").prefetch_related("skill__versions")
    return {row.pk: row for row in rows.filter(pk__in=ids).order_by("pk")}


def _decide_one(trust: Trust, memory: Memory | None, decision: Decision, token: str) -> None:
    if memory is None:
        raise NotFound("there is nothing here, or nothing that you may see")
    trust.scope_to_write(memory.scope)
    if decision.verb == "dismiss" and memory.type == Type.COMPETENCE and memory.status in waiting.IN_FORCE:
        raise Conflict(f"this skill is {memory.status}: retire it separately")
    apply_decision(memory, decision, token=token)


def _code_class(refusal: Exception) -> type[Exception]:
    return next(kind for kind in CODES if isinstance(refusal, kind))
