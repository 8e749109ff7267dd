"""The worker's doors. The row is the queue: a task is a nudge, may come twice, and may get lost."""

import time

from django.utils import timezone

from consolidation import consolidation_run, pattern_run, reembedding_run
from consolidation.models import Run

SLICE = 200  # seconds: a job may take 300


def consolidate() -> str:
    """The schedule's nudge; leaves a scope to a worker that is already at it."""
    run = consolidation_run.consolidate(trigger=Run.Trigger.SCHEDULE, wait=False, at=timezone.now())
    return f"{run.status}: {run.counters}" if run else "nothing new"


def patterns() -> str:
    """The schedule's nudge to read what plugins reported; what does not fit into a slice is left to the next."""
    deadline = time.monotonic() + SLICE
    run = pattern_run.rule(
        trigger=Run.Trigger.SCHEDULE,
        wait=False,
        at=timezone.now(),
        asked=False,
        enough=lambda: time.monotonic() > deadline,
    )
    return f"{run.status}: {run.counters} {run.error}".strip() if run else "nothing new"


def reembed() -> str:
    """Goes on with giving vectors of another model, or looks whether that is due."""
    deadline = time.monotonic() + SLICE
    run = reembedding_run.reembed(
        trigger=Run.Trigger.SCHEDULE, at=timezone.now(), enough=lambda: time.monotonic() > deadline
    )
    return f"{run.status}: {run.counters} {run.error}".strip() if run else "nothing to do"
