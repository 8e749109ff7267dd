"""GET adaptations: which memories changed the agents' behaviour. POST revert ends such a change."""

from datetime import datetime
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import models
from memories.api import paging
from memories.api.base import ApiView, WriteView
from memories.api.openapi import operation
from memories.api.paging import PAGING
from memories.api.shapes import EXAMPLE_ID, EXAMPLE_TIME, Json, Page, Shape
from memories.values.choices import Permission, RevertReason, Review
from memories.values.speakers import review_of
from memos_site import review
from memos_site.api.decisions import DECIDE, REFUSES
from memos_site.api.tombstones import ACTIVE
from memos_site.review.verbs import Because
from memos_site.review.verbs.attention import Flag


class Reversion(Because):
    keep_memory: Flag = True
    """False: the memory is dismissed as well"""


class Adaptation(Shape):
    id: UUID
    memory_id: UUID | None
    memory_key: str
    plugin: str
    description: str
    applied_at: datetime
    applied_by: str
    reverted_at: datetime | None
    revert_reason: RevertReason | None
    review: Review | None
    """Who stands behind the memory of this adaptation: a person, several agents, or one agent alone; null when the
    memory is gone"""

    example = {
        "id": EXAMPLE_ID,
        "memory_id": EXAMPLE_ID,
        "memory_key": "reply-language",
        "plugin": "refund-agent",
        "description": "Now following the preference: reply in German",
        "applied_at": EXAMPLE_TIME,
        "applied_by": "anna",
        "reverted_at": None,
        "revert_reason": None,
        "review": "person",
    }

    @classmethod
    def of(cls, row: models.Adaptation) -> Json:
        stands = review_of(row.memory) if row.memory else None
        return cls.from_row(row, revert_reason=row.revert_reason or None, review=stands)


class RevertedAdaptation(Adaptation):
    batch: UUID


class AdaptationPage(Page):
    results: list[Adaptation]


class Adaptations(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"scope", "active"}) | PAGING

    @operation("ListAdaptations", "Adaptations", AdaptationPage, parameters=(ACTIVE,))
    def get(self, request: Request) -> Response:
        """Which memories changed the agents' behaviour

        Newest first.
        """
        rows = models.Adaptation.objects.offered_to(self.trust, "memory__").filter(**paging.exact(request, "scope"))
        rows = rows.select_related("memory")
        if (active := paging.boolean(request, "active")) is not None:
            rows = rows.filter(reverted_at__isnull=active)
        return paging.answer(request, rows, ("-applied_at", "-id"), show=Adaptation.of)


class Revert(WriteView):
    needs = DECIDE

    @operation(
        "RevertAdaptation",
        "Decisions",
        RevertedAdaptation,
        takes=Reversion,
        example={"keep_memory": True, "why": "too eager"},
        refuses=REFUSES,
    )
    def write(self, request: Request, adaptation_id: UUID) -> Response:
        """Revert an adaptation

        Its memory returns to confirmed, and rules do not apply the same claim again under any key; or the memory is
        dismissed too.
        """
        body, at = self.body(Reversion), timezone.now()
        batch = review.revert(self.trust, adaptation_id, keep_memory=body.keep_memory, at=at, why=body.why)
        return Response({**Adaptation.of(models.Adaptation.objects.get(pk=adaptation_id)), "batch": batch})
