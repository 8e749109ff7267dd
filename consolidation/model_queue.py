"""The queue of runs that ask the language model: its rows are the queued runs of a kind."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from django.db import connection
from django.utils import timezone

from consolidation.execution import execute, never
from consolidation.models import Run
from memories import leases

MOST_SEEN = 50  # queued runs that a worker looks at to find one that no other has


def process_queue(
    kind: str,
    process: Callable[[Run], None],
    *,
    now: Callable[[], datetime] = timezone.now,
    should_stop: Callable[[], bool] = never,
    threads: int = 1,
) -> int:
    """Process queued runs until there is none, or the model cannot be asked, or `should_stop`; how many."""
    recover(kind)
    Run.objects.filter(kind=kind).resume_due(at=now())

    def work(_: int) -> int:
        processed = 0
        while not should_stop() and _process_next(kind, process, at=now()):
            processed += 1
        return processed

    def work_in_thread(number: int) -> int:
        try:
            return work(number)
        finally:
            connection.close()

    if threads == 1:
        return work(0)
    with ThreadPoolExecutor(threads, thread_name_prefix=kind) as pool:
        return sum(pool.map(work_in_thread, range(threads)))


def recover(kind: str) -> None:
    """Queue the runs whose worker died again. What they have paid for is kept; their steps count the attempts."""
    for run in Run.objects.filter(kind=kind, status=Run.Status.RUNNING):
        with leases.hold(f"run:{run.pk}", wait=False) as dead:
            if dead:
                run.requeue()


def _process_next(kind: str, process: Callable[[Run], None], *, at: datetime) -> bool:
    """Process the first queued run that no other worker has. False: there is none."""
    return any(execute(run, process, at=at) for run in Run.objects.queued().filter(kind=kind)[:MOST_SEEN])
