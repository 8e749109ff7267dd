"""Former states of memories, written by a trigger of the database at every change of what they say or are.

No write path has to think of it, and none can forget it. What is not kept: uses, the idle time and other columns of
housekeeping. A memory that is removed takes its states along.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.models import Q
from django.db.models.functions import Coalesce

from memories.models.as_of import AsOf
from memories.models.memory import Memory, MemoryQuerySet


@contextmanager
def changed_at(at: datetime) -> Iterator[None]:
    """The time of changes that move none of a row's own times, until its end and in this transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('memos.changed_at', %s, true)", [at.isoformat()])
        yield
        cursor.execute("SELECT set_config('memos.changed_at', '', true)")


class FormerState(models.Model):
    """How a memory stood until `until`, from the state before it or its creation on.

    Content, payload and provenance are null where the next state has the same. `recorded` false: put together from the
    audit trail, for a time when states were not kept yet.
    """

    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="former_states", db_index=False)
    until = models.DateTimeField()
    recorded = models.BooleanField(default=True)
    content = models.TextField(null=True)  # noqa: DJ001 - null = as in the next state
    payload = models.JSONField(null=True)
    provenance = models.JSONField(null=True)
    category = models.CharField(max_length=16, null=True)  # noqa: DJ001
    company_id = models.CharField(max_length=512, null=True)  # noqa: DJ001
    tags = ArrayField(models.CharField(max_length=256), default=list)
    sensitivity = models.SmallIntegerField()
    status = models.CharField(max_length=16)
    confidence = models.SmallIntegerField()
    hold = models.CharField(max_length=8, blank=True)
    salience = models.FloatField()
    salience_at = models.DateTimeField()
    reinforced_at = models.DateTimeField(null=True)
    pinned = models.BooleanField()
    deletion_policy = models.CharField(max_length=16)
    expires_at = models.DateTimeField(null=True)
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    times_confirmed = models.IntegerField()
    flags = models.JSONField(default=list)
    speakers = ArrayField(models.CharField(max_length=64), default=list, db_default=[])
    version = models.IntegerField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "until"], name="former_state_ends_once_at_a_time"),
        ]
        indexes = [
            models.Index(fields=["until", "memory"], condition=Q(content__isnull=False), name="former_state_words"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} until {self.until}"


def with_recorded(rows: MemoryQuerySet, moment: AsOf | None) -> MemoryQuerySet:
    """Annotate `recorded`: whether the state of then was kept, rather than put together from the audit trail."""
    if moment is None:
        return rows
    states = FormerState.objects.filter(memory=models.OuterRef("pk"), until__gt=moment.at).order_by("until")
    kept = Coalesce(models.Subquery(states.values("recorded")[:1]), models.Value(True))
    annotated: MemoryQuerySet = rows.annotate(recorded=kept)
    return annotated
