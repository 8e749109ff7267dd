"""Reinforce and penalize: they move salience, and nothing else."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import lifecycle
from memories.api import representations
from memories.api.base import WriteView
from memories.api.described import described
from memories.api.operations_of_forgetting import PENALIZE_MEMORY, REINFORCE_MEMORY
from memories.intake.reports.revisions import LONGEST_RATIONALE
from memories.models import Memory
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid

MOST = 1.0  # all that there is of salience


class Move(WriteView):
    """The memory as it stands after it."""

    needs = {"POST": (Permission.INGEST, Permission.REVIEW)}

    def write(self, request: Request, memory_id: UUID) -> Response:
        at = timezone.now()
        body = self.body("amount", "rationale", "actor")
        _check_rationale(body.get("rationale"))
        self.move(memory_id, _number(body.get("amount")), at=at)
        row = Memory.objects.select_related("episode", "performance").get(pk=memory_id)
        return Response(representations.memory(row, at=at))

    def move(self, memory_id: UUID, amount: float | None, *, at: datetime) -> None:
        raise NotImplementedError


@described(REINFORCE_MEMORY)
class Reinforce(Move):
    def move(self, memory_id: UUID, amount: float | None, *, at: datetime) -> None:
        lifecycle.reinforce(self.trust, memory_id, amount, at=at)


@described(PENALIZE_MEMORY)
class Penalize(Move):
    def move(self, memory_id: UUID, amount: float | None, *, at: datetime) -> None:
        if amount is None:
            raise Invalid(FieldError("/amount", "required", "is required"))
        lifecycle.penalize(self.trust, memory_id, amount, at=at)


def _check_rationale(value: Any) -> None:
    if value is not None and (not isinstance(value, str) or len(value) > LONGEST_RATIONALE):
        detail = f"must be a text of at most {LONGEST_RATIONALE:,} characters"
        raise Invalid(FieldError("/rationale", "invalid", detail))


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0 or value == float("inf"):
        raise Invalid(FieldError("/amount", "out_of_range", "must be a number of at least 0"))
    return float(min(value, MOST))
