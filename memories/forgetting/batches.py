"""Work in batches, each a transaction of its own: a job that is stopped has lost nothing, and holds no row for long."""

import time
from collections import Counter
from collections.abc import Callable

from django.db import transaction

BATCH = 1_000  # rows


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
