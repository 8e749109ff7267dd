"""GET outcomes/queue: runs to judge. POST episodes/{id}/outcome: a person's word on how one ended."""

from typing import Annotated, Literal
from uuid import UUID

from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories import models
from memories.api import paging
from memories.api.base import ApiView, WriteView
from memories.api.memory_shape import Memory, memory_example
from memories.api.openapi import operation
from memories.api.paging import query
from memories.api.shapes import EXAMPLE_ID, RequestBody, Shape
from memories.intake import episodes
from memories.models.episode import UNKNOWN
from memories.values.choices import Outcome, Permission, Type
from memories.values.exceptions import one_of
from memos_site.review import judging

MOST = 100
LIMIT = query("limit", {"type": "integer", "minimum": 1, "maximum": MOST, "default": 20}, "Maximum number of runs.")
REFUSES = (404,)


class Judgement(RequestBody):
    outcome: Literal["success", "failure", "partial", "unknown"]
    """`unknown`: a person looked and cannot tell; it counts nothing and leaves the queue"""
    note: Annotated[str, Field(max_length=2_000)] = ""


class Judged(Memory):
    """The episode after the judgement, and the batch with which it can be undone; null where it changed nothing."""

    batch: UUID | None

    example = {**memory_example("episodic"), "batch": EXAMPLE_ID}


class Queue(Shape):
    results: list[Memory]
    waiting: Annotated[int, Field(ge=0)]
    """How many runs wait, counted up to 1,000"""

    example = {"results": [memory_example("episodic")], "waiting": 1}


class ToJudge(ApiView):
    needs = {"GET": (Permission.REVIEW,)}
    filters = frozenset({"limit"})

    @operation("ListRunsToJudge", "Decisions", Queue, parameters=(LIMIT,))
    def get(self, request: Request) -> Response:
        """Runs to judge

        Lists closed episodes of more than one event that no person has judged and that have no outcome that counts in
        learning, or whose verdict contradicts it (`high` risk but reported success, `low` risk but reported failure).
        Most useful to label first: the most uncertain ones, of the scopes with most runs.
        """
        at, limit = timezone.now(), paging.number(request, "limit", default=20, least=1, most=MOST)
        rows = judging.to_judge(self.trust, most=limit)
        memories = [Memory.of(episode.memory, at=at) for episode in rows]
        return Response({"results": memories, "waiting": judging.judging_count(self.trust, most=1_000)})


class Judge(WriteView):
    needs = {"POST": (Permission.REVIEW,)}

    @operation("JudgeEpisode", "Decisions", Judged, takes=Judgement, example={"outcome": "success"}, refuses=REFUSES)
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Say how an episode ended, as a person

        It overrides what the agent, checks, the user or a model say, now and later; the next consolidation updates
        the counts. To undo it: POST audit/{batch}/undo.
        """
        at, body = timezone.now(), self.body(Judgement)
        rows = models.Memory.objects.visible_to(self.trust).unexpired(at).filter(type=Type.EPISODIC)
        memory = one_of(rows.filter(pk=memory_id).select_related("episode"))
        outcome = None if body.outcome == UNKNOWN else Outcome(body.outcome)
        batch = episodes.judge(memory.episode, outcome, trust=self.trust, at=at, note=body.note)
        return Response({**Memory.of_id(memory_id, at=at), "batch": batch})
