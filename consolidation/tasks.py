"""The worker's doors. The row is the queue: a task is a nudge, may come twice, and may get lost."""

from django.utils import timezone

from consolidation import consolidating
from consolidation.models import Run


def consolidate() -> str:
    """The schedule's nudge; leaves a scope to a worker that is already at it."""
    run = consolidating.consolidate(trigger=Run.Trigger.SCHEDULE, wait=False, at=timezone.now())
    return f"{run.status}: {run.counters}" if run else "nothing new"
