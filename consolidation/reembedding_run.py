"""The run that writes passages and vectors of all memories anew: in slices, one worker at a time, shown as one row."""

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from django.utils import timezone

from consolidation.models import Run, RunStopped
from memories import leases
from memories.embedding import Unavailable
from memories.indexing import reembedding
from memories.indexing.reembedding import SetAside, Step
from memories.models import Memory

KIND = "reembed"
POLL_SECONDS = 1.0  # between two looks at what other workers are still embedding
AFTER_FAILURE = timedelta(hours=1)  # a schedule starts anew after so long
COUNTED_STAGES = ("vectors", "clearing")


def reembed(*, trigger: Run.Trigger, at: datetime, should_stop: Callable[[], bool] = lambda: False) -> Run | None:
    """Continue the unfinished run, or start one, until it is complete or `should_stop` answers True.

    Waits for what other workers are embedding, except in a schedule, which comes again. None: another worker is at it,
    or a schedule has nothing to do. A returned run that is still `running` is continued by the schedule; its `error`
    says why it stopped, if it failed.
    """
    with suppress(RunStopped), leases.hold(KIND, wait=False) as acquired:
        run = Run.objects.filter(kind=KIND, status=Run.Status.RUNNING).first() if acquired else None
        if not acquired or (run is None and trigger == Run.Trigger.SCHEDULE and not _due(at)):
            return None
        if run is None and trigger == Run.Trigger.SCHEDULE and not Memory.objects.exists():
            deque(reembedding.reembed(), maxlen=0)  # a new installation: no run to show
            return None
        if run is None:
            run = Run(kind=KIND, trigger=trigger)
            run.start(at=at)
        _continue(run, should_stop, wait=trigger != Run.Trigger.SCHEDULE)
    return run


def process(run: Run, *, should_stop: Callable[[], bool]) -> None:
    """The work of a run that was queued, for a while; the schedule goes on with it."""
    with leases.hold(KIND, wait=False) as acquired:
        if acquired:
            _continue(run, should_stop, wait=False)
        else:
            run.requeue()


def _due(at: datetime) -> bool:
    recent_failures = Run.objects.filter(kind=KIND, status=Run.Status.FAILED, created_at__gt=at - AFTER_FAILURE)
    return reembedding.due() and not recent_failures.exists() and not Run.objects.pauses(KIND)


def _continue(run: Run, should_stop: Callable[[], bool], *, wait: bool) -> None:
    before, run.error = dict(run.counters), ""
    try:
        for step in reembedding.reembed():
            _update_progress(run, step, before)
            in_hand = step.stage == reembedding.IN_HAND
            if should_stop() or (in_hand and not wait):  # the schedule comes again: its worker need not wait
                return run.save(update_fields=["error"])
            if in_hand:
                time.sleep(POLL_SECONDS)
    except Unavailable as outage:
        run.error = str(outage)
        return run.save(update_fields=["error"])
    except SetAside as why:
        return run.finish(Run.Status.FAILED, counters=run.counters, at=timezone.now(), error=str(why))
    return run.finish(Run.Status.SUCCEEDED, counters=run.counters, at=timezone.now())


def _update_progress(run: Run, step: Step, before: dict[str, int]) -> None:
    counters = dict(run.counters)
    if step.stage in COUNTED_STAGES:
        counters[step.stage] = before.get(step.stage, 0) + step.done
    run.progress(stage=step.stage, done=step.done, total=step.total, counters=counters)
