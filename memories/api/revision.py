"""Revision through the API: an agent revises its own, people with `review` anything, the rest is proposed (202)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django.utils import timezone
from pydantic import BaseModel
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import operations_of_revision as operations
from memories.api import problems, representations
from memories.api.base import WriteView
from memories.api.described import described
from memories.api.representations import NOTHING
from memories.intake import revisions
from memories.intake.reports import revisions as bodies
from memories.intake.revisions.revising import Change, Revised
from memories.models import Memory
from memories.values.choices import Permission


class Revising(WriteView):
    """POST memories/{id}/{verb}: the memory that came of it, with the batch by which it is undone."""

    needs = {"POST": (Permission.INGEST, Permission.REVIEW)}
    verb: ClassVar[str]
    shape: ClassVar[type[BaseModel]]
    makes = True

    def write(self, request: Request, memory_id: UUID | None = None) -> Response:
        body: Any = bodies.check(self.shape, request.data)
        change = Change(self.verb, body.rationale, getattr(body, "memory", None), getattr(body, "ref", None) or "")
        ids: Sequence[UUID] = body.ids if memory_id is None else [memory_id]
        at = timezone.now()
        revised = revisions.ask(change, ids, trust=self.trust, at=at)
        if revised.refused:
            return problems.problem(409, str(revised.refused), code=revised.refused.code, path=request.path)
        status, shown = _shown(revised, at=at)
        return Response(shown, status=201 if status == 200 and self.makes else status)


def _shown(revised: Revised, *, at: datetime) -> tuple[int, dict[str, Any]]:
    if revised.memory is None:
        return 202, NOTHING
    row = Memory.objects.select_related("episode", "performance").get(pk=revised.memory.pk)
    memory = representations.memory(row, at=at)
    if revised.proposal:
        return 202, {**memory, "proposal": revised.proposal}
    return 200, {**memory, "batch": revised.batch}


@described(operations.SUPERSEDE_MEMORY)
class Supersede(Revising):
    verb, shape = "supersede", bodies.Supersession


@described(operations.FORK_MEMORY)
class Fork(Revising):
    verb, shape = "fork", bodies.Supersession


@described(operations.CONTEST_MEMORY)
class Contest(Revising):
    verb, shape, makes = "contest", bodies.Contest, False


@described(operations.RETRACT_MEMORY)
class Retract(Revising):
    verb, shape, makes = "retract", bodies.Retraction, False


@described(operations.MERGE_MEMORIES)
class Merge(Revising):
    verb, shape = "merge", bodies.Merger
