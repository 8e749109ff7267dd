"""The parameter `as_of`: what was live at an instant, and how much of it is known."""

from datetime import datetime
from typing import Literal

from rest_framework.request import Request

from memories.api.shapes import EXAMPLE_TIME, Json, Shape
from memories.models import Memory
from memories.models.as_of import AsOf
from memories.values.choices import Type
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_errors import NOT_AN_INSTANT, parse_instant
from memories.values.trust import Trust

TODAY = ["times_used", "last_used_at"]
OF_RUNS = {Type.COMPETENCE: ["payload.performance"], Type.PLAN_GRAPH: ["payload.metrics"]}


def moment_of(request: Request, trust: Trust, *, now: datetime) -> AsOf | None:
    """Parse `as_of`; None when absent. Invalid: it is no instant, or has not come yet."""
    text = request.query_params.get("as_of")
    instant = parse_instant(text)
    if text is not None and instant is None:
        raise Invalid(FieldError("/as_of", "not_an_instant", NOT_AN_INSTANT))
    return AsOf.of(instant, max_sensitivity=trust.max_sensitivity, now=now)


class AsItStood(Shape):
    at: datetime
    reconstructed: Literal["exact", "partial"]
    """`partial`: of a time when states were not recorded yet, from the audit trail alone; steps of decay, salience and
    what was not audited are then those of a later time"""
    today: list[str]
    """The fields whose former values are not kept: they are of today"""

    example = {"at": EXAMPLE_TIME, "reconstructed": "exact", "today": TODAY}

    @classmethod
    def of(cls, row: Memory, moment: AsOf) -> Json:
        """Represent how a row was found; its annotation `recorded` is that of `with_recorded`."""
        exact = getattr(row, "recorded", True)
        today = TODAY + OF_RUNS.get(Type(row.type), [])
        return cls.from_row(moment, reconstructed="exact" if exact else "partial", today=today)
