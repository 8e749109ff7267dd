"""Run a job in batches, each a transaction of its own: one that is stopped loses nothing, and holds no row for long."""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from uuid import UUID

from django.db import transaction

BATCH = 1_000  # rows


class Stuck(Exception):
    """A batch met rows that the one before had changed: their change did not hold, and the job would not end."""


class Progress:
    """Compares the rows of each batch of a run with those of the one before."""

    def __init__(self) -> None:
        self._before: frozenset[UUID] = frozenset()

    def note(self, ids: Iterable[UUID]) -> None:
        rows = frozenset(ids)
        if again := rows & self._before:
            raise Stuck(f"{len(again)} rows were found again right after they were dealt with, {min(again)} among them")
        self._before = rows


def each(batch: Callable[[], Counter[str] | None], *, until: float | None = None) -> Counter[str]:
    """Call `batch` until it finds nothing more (None), and add up its counters.

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
