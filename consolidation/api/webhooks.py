"""GET webhooks: who is told of what happens. GET webhooks/deliveries: what was sent; POST .../replay sends it again."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation import models
from consolidation.models.webhooks import Format, WebhookEvent
from memories.api import paging
from memories.api.base import ApiView, WriteView
from memories.api.openapi import operation
from memories.api.paging import PAGING, some_of
from memories.api.shapes import EXAMPLE_ID, EXAMPLE_TIME, Count, Json, Page, RequestBody, Shape
from memories.values.choices import Permission, Sensitivity
from memories.values.exceptions import one_of
from memories.values.field_types import SensitivityName

STATUSES = models.WebhookDelivery.Status.values


class Webhook(Shape):
    """A webhook. Its secret is shown only once, when it is created."""

    id: UUID
    name: str
    url: str
    """The address; of a chat's webhook only the host, as the rest is a secret"""
    format: Format
    events: list[WebhookEvent]
    clearance: SensitivityName
    scopes: list[str]
    """Empty: every scope"""
    created_at: datetime
    stopped_at: datetime | None

    example = {
        "id": EXAMPLE_ID,
        "name": "team chat",
        "url": "https://hooks.example.com/memos",
        "format": "json",
        "events": ["candidate_created", "run_failed"],
        "clearance": "low",
        "scopes": [],
        "created_at": EXAMPLE_TIME,
        "stopped_at": None,
    }

    @classmethod
    def of(cls, row: models.Webhook) -> Json:
        return cls.from_row(row, url=row.shown_url, clearance=Sensitivity(row.clearance).label)


class WebhookPage(Page):
    results: list[Webhook]


class WebhookDelivery(Shape):
    id: UUID
    webhook_id: UUID
    event: WebhookEvent
    body: str
    """The exact text that is sent and signed"""
    status: Literal["waiting", "delivered", "failed"]
    attempts: Count
    answered: int | None
    """The HTTP status of the last attempt; null where there was no answer"""
    error: str
    next_at: datetime
    """When the next attempt is made, while the delivery waits"""
    created_at: datetime
    delivered_at: datetime | None

    example = {
        "id": EXAMPLE_ID,
        "webhook_id": EXAMPLE_ID,
        "event": "run_failed",
        "body": "{}",
        "status": "delivered",
        "attempts": 1,
        "answered": 204,
        "error": "",
        "next_at": EXAMPLE_TIME,
        "created_at": EXAMPLE_TIME,
        "delivered_at": EXAMPLE_TIME,
    }


class WebhookDeliveryPage(Page):
    results: list[WebhookDelivery]


class ReplayBody(RequestBody):
    """An empty object: this operation takes no fields."""


class Webhooks(ApiView):
    needs = {"GET": (Permission.REVIEW,)}
    filters = PAGING

    @operation("ListWebhooks", "Webhooks", WebhookPage)
    def get(self, request: Request) -> Response:
        """Webhooks

        Newest first. Administrators create them at `/admin/`; the API cannot set an address.
        """
        rows = models.Webhook.objects.filter(clearance__lte=self.trust.max_sensitivity)
        if self.trust.scopes is not None:
            rows = rows.filter(scopes__contained_by=sorted(self.trust.scopes)).exclude(scopes=[])
        return paging.answer(request, rows, ("-created_at", "-pk"), show=Webhook.of)


class WebhookDeliveries(ApiView):
    needs = {"GET": (Permission.REVIEW,)}
    filters = frozenset({"status"}) | PAGING

    @operation(
        "ListWebhookDeliveries",
        "Webhooks",
        WebhookDeliveryPage,
        parameters=(some_of("status", STATUSES, "Only of these statuses."),),
    )
    def get(self, request: Request) -> Response:
        """Messages to webhooks

        Newest first, with the result of the last attempt.
        """
        rows = models.WebhookDelivery.objects.visible_to(self.trust)
        if statuses := paging.choice(request, "status", STATUSES):
            rows = rows.filter(status__in=statuses)
        return paging.answer(request, rows, ("-created_at", "-pk"), show=WebhookDelivery.from_row)


class Replay(WriteView):
    needs = {"POST": (Permission.REVIEW,)}

    @operation("ReplayWebhookDelivery", "Webhooks", WebhookDelivery, takes=ReplayBody, example={}, refuses=(404,))
    def write(self, request: Request, delivery_id: UUID) -> Response:
        """Send a message again

        Sends the same body with a new signature, within a minute. 409: the message is already waiting.
        """
        self.body(ReplayBody)
        row: Any = one_of(models.WebhookDelivery.objects.visible_to(self.trust).filter(pk=delivery_id))
        row.replay(by=self.trust.actor, at=timezone.now())
        return Response(WebhookDelivery.from_row(row))
