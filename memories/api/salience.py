"""POST memories/{id}/reinforce and /penalize: change the salience of a memory, and nothing else."""

from typing import Annotated, Any
from uuid import UUID

from django.utils import timezone
from pydantic import BeforeValidator, Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories import lifecycle
from memories.api.base import WriteView
from memories.api.memory_shape import Memory
from memories.api.openapi import operation
from memories.api.shapes import RequestBody
from memories.intake.reports.revisions import LONGEST_RATIONALE
from memories.values.choices import Permission

MOST = 1.0  # the maximum of salience


def _capped(value: Any) -> Any:
    """Cap an amount, including integers too large for a float."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value != float("inf")
    return min(value, MOST) if is_number else value


Amount = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True), BeforeValidator(_capped)]


class Move(RequestBody):
    rationale: Annotated[str, Field(max_length=LONGEST_RATIONALE)] | None = None
    """Taken and not kept: a move of salience stands in no trail"""
    actor: Any = None
    """Ignored: who moves it, the token says"""


class Reinforcement(Move):
    amount: Amount | None = None
    """Without it the memory's own gain"""


class Penalty(Move):
    amount: Amount


class Reinforce(WriteView):
    needs = {"POST": (Permission.INGEST, Permission.REVIEW)}

    @operation("ReinforceMemory", "Forgetting", Memory, takes=Reinforcement, example={"amount": 0.1}, refuses=(404,))
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Make a memory more salient

        Salience as of now rises by `amount`, to 1 at most. Nothing else moves.
        """
        at = timezone.now()
        lifecycle.reinforce(self.trust, memory_id, self.body(Reinforcement).amount, at=at)
        return Response(Memory.of_id(memory_id, at=at))


class Penalize(WriteView):
    needs = {"POST": (Permission.INGEST, Permission.REVIEW)}

    @operation("PenalizeMemory", "Forgetting", Memory, takes=Penalty, example={"amount": 0.25}, refuses=(404,))
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Make a memory less salient

        Salience as of now falls by `amount`, to the memory's least at most. Nothing else moves. Of experience, which is
        removed when it has faded, an agent penalizes only its own.
        """
        at = timezone.now()
        lifecycle.penalize(self.trust, memory_id, self.body(Penalty).amount, at=at)
        return Response(Memory.of_id(memory_id, at=at))
