"""GET memories: the list. POST memories: store an agent's claim. POST memories/teach: store a person's statement.
GET export: everything that the caller may see, as JSON lines, streamed.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db.models import Q
from django.http import StreamingHttpResponse
from django.utils import timezone
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from memories import models
from memories.api import paging
from memories.api.base import ApiView, FileNegotiation, WriteView
from memories.api.memory_shape import RELATED, Accepted, Memory, MemoryPage, Stub
from memories.api.openapi import Answers, operation
from memories.api.paging import ORDERINGS, OTHER_NAMES, PAGING
from memories.api.shapes import Json, Shape
from memories.intake import claims
from memories.intake.reports.claims import (
    CompetenceReport,
    NoteReport,
    PlanReport,
    TeachingReport,
    TripleReport,
    read,
    read_teaching,
)
from memories.models import former_state
from memories.models.as_of import AsOf
from memories.models.former_state import with_recorded
from memories.models.memory import MemoryQuerySet
from memories.models.passage import with_words
from memories.search.filters import shown_to
from memories.search.former_words import matching_at
from memories.transfer import exporting
from memories.values.choices import ActorKind, Category, Origin, Permission, Review, Status, Type
from memories.values.exceptions import FieldError, Invalid
from memories.values.keyset import Order

CHOICES = {"status": Status.values, "category": Category.values, "origin": Origin.values, "review": Review.values}
EXACT = ("source", "company_id", "scope", "thread_id")
NUMBERS = ("min_confidence", "min_salience")
EVERY_FILTER = ("type", *CHOICES, *EXACT, *NUMBERS, "q", "stale")
COLUMN = {"salience": "salience_order", "key": "key_or_blank"}
MOST_STUBS = 50
LINES = "application/x-ndjson"


class ClaimBody(RootModel[NoteReport | TripleReport | CompetenceReport | PlanReport]):
    """A keyed note, or with `type` a whole typed memory."""


class StoredClaim(Shape):
    memory: Memory | None
    """The stored memory; null where the claim was suppressed and its memory is forgotten or hidden from the caller"""
    created: bool
    reinforced: bool
    """True where the call counted as a confirmation"""
    suppressed: bool
    """True where people dismissed or forgot this claim: nothing was stored"""
    forgotten: bool
    """True where a person has forgotten the memory that suppresses this claim"""
    reset: bool
    """True where another claim replaced the old one: confidence and confirmations start again"""
    proposal: UUID | None
    """The change that was proposed to people instead of being made"""
    ignored_fields: list[str]
    """Fields of the request that an existing memory does not take over"""
    notice: str | None

    @classmethod
    def response(cls, result: claims.WriteResult, *, at: datetime) -> Response:
        """201 for a new claim, 202 for an accepted or proposed one, else 200."""
        if result.accepted:
            return Response(Accepted.answer, status=202)
        memory = Memory.of(result.memory, at=at) if result.memory else None
        status = 201 if result.created else 202 if result.proposal else 200
        return Response(cls.from_row(result, memory=memory), status=status)


class NotStored(RootModel[StoredClaim | Accepted]):
    """Nothing was changed: a change was proposed, or the write was accepted without more to say."""


STORED: Answers = {201: StoredClaim, 200: StoredClaim, 202: NotStored}


class Memories(WriteView):
    needs = {"GET": (Permission.READ,), "POST": (Permission.INGEST,)}
    filters = frozenset({*EVERY_FILTER, "tag", "ordering", "include_redacted", "as_of"}) | PAGING
    filters_by_method = {"POST": frozenset()}

    @operation("ListMemories", "Memories", MemoryPage)
    def get(self, request: Request) -> Response:
        """Memories, filtered and ordered

        Lists confirmed and applied memories that are valid now, unless `status` says otherwise; episodes only if
        `type` names them, and without their timeline. With `source` or `company_id`: most certain first, 10 a page,
        and counted as used when an agent asks; else newest first, 50 a page. With `as_of` every filter applies to the
        state at that time. Dismissed memories need the permission review (403). An agent does not see a shared memory
        that was dismissed in one of its scopes.
        """
        now = timezone.now()
        moment = paging.past_moment(request, self.trust, now=now)
        at = moment.at if moment else paging.moment(request)
        self.trust.check_statuses(paging.choice(request, "status", Status.values))
        rows = models.Memory.objects.offered_to(self.trust).as_of(moment)
        if not self.trust.may(Permission.REVIEW):
            rows = rows.filter(shown_to(self.trust).q())
        rows = with_recorded(_filter(request, rows, at=moment.at if moment else now, moment=moment), moment)
        best_first = "company_id" in request.query_params or "source" in request.query_params
        order = _order(request, best_first=best_first)
        rows = rows.select_related(*RELATED).with_salience(at).in_salience_order(at).with_key()
        return paging.answer(
            request,
            rows,
            order,
            parts=rows.parts_by_salience(at) if _by_salience(request, order) and not moment else None,
            show=lambda row: Memory.of(row, at=at, as_of=moment),
            at=at,
            default=10 if best_first else 50,
            after=self._stubs(request, moment, at=at) if paging.flag(request, "include_redacted") else [],
            use=self._count_use if best_first and not moment and self.trust.actor.kind == ActorKind.AGENT else None,
            restore=(lambda shown: former_state.restore(shown, at)) if moment else None,
        )

    @operation(
        "StoreMemory",
        "Memories",
        STORED,
        takes=ClaimBody,
        refuses=(404,),
        example={
            "key": "acme-terms",
            "category": "fact",
            "content": "Acme pays on net-30 terms",
            "source": "refund-agent",
            "scope": "project:shop",
            "thread_id": "ticket-812",
        },
    )
    def write(self, request: Request) -> Response:
        """Store a claim

        A claim with a new scope and key becomes a candidate (201). If a live memory has that key, the same claim or a
        rewording confirms it, once per episode and once a day per thread (200). A different claim replaces a
        candidate, whose confidence starts again (`reset`); if the memory is confirmed or a person decided it, a
        revision is proposed instead (202). A dismissed claim is suppressed (200). With `type` the body is a whole
        typed memory.
        """
        at = timezone.now()
        return StoredClaim.response(claims.store(read(request.data), trust=self.trust, at=at), at=at)

    @staticmethod
    def _count_use(rows: Sequence[models.Memory]) -> None:
        """Count a use of memories that an agent lists by source or company."""
        models.Memory.objects.count_use([row.pk for row in rows], at=timezone.now())

    def _stubs(self, request: Request, moment: AsOf | None, *, at: datetime) -> list[Json]:
        """Stubs of memories exactly one level above the caller, newest first."""
        above = replace(moment, max_sensitivity=moment.max_sensitivity + 1) if moment else None
        now = moment.at if moment else timezone.now()
        current = models.Memory.objects.just_above(self.trust).as_of(above).current(now)
        rows = _of_tags(request, _of_types(request, current)).filter(**paging.exact(request, "scope"))
        return [Stub.of(row, at=at) for row in rows.order_by("-created_at", "-pk")[:MOST_STUBS]]


class Teach(WriteView):
    needs = {"POST": (Permission.REVIEW,)}

    @operation(
        "TeachMemory",
        "Memories",
        STORED,
        takes=TeachingReport,
        refuses=(404, 409),
        example={"content": "Never send proposals on Fridays", "scope": "project:shop"},
    )
    def write(self, request: Request) -> Response:
        """Teach a memory as a person

        It is confirmed at once, and no rule lowers it or replaces its text. Category and key are detected unless you
        give them. If a similar or dismissed memory exists, the answer is 409 with `candidates` unless `resolve` says
        what to do: `update` the nearest (or `memory_id`), keep both as `separate`, or `restore` the dismissed one.
        """
        at = timezone.now()
        return StoredClaim.response(claims.teach(read_teaching(request.data), trust=self.trust, at=at), at=at)


class Export(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"scope"})
    content_negotiation_class = FileNegotiation

    @operation("ExportMemories", "Memories", {200: {"type": "string"}}, media_type=LINES)
    def get(self, request: Request) -> StreamingHttpResponse:
        """Everything that the caller may see, as JSON lines

        One memory, episode or relation a line, oldest first, in every status; `manage.py import_memories --from
        memos` imports them. `scope` limits it to one scope. Does not count as a use.
        """
        at, filters = timezone.now(), paging.exact(request, "scope")
        rows = models.Memory.objects.told_to(self.trust).unexpired(at)
        lines = exporting.lines(self.trust, at=at, rows=rows.filter(**filters))
        response = StreamingHttpResponse(lines, content_type=LINES)
        response["Content-Disposition"] = 'attachment; filename="memories.jsonl"'
        return response


def _filter(
    request: Request,
    rows: MemoryQuerySet,
    *,
    at: datetime,
    moment: AsOf | None = None,
) -> MemoryQuerySet:
    """Filter by the query string. `moment`: as of which `rows` are read."""
    rows = _of_types(request, rows)
    for name, vocabulary in CHOICES.items():
        if values := paging.choice(request, name, vocabulary):
            rows = rows.with_review() if name == "review" else rows
            rows = rows.filter(**{f"{name}__in": values})
    rows = _of_tags(request, rows.filter(**paging.exact(request, *EXACT)))
    rows = _of_numbers(request, rows, at=at)
    if paging.flag(request, "stale"):
        if moment:
            raise Invalid(FieldError("/stale", "not_kept", "is about today: of former uses there is no record"))
        rows = rows.idle(at)
    words = request.query_params.get("q", "").strip()
    if words and moment is None:
        rows = with_words(rows, words)
    statuses = paging.choice(request, "status", CHOICES["status"])  # a blank one names none
    rows = rows.unexpired(at) if statuses else rows.current(at)
    return matching_at(rows, words, moment) if words and moment else rows


def _of_numbers(request: Request, rows: MemoryQuerySet, *, at: datetime) -> MemoryQuerySet:
    """Filter by the least confidence and salience in the query string."""
    if "min_confidence" in request.query_params:
        rows = rows.filter(confidence__gte=paging.number(request, "min_confidence", default=0, least=0, most=100))
    if "min_salience" in request.query_params:
        least = Q(salience_now__gte=paging.share(request, "min_salience"))
        rows = rows.with_salience(at).filter(least)
    return rows


def _of_types(request: Request, rows: MemoryQuerySet) -> MemoryQuerySet:
    """Filter by the types in the query string, else everything but episodes."""
    types = paging.choice(request, "type", Type.values, OTHER_NAMES["type"])
    return rows.filter(type__in=types) if types else rows.knowledge()


def _of_tags(request: Request, rows: MemoryQuerySet) -> MemoryQuerySet:
    for tag in request.query_params.getlist("tag"):
        rows = rows.filter(tags__contains=[tag])
    return rows


def _by_salience(request: Request, order: Order) -> bool:
    """Whether the list is of knowledge only and ordered by salience: such lists have an index."""
    types = paging.choice(request, "type", Type.values, OTHER_NAMES["type"])
    return order[0].lstrip("-") == COLUMN["salience"] and Type.EPISODIC not in types


def _order(request: Request, *, best_first: bool) -> Order:
    """The `ordering` parameter (a leading - for descending), made unique by the id; default newest first."""
    ordering = request.query_params.get("ordering")
    if ordering is None:
        return ("-confidence", "-created_at", "-id") if best_first else ("-created_at", "-id")
    name, sign = ordering.removeprefix("-"), "-" if ordering.startswith("-") else ""
    if name not in ORDERINGS:
        raise Invalid(FieldError("/ordering", "unknown_value", f"must be one of {', '.join(ORDERINGS)}, or - and one"))
    return (f"{sign}{COLUMN.get(name, name)}", f"{sign}id")
