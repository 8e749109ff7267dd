"""The queue of user messages whose explicit statements are to be written as memories."""

from collections.abc import Sequence
from typing import Self

from django.db import models

from memories.models import Event
from memories.models.trusted import Trusted

MOST_ATTEMPTS = 3


class StatementMessageQuerySet(Trusted["StatementMessage"]):
    trust_path = "event__episode__memory__"

    def waiting(self) -> Self:
        return self.filter(attempts__lt=MOST_ATTEMPTS).order_by("pk")

    def set_aside(self) -> Self:
        return self.filter(attempts__gte=MOST_ATTEMPTS)

    def put(self, events: Sequence[Event]) -> None:
        """Queue messages, with their `episode` loaded; one that waits already is tried anew."""
        rows = [StatementMessage(event=event, scope=event.episode.scope) for event in events]
        self.bulk_create(rows, update_conflicts=True, unique_fields=["event"], update_fields=["attempts", "error"])


class StatementMessage(models.Model):
    """A user's message of a digested episode in which an explicit statement was recognised.

    Put by the transaction that digests the episode, removed by the one that writes its statements. It holds none of the
    words. Of a message that is gone meanwhile nothing is written.
    """

    event = models.OneToOneField(Event, models.DO_NOTHING, primary_key=True, related_name="+", db_constraint=False)
    scope = models.CharField(max_length=128, blank=True)
    attempts = models.SmallIntegerField(default=0)
    error = models.TextField(blank=True)

    objects = StatementMessageQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["scope", "event"], name="statement_message_of_scope")]

    def __str__(self) -> str:
        return str(self.event_id)

    def attempted(self) -> None:
        """Count an attempt before the work, so that a message which kills its worker three times is set aside."""
        self.attempts += 1
        self.save(update_fields=["attempts"])

    def failed(self, why: str) -> None:
        """Record a failure, which counts as an attempt too: the words of a message do not change."""
        self.error = why[:2000]
        self.save(update_fields=["error"])
