"""GET tombstones: what was dismissed, forgotten or expired. POST lift lets the claim come back."""

from datetime import datetime
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import models
from memories.api import paging
from memories.api.base import ApiView, WriteView
from memories.api.openapi import operation
from memories.api.paging import BOOLEAN, PAGING, query
from memories.api.shapes import EXAMPLE_ID, EXAMPLE_TIME, Count, Page, Shape
from memories.values.choices import Category, Permission
from memos_site import review
from memos_site.api.decisions import DECIDE, REFUSES
from memos_site.review.verbs import Because

ACTIVE = query("active", BOOLEAN, "Only active adaptations, or only ended ones.")


class Tombstone(Shape):
    id: UUID
    scope: str
    key: str | None
    memory_id: UUID | None
    category: Category | None
    reason: str
    by: str
    at: datetime
    blocks: bool
    """False: only a watermark, the same claim may be stored again"""
    hits: Count
    last_hit_at: datetime | None
    lifted_at: datetime | None

    example = {
        "id": EXAMPLE_ID,
        "scope": "project:shop",
        "key": "acme-terms",
        "memory_id": EXAMPLE_ID,
        "category": "fact",
        "reason": "wrong",
        "by": "anna",
        "at": EXAMPLE_TIME,
        "blocks": True,
        "hits": 7,
        "last_hit_at": EXAMPLE_TIME,
        "lifted_at": None,
    }


class LiftedTombstone(Tombstone):
    batch: UUID


class TombstonePage(Page):
    results: list[Tombstone]


class Tombstones(ApiView):
    needs = {"GET": (Permission.REVIEW,)}
    filters = frozenset({"scope", "active"}) | PAGING

    @operation("ListTombstones", "Dismissed claims", TombstonePage, parameters=(ACTIVE,))
    def get(self, request: Request) -> Response:
        """List tombstones: dismissed, forgotten or expired claims

        Newest first. `hits` counts the writes that the tombstone blocked.
        """
        rows = models.Tombstone.objects.visible_to(self.trust).filter(**paging.exact(request, "scope"))
        if (active := paging.boolean(request, "active")) is not None:
            rows = rows.filter(lifted_at__isnull=active)
        return paging.answer(request, rows, ("-at", "-id"), show=Tombstone.from_row)


class Lift(WriteView):
    needs = DECIDE

    @operation(
        "LiftTombstone",
        "Decisions",
        LiftedTombstone,
        takes=Because,
        example={"why": "it has become true"},
        refuses=REFUSES,
    )
    def write(self, request: Request, tombstone_id: UUID) -> Response:
        """Lift a tombstone, so that the claim may be stored again

        A dismissed memory stays dismissed; the same claim may be stored again.
        """
        batch = review.lift(self.trust, tombstone_id, at=timezone.now(), why=self.body(Because).why)
        return Response(LiftedTombstone.from_row(models.Tombstone.objects.get(pk=tombstone_id), batch=batch))
