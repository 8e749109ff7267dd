"""What a pipeline calls after each batch, outside of transactions: its run shows progress, and may stop there."""

from collections import Counter
from collections.abc import Callable

Checkpoint = Callable[[int, Counter[str]], None]  # episodes that the batch has read; the pipeline's counters so far


def no_checkpoint(done: int, counters: Counter[str]) -> None:
    """For callers without a run."""
