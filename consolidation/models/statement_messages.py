"""The queue of user messages whose explicit statements are to be written as memories."""

from collections.abc import Sequence

from django.db import models

from memories.models import Event
from memories.models.row_queue import QueuedRow, RowQueue


class StatementMessageQuerySet(RowQueue["StatementMessage"]):
    trust_path = "event__episode__memory__"

    def put(self, events: Sequence[Event]) -> None:
        """Queue messages, with their `episode` loaded; one that waits already is tried anew."""
        rows = [StatementMessage(event=event, scope=event.episode.scope) for event in events]
        self.bulk_create(rows, update_conflicts=True, unique_fields=["event"], update_fields=["attempts", "error"])


class StatementMessage(QueuedRow):
    """A user's message of a digested episode in which an explicit statement was recognised.

    Put by the transaction that digests the episode, removed by the one that writes its statements. It holds none of the
    words. Of a message that is gone meanwhile nothing is written.
    """

    event = models.OneToOneField(Event, models.DO_NOTHING, primary_key=True, related_name="+", db_constraint=False)
    scope = models.CharField(max_length=128, blank=True)

    objects = StatementMessageQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["scope", "event"], name="statement_message_of_scope")]

    def __str__(self) -> str:
        return str(self.event_id)
