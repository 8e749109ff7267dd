"""GET episodes: the list, newest first. GET episodes/{id}/events: the events of one episode."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories import models, scanning
from memories.api import paging
from memories.api.base import ApiView
from memories.api.memory_shape import Memory, memory_example
from memories.api.openapi import operation
from memories.api.paging import PAGING, query, some_of
from memories.api.shapes import EXAMPLE_ID, EXAMPLE_TIME, Json, Page, Shape, page_example
from memories.models.episode import UNKNOWN, VERDICTS, EventQuerySet
from memories.models.passage import with_words
from memories.values import roles, text
from memories.values.choices import Outcome, Permission, Type
from memories.values.exceptions import NotFound

OUTCOMES = [*Outcome.values, UNKNOWN]
EXACT = ("scope", "source", "thread_id")


class EpisodePage(Page):
    results: list[Memory]
    """Episodes without their timelines; `event_count` says how many events each has"""


class Event(Shape):
    id: UUID
    position: Annotated[int, Field(ge=1)]
    node_id: str
    """The server's id of the event, unique in its episode; `depends_on` refers to it"""
    at: datetime
    kind: str
    role: str
    actor: str
    ref: str
    """The caller's id of the event; need not be unique"""
    text: str
    summary: str
    tool: str
    args: Any
    result: Any
    ok: bool | None
    latency_ms: float | None
    depends_on: list[str]
    context: dict[str, Any]
    flags: list[str]

    example = {
        "id": EXAMPLE_ID,
        "position": 1,
        "node_id": "0198c2f0-1",
        "at": EXAMPLE_TIME,
        "kind": "tool_call",
        "role": "",
        "actor": "refund-agent",
        "ref": "",
        "text": "",
        "summary": "",
        "tool": "get_order",
        "args": {"order_id": "order-7"},
        "result": {"payment_id": "pay-7", "state": "delivered"},
        "ok": True,
        "latency_ms": 41.5,
        "depends_on": [],
        "context": {},
        "flags": [],
    }

    @classmethod
    def of(cls, row: models.Event) -> Json:
        return cls.from_row(row, text=row.words, flags=flags_of(row))


def flags_of(row: models.Event) -> list[str]:
    """With the mark of an order to a model, unless a system's message is one by nature."""
    if roles.of(row.role) == roles.SYSTEM:
        return list(row.flags)
    return scanning.as_shown(row.flags, row.words, row.summary, *text.strings([row.args, row.result, row.context]))


class EventPage(Page):
    results: list[Event]


class Episodes(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"outcome", "verdict", "open", "q", "tag", *EXACT}) | PAGING

    @operation(
        "ListEpisodes",
        "Memories",
        EpisodePage,
        example=page_example(memory_example("episodic")),
        parameters=(
            some_of(
                "outcome", OUTCOMES, ("Only episodes with this outcome; `unknown`: nobody has said how they ended.")
            ),
            some_of(
                "verdict",
                VERDICTS,
                "Risk of failure, computed from similar runs: `high` means that the run has probably failed.",
            ),
            query("open", paging.BOOLEAN, "Only open episodes, which still take events, or only closed ones."),
            query("source", {"type": "string"}, "Only of exactly this source."),
            query("q", {"type": "string"}, "Only episodes with these words in their events or titles."),
        ),
    )
    def get(self, request: Request) -> Response:
        """Episodes, filtered, newest first

        An episode is a memory; its id leads to its events. To search within events, use POST search.
        """
        at = paging.moment(request)
        rows = models.Memory.objects.visible_to(self.trust).unexpired(timezone.now()).filter(type=Type.EPISODIC)
        rows = rows.filter(**paging.exact(request, *EXACT))
        if (is_open := paging.boolean(request, "open")) is not None:
            rows = rows.filter(episode__closed_at__isnull=is_open)
        if outcomes := paging.choice(request, "outcome", OUTCOMES):
            rows = rows.filter(episode__in=models.Episode.objects.ended(outcomes))
        if verdicts := paging.choice(request, "verdict", VERDICTS):
            rows = rows.filter(episode__verdict__in=verdicts)
        for tag in request.query_params.getlist("tag"):
            rows = rows.filter(tags__contains=[tag])
        if words := request.query_params.get("q", "").strip():
            rows = with_words(rows, words)
        rows = rows.select_related("episode").with_salience(at)
        return paging.answer(request, rows, ("-created_at", "-id"), show=lambda row: Memory.of(row, at=at), at=at)


class EpisodeEvents(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = PAGING

    @operation("ListEpisodeEvents", "Memories", EventPage, refuses=(404,))
    def get(self, request: Request, memory_id: UUID) -> Response:
        """Everything that happened in an episode

        Oldest first. An episode's id is the id of its memory. Empty once `transcript_removed_at` is set.
        """
        at = timezone.now()
        episodes = models.Memory.objects.visible_to(self.trust).unexpired(at).filter(type=Type.EPISODIC)
        if not episodes.filter(pk=memory_id).exists():
            raise NotFound
        return paging.answer(request, events_of(memory_id), ("position",), show=Event.of, at=at)


def events_of(memory_id: UUID) -> EventQuerySet:
    return models.Event.objects.filter(episode=memory_id).select_related("instruction").order_by("position")
