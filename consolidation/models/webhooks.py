"""Webhooks: who is told of what happens here, and each message to them, which is the queue and the record at once."""

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Self
from urllib.parse import urlsplit
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from memories.models import AuditEntry
from memories.models.trusted import Trusted, new_id
from memories.values.choices import ActorKind, Sensitivity
from memories.values.exceptions import Conflict
from memories.values.trust import Actor, Trust

BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720, 1440))  # after each failed try
UNDER_WAY = timedelta(minutes=2)  # a try that was begun by a worker that died comes again


class WebhookEvent(models.TextChoices):
    """The events that a webhook can subscribe to."""

    CANDIDATE_CREATED = "candidate_created", _("Candidate Created")
    SKILL_PUBLISHED = "skill_published", _("Skill Published")
    RUN_FAILED = "run_failed", _("Run Failed")
    SKILL_HARMS = "skill_harms", _("Skill Harms")


class Format(models.TextChoices):
    """What a webhook receives: signed JSON for programs, or a message in the form of a chat's incoming webhook."""

    JSON = "json", _("JSON")
    SLACK = "slack", "Slack"
    TEAMS = "teams", "Microsoft Teams"
    FEISHU = "feishu", _("Feishu")


def new_secret() -> str:
    return f"whsec_{secrets.token_urlsafe(32)}"


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def active(self) -> Self:
        return self.filter(stopped_at=None)


class Webhook(models.Model):
    """An address that an administrator has allowed, and what may be sent there. No request of an agent names one.

    `secret` signs the messages: shown once when it is made. `scopes` empty: every scope. The address of a chat's hook
    is a secret itself: who knows it may write there.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=200)
    url = models.CharField(max_length=500)
    format = models.CharField(max_length=8, choices=Format, default=Format.JSON, db_default=Format.JSON)
    secret = models.CharField(max_length=100, default=new_secret, editable=False)
    events = ArrayField(models.CharField(max_length=32, choices=WebhookEvent))
    clearance = models.SmallIntegerField(choices=Sensitivity, default=Sensitivity.LOW)
    scopes = ArrayField(models.CharField(max_length=128), default=list, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    stopped_at = models.DateTimeField(null=True, blank=True)

    objects = WebhookQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @property
    def shown_url(self) -> str:
        """The address as people and the API are shown it; of a chat's hook only the host."""
        parts = urlsplit(self.url)
        return self.url if self.format == Format.JSON else f"{parts.scheme}://{parts.hostname}/…"

    @property
    def trust(self) -> Trust:
        actor = Actor(ActorKind.SYSTEM, f"webhook {self.name}", str(self.pk))
        return Trust(actor, self.clearance, frozenset(self.scopes) if self.scopes else None)

    def stop(self, *, by: Actor, at: datetime) -> None:
        """Send nothing more. Conflict: it was stopped before."""
        with transaction.atomic():
            if not Webhook.objects.active().filter(pk=self.pk).update(stopped_at=at):
                raise Conflict("it was stopped before")
            self.deliveries.filter(status=WebhookDelivery.Status.WAITING).update(status=WebhookDelivery.Status.FAILED)
            self.audit("stop", by=by, at=at)

    def audit(self, action: str, *, by: Actor, at: datetime) -> None:
        place: dict[str, Any] = {"scope": "", "sensitivity": Sensitivity.HIGH}
        facts: dict[str, Any] = {"kind": "webhook", "subject": self.pk, "label": self.name, "action": action}
        AuditEntry.draft(by=by, at=at, after={"url": self.shown_url}, **facts, **place).save(force_insert=True)


class WebhookDeliveryQuerySet(Trusted["WebhookDelivery"]):
    def due(self, at: datetime) -> Self:
        waiting = self.filter(status=WebhookDelivery.Status.WAITING, next_at__lte=at, webhook__stopped_at=None)
        return waiting.order_by("next_at", "pk")

    def prunable(self, *, before: datetime) -> Self:
        """Messages of before that are sent or given up."""
        return self.filter(created_at__lt=before).exclude(status=WebhookDelivery.Status.WAITING)

    def add(self, deliveries: Sequence["WebhookDelivery"]) -> None:
        """Insert those that are new: what a webhook was told of once is not told again."""
        self.bulk_create(deliveries, ignore_conflicts=True)


class WebhookDelivery(models.Model):
    """One message to one webhook. `body`: the very text that is sent, on every try; it holds no content of memories."""

    class Status(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        DELIVERED = "delivered", _("Delivered")
        FAILED = "failed", _("Failed")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=32, choices=WebhookEvent)
    subject = models.UUIDField()
    body = models.TextField()
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField()
    status = models.CharField(max_length=16, choices=Status, default=Status.WAITING)
    attempts = models.SmallIntegerField(default=0)
    next_at = models.DateTimeField()
    answered = models.SmallIntegerField(null=True)  # the HTTP status of the last try
    error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    delivered_at = models.DateTimeField(null=True)

    objects = WebhookDeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "webhook deliveries"
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event", "subject"], name="webhook_is_told_once_of_an_event"),
            models.CheckConstraint(
                condition=models.Q(status__in=["waiting", "delivered", "failed"]),
                name="webhook_delivery_status_is_known",
            ),
        ]
        indexes = [
            models.Index(fields=["next_at"], condition=models.Q(status="waiting"), name="webhook_delivery_due"),
            models.Index(fields=["-created_at", "-id"], name="webhook_delivery_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook_id}: {self.status}"

    @classmethod
    def take(cls, at: datetime, *, but: Collection[UUID] = ()) -> "WebhookDelivery | None":
        """The next message to send, for this worker alone; the try is counted before it is made. `but`: to none of
        these webhooks."""
        with transaction.atomic():
            due = cls.objects.due(at).exclude(webhook__in=but).select_for_update(skip_locked=True, of=("self",))
            row = due.select_related("webhook").first()
            if row is not None:
                row.attempts, row.next_at = row.attempts + 1, at + UNDER_WAY
                row.save(update_fields=["attempts", "next_at"])
            return row

    def record(self, *, answered: int | None, error: str, at: datetime) -> None:
        """Write how a try ended; a failed one is tried again later, a few times."""
        self.answered, self.error = answered, error[:300]
        if not error:
            self.status, self.delivered_at = self.Status.DELIVERED, at
        elif self.attempts > len(BACK_OFF):
            self.status = self.Status.FAILED
        else:
            self.next_at = at + BACK_OFF[self.attempts - 1]
        columns = {name: getattr(self, name) for name in ("answered", "error", "status", "delivered_at", "next_at")}
        rows = WebhookDelivery.objects.filter(pk=self.pk, attempts=self.attempts)
        if error:  # its webhook may have been stopped while the try was under way
            rows = rows.filter(status=self.Status.WAITING)
        rows.update(**columns)

    def replay(self, *, by: Actor, at: datetime) -> None:
        """Send it again, from the first try. Conflict: it waits already, or its webhook was stopped."""
        with transaction.atomic():
            finished = WebhookDelivery.objects.exclude(status=self.Status.WAITING)
            rows = finished.filter(pk=self.pk, webhook__stopped_at=None)
            if not rows.update(status=self.Status.WAITING, attempts=0, next_at=at):
                raise Conflict("it waits already, or its webhook was stopped")
            facts: dict[str, Any] = {"kind": "webhook_delivery", "subject": self.pk, "label": self.event}
            place: dict[str, Any] = {"scope": self.scope, "sensitivity": self.sensitivity}
            AuditEntry.draft(action="replay", by=by, at=at, **facts, **place).save(force_insert=True)
        self.refresh_from_db()
