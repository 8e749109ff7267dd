"""GET runs/backlog: what a language model has not read, its price, and the queue; POST orders, pauses and thins it."""

from datetime import datetime
from typing import Annotated, Literal

from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation import ordering
from consolidation.extraction.queue import Choice, QueueVerb
from consolidation.models import Run as RunRow
from memories.api import paging
from memories.api.base import WriteView
from memories.api.openapi import operation
from memories.api.paging import query, some_of
from memories.api.shapes import EXAMPLE_TIME, Count, RequestBody, Shape
from memories.models.episode import UNKNOWN
from memories.values.choices import Outcome, Permission

OUTCOMES = [*Outcome.values, UNKNOWN]
Limit = Annotated[int, Field(ge=1, le=10_000)]
OutcomeName = Literal["success", "failure", "partial", "unknown"]


class ReadingQueue(Shape):
    """Conversations that wait to be read by the language model, or are being read."""

    queued: Count
    running: Count
    paused: Count
    """Conversations that are paused until a person resumes them"""
    per_hour: float
    """Conversations read in the last hour, or since the order if that is more recent"""
    ends_at: datetime | None
    """When the queue will be empty at this rate; null where that is unknown"""
    cost: float | None


class Backlog(Shape):
    """Conversations that no language model has read, because none was set when they were closed, and the queue of those
    that are being read."""

    episodes: Count
    successes: Count
    """Unread conversations that ended in success"""
    tokens: Count
    """Tokens that the model would read to process these once"""
    tokens_out: Count
    measured: bool
    """True: measured on conversations that were read lately; false: estimated from their length"""
    cost: float | None
    """Cost by LLM_PRICES; null where LLM_PRICES is not set"""
    queue: ReadingQueue

    example = {
        "episodes": 120,
        "successes": 70,
        "tokens": 480_000,
        "tokens_out": 72_000,
        "measured": False,
        "cost": 0.18,
        "queue": {
            "queued": 40,
            "running": 1,
            "paused": 0,
            "per_hour": 12.5,
            "ends_at": EXAMPLE_TIME,
            "cost": 0.06,
        },
    }


class BacklogOrder(RequestBody):
    limit: Limit = 100
    """The most conversations to read, newest first"""
    outcome: list[OutcomeName] = []
    """Only conversations with this outcome; empty: all"""


class QueueDecision(RequestBody):
    """What to do with the queue. `thin` keeps the newest `limit` conversations with the outcome in it and takes the
    others out, unread. A conversation that is being read is finished."""

    verb: QueueVerb
    limit: Limit | None = None
    outcome: list[OutcomeName] = []


class QueueDecided(Shape):
    changed: Count
    """The number of changed runs"""

    example = {"changed": 40}


class QueuedBacklog(Shape):
    queued: Count

    example = {"queued": 100}


class RunBacklog(WriteView):
    needs = {"GET": (Permission.REVIEW,), "POST": (Permission.REVIEW,)}
    filters_by_method = {"GET": frozenset({"limit", "outcome"})}

    @operation(
        "GetBacklog",
        "Runs",
        Backlog,
        parameters=(
            query(
                "limit", {"type": "integer", "minimum": 1, "maximum": 10_000}, "Estimate only this many of the newest."
            ),
            some_of("outcome", OUTCOMES, "Estimate only conversations with this outcome."),
        ),
    )
    def get(self, request: Request) -> Response:
        """Conversations that no language model has read yet

        Counts conversations that were closed before a language model was set, estimates the cost of reading them
        once, and says how many are queued.
        """
        limit = paging.number(request, "limit", default=0, least=1, most=10_000)
        choice = Choice(tuple(paging.choice(request, "outcome", OUTCOMES)), limit)
        unread, waiting = ordering.unread(self.trust, choice, at=timezone.now())
        return Response(Backlog.from_row(unread, queue=ReadingQueue.from_row(waiting)))

    @operation("StartBacklog", "Runs", {202: QueuedBacklog}, takes=BacklogOrder, example={"limit": 100}, refuses=(409,))
    def write(self, request: Request) -> Response:
        """Let the language model read the backlog

        Queues one run per conversation. LLM_DAILY_TOKENS limits the tokens per day.
        """
        body = self.body(BacklogOrder)
        choice = Choice(tuple(body.outcome), body.limit)
        return Response({"queued": ordering.start_backlog(self.trust, choice, trigger=RunRow.Trigger.API)}, status=202)


class RunQueue(WriteView):
    needs = {"POST": (Permission.REVIEW,)}

    @operation(
        "DecideQueue", "Runs", {202: QueueDecided}, takes=QueueDecision, example={"verb": "pause"}, refuses=(409,)
    )
    def write(self, request: Request) -> Response:
        """Pause, resume or reduce the queue of conversations for the language model

        Does not affect new conversations: they are read as they come in.
        """
        body = self.body(QueueDecision)
        choice = Choice(tuple(body.outcome), body.limit or 0)
        return Response(
            {"changed": ordering.decide_queue(body.verb, self.trust, choice, at=timezone.now())}, status=202
        )
