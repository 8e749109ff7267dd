"""Rows that are a queue: background work tries each at most three times, then sets it aside with its error.

An attempt is counted and committed before the work, so that a row which kills its worker three times is set aside too.
"""

from collections.abc import Collection, Sequence
from typing import Any, Self

from django.db import models
from django.db.models import F, Q

from memories.models.trusted import M_co, Trusted

MOST_ATTEMPTS = 3
LONGEST_ERROR = 2000


def message_of(error: BaseException) -> str:
    """The class and message of an error, cut to the length that a queue keeps."""
    return f"{type(error).__name__}: {error}"[:LONGEST_ERROR]


class RowQueue(Trusted[M_co]):
    """`in_queue`: which rows are in the queue at all. `attempts` and `error`: names of the columns.

    `forgives`: a failure that the worker survived is no attempt, so that only rows which kill are ever set aside.
    """

    in_queue = Q()
    attempts, error = "attempts", "error"
    forgives = False

    def due(self) -> Self:
        """Rows to work on."""
        return self.filter(self.in_queue, **{f"{self.attempts}__lt": MOST_ATTEMPTS})

    def set_aside(self) -> Self:
        """Rows that were tried often enough."""
        return self.filter(self.in_queue, **{f"{self.attempts}__gte": MOST_ATTEMPTS})

    def attempted(self, ids: Collection[Any]) -> int:
        """Count an attempt for those of these rows that are in the queue, before the work; how many are."""
        return self.filter(self.in_queue, pk__any=ids).update(**{self.attempts: F(self.attempts) + 1})

    def failed(self, ids: Sequence[Any], why: str) -> int:
        """Keep why the last attempt failed."""
        forgiven = {self.attempts: 0} if self.forgives else {}
        return self.filter(pk__any=ids).update(**{self.error: why[:LONGEST_ERROR]}, **forgiven)

    def try_again(self) -> int:
        """Put rows back into the queue as if they had never been tried."""
        return self.update(**{self.attempts: 0})


class QueuedRow(models.Model):
    """A row of a queue: how often it was tried, and why the last attempt failed."""

    attempts = models.SmallIntegerField(default=0)
    error = models.TextField(blank=True)

    class Meta:
        abstract = True


class DueRow(QueuedRow):
    """A row that lasts, and is in its queue while it is `due`."""

    due = models.BooleanField(default=True)

    class Meta:
        abstract = True

    def settle(self) -> None:
        """Mark as done, not saved: no longer due until something new is seen."""
        self.due, self.attempts, self.error = False, 0, ""
