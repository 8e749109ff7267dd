"""What every pipeline works through: rows of a queue (memories/models/row_queue.py), whose attempts are counted and
whose failures are kept here alone; and what it calls for its run, which shows progress and may stop."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import Model

from memories.models.row_queue import RowQueue, message_of

Work = Callable[[Sequence[Any]], Counter[str]]  # on rows with these ids, in a transaction of its own
Checkpoint = Callable[[int, Counter[str]], None]  # episodes that the batch has read; the pipeline's counters so far
Count = Callable[[int], None]  # items that the open transaction has read


def attempt(queue: RowQueue[Any], ids: Sequence[Any], work: Work) -> Counter[str]:
    """Work on a batch at once; if that fails, on each of its rows alone. Counters of the work, and `failed`.

    Nothing is done where all rows have left the queue meanwhile: another worker was faster.
    """
    if not queue.attempted(ids):
        return Counter()
    try:
        return work(ids)
    except Exception as error:  # whatever one row does to its batch, the others are worked on alone
        if len(ids) == 1:
            return _failed(queue, ids, error)
    counters: Counter[str] = Counter()
    for id in ids:
        try:
            counters.update(work([id]))
        except Exception as error:  # kept on the row, shown, and tried again in the next run
            counters.update(_failed(queue, [id], error))
    return counters


def attempt_one(row: Model, work: Callable[[], Counter[str]]) -> Counter[str]:
    """The same with one row of a queue."""
    return attempt(type(row)._default_manager.all(), [row.pk], lambda _: work())  # type: ignore[arg-type]


def _failed(queue: RowQueue[Any], ids: Sequence[Any], error: Exception) -> Counter[str]:
    queue.failed(ids, message_of(error))
    return Counter(failed=len(ids))


def no_checkpoint(done: int, counters: Counter[str]) -> None:
    """For callers without a run."""


def no_count(number: int) -> None:
    """For callers without a run."""
