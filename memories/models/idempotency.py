"""Stored answers by idempotency key: the same request again gets the first answer and does nothing."""

from datetime import datetime, timedelta

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

KEPT = timedelta(hours=24)


class IdempotencyKeyQuerySet(models.QuerySet["IdempotencyKey"]):
    def forget_expired(self, *, at: datetime) -> int:
        return self.filter(expires_at__lt=at).delete()[0]


class IdempotencyKey(models.Model):
    """A used key and its answer. Inserted in the transaction of the work, so that a concurrent request waits for it."""

    caller = models.CharField(max_length=64)  # the kind and id of the agent or person
    key = models.CharField(max_length=255)
    request_sha256 = models.BinaryField(max_length=32)  # method, path and body
    status = models.SmallIntegerField(default=0)
    answer = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    expires_at = models.DateTimeField(db_index=True)

    objects = IdempotencyKeyQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["caller", "key"], name="idempotency_key_is_used_once_by_a_caller")
        ]

    def __str__(self) -> str:
        return self.key
