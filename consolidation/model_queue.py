"""The queue of runs that ask the language model: its rows are the queued runs of a kind."""

from collections.abc import Callable
from datetime import datetime

from django.utils import timezone

from consolidation.execution import execute, never
from consolidation.llm.workers import ALONE, Workers
from consolidation.models import Run
from memories import leases

MOST_SEEN = 50  # queued runs that a worker looks at to find one that no other has


def process_queue(
    kind: str,
    process: Callable[[Run], None],
    *,
    now: Callable[[], datetime] = timezone.now,
    should_stop: Callable[[], bool] = never,
    workers: Workers = ALONE,
) -> int:
    """Process queued runs until there is none, or the model cannot be asked, or `should_stop`; how many.

    Each thread takes runs of its own; one that finds none any more helps with parts of the others'.
    """
    recover(kind)
    Run.objects.filter(kind=kind).resume_due(at=now())

    def work() -> int:
        processed = 0
        while not should_stop() and _process_next(kind, process, at=now()):
            processed += 1
        return processed

    return sum(workers.together([work] * max(workers.threads, 1)))


def recover(kind: str) -> None:
    """Queue the runs whose worker died again. What they have paid for is kept; their steps count the attempts."""
    for run in Run.objects.filter(kind=kind, status=Run.Status.RUNNING):
        with leases.hold(f"run:{run.pk}", wait=False) as dead:
            if dead:
                run.requeue()


def _process_next(kind: str, process: Callable[[Run], None], *, at: datetime) -> bool:
    """Process the first queued run that no other worker has. False: there is none."""
    return any(execute(run, process, at=at) for run in Run.objects.queued().filter(kind=kind)[:MOST_SEEN])
