"""Execution of runs by this process, each under a lease: whatever happens to the work, its row tells it.

One run, or the queued ones of a kind; and what the work of a run tells of its progress.
"""

import gc
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db.models import F
from django.utils import timezone

from consolidation.llm.workers import ALONE, Workers
from consolidation.models import Run, RunStep, RunStopped
from consolidation.models.llm_calls import CUT_OFF, PENDING
from memories import leases
from memos_site.platform import correlation, tracing
from memos_site.platform.outages import UNAVAILABLE

OF_THE_LAST_ATTEMPT = ("failed", "skipped", "set_aside")  # counters that another attempt begins anew
MOST_SEEN = 50  # queued runs that a worker looks at to find one that no other has
MOST_CUT_OFF = 20  # calls of one run, each paid for
COLLECT_AFTER = 50_000  # new objects that hold others
log = logging.getLogger(__name__)


def never() -> bool:
    return False


def execute(run: Run, work: Callable[[Run], None], *, at: datetime) -> bool:
    """Begin a queued or new run and do its work, which ends with `run.finish`. False: another worker has it.

    Never raises for a fault of the work; the run then says what failed, without a word of what was read.
    """
    with correlation.bearing(run.request_id, run=run.pk), tracing.span(f"run {run.kind}", {"memos.run": str(run.pk)}):
        return _execute(run, work, at=at)


def _execute(run: Run, work: Callable[[Run], None], *, at: datetime) -> bool:
    try:
        with leases.hold(_lease(run), wait=False) as acquired:
            if acquired and run._state.adding:
                run.start(at=at)
            elif not acquired or not run.begin(at=at):
                return False
            try:
                work(run)
            except RunStopped:
                run.leave_steps()
    except leases.LeaseLost as lost:
        run.abandon(at=timezone.now(), why=str(lost))
    except UNAVAILABLE as error:
        log.exception("the run %s was cut off", run.pk)
        run.abandon(at=at, why=f"{type(error).__name__}: {error}".strip())
    except Exception as error:
        log.exception("the run %s failed", run.pk)
        run.fail(type(error).__name__, at=at)
    return True


def abandon_dead_runs(kind: str, *, at: datetime) -> None:
    """Give up the runs of a kind whose worker died, which is known by their lease."""
    for run in Run.objects.filter(kind=kind, status=Run.Status.RUNNING):
        with leases.hold(_lease(run), wait=False) as dead:
            if dead:
                run.abandon(at=at)


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
        count = 0
        while not should_stop() and _process_next(kind, process, at=now()):
            count += 1
        return count

    return sum(workers.together([work] * max(workers.threads, 1)))


def recover(kind: str) -> None:
    """Queue the runs whose worker died again. What they have paid for is kept; their steps count the attempts.

    A worker that waited for the model was stopped, say for a new version: no attempt of its step, a few times.
    """
    for run in Run.objects.filter(kind=kind, status=Run.Status.RUNNING):
        with leases.hold(_lease(run), wait=False) as dead:
            if dead:
                was_waiting = run.llm_calls.filter(error=PENDING).update(error=CUT_OFF)
                if was_waiting and run.llm_calls.filter(error=CUT_OFF).count() <= MOST_CUT_OFF:
                    run.steps.filter(status=RunStep.Status.RUNNING).update(attempts=F("attempts") - 1)
                run.requeue()


def _process_next(kind: str, process: Callable[[Run], None], *, at: datetime) -> bool:
    """Process the first queued run that no other worker has. False: there is none."""
    return any(execute(run, process, at=at) for run in Run.objects.queued().filter(kind=kind)[:MOST_SEEN])


def _lease(run: Run) -> str:
    return f"run:{run.pk}"


@contextmanager
def rare_collections() -> Iterator[None]:
    """Have Python look for cycles of garbage more rarely in the block.

    Runs that were read are hundreds of thousands of objects without cycles, which it would walk again and again: an
    eighth of the time.
    """
    before = gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def counters_before(run: Run, counter: str) -> Counter[str]:
    """The counters with which a worker goes on, this one among them."""
    counters = {name: number for name, number in run.counters.items() if name not in OF_THE_LAST_ATTEMPT}
    return Counter({counter: 0} | counters)


class Reporter:
    """Tells a run's progress at a new stage, and after a batch if a moment has passed.

    RunStopped: the run was paused meanwhile; or `should_stop` says so, and another job goes on with it.
    """

    SECONDS = 0.5

    def __init__(self, run: Run, counters: Counter[str], should_stop: Callable[[], bool] = never) -> None:
        self.run, self.counters, self.should_stop = run, counters, should_stop
        self.done, self.total, self.partial = run.done, run.done, Counter[str]()
        self._last = 0.0

    def stage(self, name: str) -> None:
        self._write(name)

    def batch(self, done: int, partial: Counter[str]) -> None:
        """So many more are done. `partial`: counters of a stage that has not ended."""
        self.done, self.partial = self.done + done, partial
        if self.should_stop():
            self._write(self.run.stage)
            self.run.requeue()
            raise RunStopped
        if time.monotonic() - self._last >= self.SECONDS:
            self._write(self.run.stage)

    def count(self, counter: str, number: int) -> None:
        """So many more of a counter and of all, told in the transaction that does them: if the worker is killed, the
        run says no less than was done."""
        run = self.run
        run.done, run.counters = run.done + number, {**run.counters, counter: run.counters.get(counter, 0) + number}
        Run.objects.filter(pk=run.pk, attempts=run.attempts).update(done=run.done, counters=run.counters)

    def add(self, counters: Counter[str]) -> None:
        """The counters of a stage that has ended."""
        self.counters.update(counters)
        self.partial = Counter()

    def _write(self, stage: str) -> None:
        self._last = time.monotonic()
        counters = {name: n for name, n in (self.counters + self.partial).items() if n}
        self.run.progress(stage=stage, done=self.done, total=max(self.total, self.done), counters=counters)
