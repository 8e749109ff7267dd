"""Work in batches, each a transaction of its own: a job that is stopped has lost nothing, and holds no row for long."""

from collections import Counter
from collections.abc import Callable

from django.db import transaction

BATCH = 1_000  # rows


def each(batch: Callable[[], Counter[str] | None]) -> Counter[str]:
    """Calls `batch` until it finds nothing more (None), and adds up what it did."""
    total: Counter[str] = Counter()
    while True:
        with transaction.atomic():
            done = batch()
        if done is None:
            return +total  # without the names of nothing
        total.update(done)
