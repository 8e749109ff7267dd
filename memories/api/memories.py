"""Reading memories: a list with filters, one by its id, an episode's events."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import lists, operations, representations
from memories.api.base import ApiView
from memories.api.claims import STORE, Storing
from memories.api.described import described
from memories.api.editing import Editing
from memories.api.forgetting import FORGET, Forgetting, ForgettingByKey
from memories.api.lists import PAGING
from memories.api.operations_of_claims import GET_MEMORY_BY_KEY, STORE_MEMORY
from memories.api.operations_of_forgetting import FORGET_MEMORY, FORGET_MEMORY_BY_KEY
from memories.api.parameters import ORDERINGS, OTHER_NAMES
from memories.api.trails import INCLUDED
from memories.models import Event, Memory
from memories.models.episode import EventQuerySet
from memories.models.memory import MemoryQuerySet
from memories.models.passage import saying
from memories.values.choices import ActorKind, Category, Origin, Permission, Status, Type
from memories.values.exceptions import FieldError, Invalid, NotFound
from memories.values.keyset import Order
from memories.values.trust import Trust

READ: dict[str, tuple[Permission, ...]] = {"GET": (Permission.READ,)}
CHOICES = {"status": Status.values, "category": Category.values, "origin": Origin.values}
MOST_STUBS = 50
EXACT = ("source", "company_id", "scope", "thread_id")
NUMBERS = ("min_confidence", "min_salience")
EVERY_FILTER = ("type", *CHOICES, *EXACT, *NUMBERS, "q", "stale")
COLUMN = {"salience": "salience_now", "key": "key_or_blank"}


@described(operations.LIST_MEMORIES, STORE_MEMORY)
class Memories(Storing):
    needs = {**READ, **STORE}
    filters = frozenset({*EVERY_FILTER, "tag", "ordering", "include_redacted"}) | PAGING

    def get(self, request: Request) -> Response:
        at = lists.moment(request)
        rows = _filtered(request, Memory.objects.visible_to(self.trust), at=timezone.now())
        stubs = self._stubs(request, at=at) if lists.flag(request, "include_redacted") else []
        few = "company_id" in request.query_params or "source" in request.query_params
        return lists.answer(
            request,
            rows.select_related("episode", "performance").with_salience(at).with_key(),
            _order(request, best_first=few),
            show=lambda row: representations.memory(row, at=at),
            at=at,
            default=10 if few else 50,
            after=stubs,
            use=self._count_use if few and self.trust.actor.kind == ActorKind.AGENT else None,
        )

    @staticmethod
    def _count_use(rows: Sequence[Memory]) -> None:
        """What an agent asks of one source or company, it uses."""
        Memory.objects.filter(pk__in=[row.pk for row in rows]).count_use(at=timezone.now())

    def _stubs(self, request: Request, *, at: datetime) -> list[dict[str, Any]]:
        """What lies exactly one level above the caller: that it is there, never what it says; newest first."""
        current = Memory.objects.just_above(self.trust).current(timezone.now())
        rows = _filtered(request, current, at=timezone.now(), names=("scope",))
        return [representations.stub(row, at=at) for row in rows.order_by("-created_at", "-pk")[:MOST_STUBS]]


@described(operations.GET_MEMORY, operations.EDIT_MEMORY, FORGET_MEMORY)
class OneMemory(Editing, Forgetting):
    needs = {**READ, **FORGET, "PATCH": (Permission.INGEST, Permission.REVIEW)}
    filters = frozenset({"include"})

    def get(self, request: Request, memory_id: UUID) -> Response:
        at = timezone.now()
        rows = Memory.objects.visible_to(self.trust).unexpired(at)
        row = rows.select_related("episode", "performance").filter(pk=memory_id).first()
        if row is None:
            raise NotFound
        return _whole(request, row, self.trust, at=at)


@described(GET_MEMORY_BY_KEY, FORGET_MEMORY_BY_KEY)
class OneByKey(ForgettingByKey):
    needs = {**READ, **FORGET}
    filters = frozenset({"scope", "include"})

    def get(self, request: Request, key: str) -> Response:
        at, scope = timezone.now(), self.trust.scope_to_read(request.query_params.get("scope"))
        rows = Memory.objects.visible_to(self.trust).unexpired(at).keyed(key, scope=scope)
        row = rows.select_related("episode", "performance").first()
        if row is None:
            raise NotFound
        return _whole(request, row, self.trust, at=at)


@described(operations.LIST_EPISODE_EVENTS)
class EpisodeEvents(ApiView):
    needs = READ
    filters = PAGING

    def get(self, request: Request, memory_id: UUID) -> Response:
        at = timezone.now()
        episodes = Memory.objects.visible_to(self.trust).unexpired(at).filter(type=Type.EPISODIC)
        if not episodes.filter(pk=memory_id).exists():
            raise NotFound
        rows = _events(memory_id)
        return lists.answer(request, rows, ("position",), show=representations.event, at=at)


@described(operations.GET_ME)
class Me(ApiView):
    def get(self, request: Request) -> Response:
        expires_at = getattr(request.user, "expires_at", None)
        return Response(representations.caller(self.trust, expires_at=expires_at))


def _whole(request: Request, row: Memory, trust: Trust, *, at: datetime) -> Response:
    """One memory with what `include` asks for. An agent that reads it uses it, a person does not."""
    events = list(_events(row.pk)[: representations.TIMELINE_AT_MOST]) if row.type == Type.EPISODIC else None
    if trust.actor.kind == ActorKind.AGENT:
        Memory.objects.filter(pk=row.pk).count_use(at=at)
    shown = representations.memory(row, at=at, events=events)
    for name in lists.choice(request, "include", list(INCLUDED)):
        shown[name] = INCLUDED[name](row.pk, trust)
    return Response(shown, headers={"ETag": f'"{row.version}"'})


def _events(memory_id: UUID) -> EventQuerySet:
    return Event.objects.filter(episode=memory_id).select_related("instruction").order_by("position")


def _filtered(
    request: Request,
    rows: MemoryQuerySet,
    *,
    at: datetime,
    names: Collection[str] = EVERY_FILTER,
) -> MemoryQuerySet:
    """By the query string; `names` are the columns that may be asked for, beside the type."""
    rows = _of_types(request, rows)
    for name, allowed in CHOICES.items():
        if name in names and (values := lists.choice(request, name, allowed)):
            rows = rows.filter(**{f"{name}__in": values})
    for name in EXACT:
        if name in names and name in request.query_params:
            rows = rows.filter(**{name: request.query_params[name]})
    for tag in request.query_params.getlist("tag"):
        rows = rows.filter(tags__contains=[tag])
    if "min_confidence" in names and "min_confidence" in request.query_params:
        rows = rows.filter(confidence__gte=lists.number(request, "min_confidence", default=0, least=0, most=100))
    if "min_salience" in names and "min_salience" in request.query_params:
        rows = rows.with_salience(at).filter(salience_now__gte=lists.share(request, "min_salience"))
    if "stale" in names and lists.flag(request, "stale"):
        rows = rows.idle(at)
    if "q" in names and (words := request.query_params.get("q", "").strip()):
        rows = saying(rows, words)
    return rows.unexpired(at) if "status" in request.query_params else rows.current(at)


def _of_types(request: Request, rows: MemoryQuerySet) -> MemoryQuerySet:
    """Of the types that are named, else everything but episodes."""
    types = lists.choice(request, "type", Type.values, OTHER_NAMES["type"])
    return rows.filter(type__in=types) if types else rows.knowledge()


def _order(request: Request, *, best_first: bool) -> Order:
    """The ordering asked for (a - in front: descending), made unique by the id; default newest first."""
    asked = request.query_params.get("ordering")
    if asked is None:
        return ("-confidence", "-created_at", "-id") if best_first else ("-created_at", "-id")
    name, sign = asked.removeprefix("-"), "-" if asked.startswith("-") else ""
    if name not in ORDERINGS:
        raise Invalid(FieldError("/ordering", "unknown_value", f"must be one of {', '.join(ORDERINGS)}, or - and one"))
    return (f"{sign}{COLUMN.get(name, name)}", f"{sign}id")
