"""What a pipeline calls for its run: after each batch, outside of transactions, where the run shows progress and may
stop; and within the transaction that reads a batch, so that the run tells of all that was read."""

from collections import Counter
from collections.abc import Callable

Checkpoint = Callable[[int, Counter[str]], None]  # episodes that the batch has read; the pipeline's counters so far
Count = Callable[[int], None]  # items that the open transaction has read


def no_checkpoint(done: int, counters: Counter[str]) -> None:
    """For callers without a run."""


def no_count(number: int) -> None:
    """For callers without a run."""
