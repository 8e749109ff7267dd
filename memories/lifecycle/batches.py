"""Work in batches, each a transaction of its own: a job that is stopped has lost nothing, and holds no row for long."""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from uuid import UUID

from django.db import transaction

BATCH = 1_000  # rows


class Stuck(Exception):
    """A batch found rows that the one before had dealt with: their change did not hold, and the job would not end."""


class Progress:
    """Of one run of a job, told of the rows of each batch."""

    def __init__(self) -> None:
        self._before: frozenset[UUID] = frozenset()

    def note(self, ids: Iterable[UUID]) -> None:
        found = frozenset(ids)
        if again := found & self._before:
            raise Stuck(f"{len(again)} rows were found again right after they were dealt with, {min(again)} among them")
        self._before = found


def each(batch: Callable[[], Counter[str] | None], *, until: float | None = None) -> Counter[str]:
    """Calls `batch` until it finds nothing more (None), and adds up what it did.

    `until`: of the monotonic clock; what is left then is left to the next nudge.
    """
    total: Counter[str] = Counter()
    while until is None or time.monotonic() < until:
        with transaction.atomic():
            done = batch()
        if done is None:
            break
        total.update(done)
    return +total  # without the names of nothing
