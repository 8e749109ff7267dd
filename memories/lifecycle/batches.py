"""Run a job in batches, each a transaction of its own: one that is stopped loses nothing, and holds no row for long."""

import time
from collections import Counter
from collections.abc import Callable

from django.db import transaction

BATCH = 1_000  # rows


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
