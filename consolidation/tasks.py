"""The functions that scheduled jobs call. Rows are the queue: a task may come twice or get lost without harm."""

import time

from django.utils import timezone

from consolidation import consolidation_run, pattern_run, reembedding_run
from consolidation.models import Run

SLICE = 200  # seconds of work in one job, which may take 300


def consolidate() -> str:
    """Run consolidation; scopes that another worker is processing are skipped."""
    run = consolidation_run.consolidate(trigger=Run.Trigger.SCHEDULE, wait=False, at=timezone.now())
    return f"{run.status}: {run.counters}" if run else "nothing new"


def patterns() -> str:
    """Apply the pattern rules to new events for SLICE seconds; the rest is left to the next job."""
    deadline = time.monotonic() + SLICE
    run = pattern_run.apply_rules(
        trigger=Run.Trigger.SCHEDULE,
        wait=False,
        at=timezone.now(),
        record_empty=False,
        should_stop=lambda: time.monotonic() > deadline,
    )
    return f"{run.status}: {run.counters} {run.error}".strip() if run else "nothing new"


def reembed() -> str:
    """Continue the reembedding with another model for SLICE seconds, or start it if it is due."""
    deadline = time.monotonic() + SLICE
    run = reembedding_run.reembed(
        trigger=Run.Trigger.SCHEDULE, at=timezone.now(), should_stop=lambda: time.monotonic() > deadline
    )
    return f"{run.status}: {run.counters} {run.error}".strip() if run else "nothing to do"
