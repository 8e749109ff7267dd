"""The run that gives every memory its passages and vectors: one at a time, in slices, seen by people as one row."""

import time
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta

from django.utils import timezone

from consolidation import locks
from consolidation.models import Run
from memories.embedding import Unavailable
from memories.indexing import reembedding
from memories.indexing.reembedding import SetAside, Step
from memories.models import Memory

KIND = "reembed"
LOOK_AGAIN = 1.0  # seconds, until which who waits in the foreground looks again at what others have in hand
AFTER_FAILURE = timedelta(hours=1)  # the schedule begins anew
COUNTED = ("memories", "events", "titles", "vectors", "clearing")


def reembed(*, trigger: Run.Trigger, at: datetime, enough: Callable[[], bool] = lambda: False) -> Run | None:
    """Goes on with the run that is under way, or begins one, until it is through or `enough` says so.

    What other workers have in hand is waited for, but not by a schedule, which comes again.
    None: another worker is at it, or a schedule has nothing to do or to tell of. A run that is still `running` waits,
    with its reason in `error` where there is one, and the schedule goes on with it.
    """
    with locks.held(KIND, wait=False) as ours:
        run = Run.objects.filter(kind=KIND, status=Run.Status.RUNNING).first() if ours else None
        if not ours or (run is None and trigger == Run.Trigger.SCHEDULE and not _due(at)):
            return None
        if run is None and trigger == Run.Trigger.SCHEDULE and not Memory.objects.exists():
            deque(reembedding.reembed(), maxlen=0)  # a new installation: nothing to tell of
            return None
        if run is None:
            run = Run.objects.create(kind=KIND, trigger=trigger, status=Run.Status.RUNNING, started_at=at)
        _go_on(run, enough, wait=trigger != Run.Trigger.SCHEDULE)
        return run


def _due(at: datetime) -> bool:
    lately = Run.objects.filter(kind=KIND, status=Run.Status.FAILED, created_at__gt=at - AFTER_FAILURE)
    return reembedding.due() and not lately.exists()


def _go_on(run: Run, enough: Callable[[], bool], *, wait: bool) -> None:
    before, run.error = dict(run.counters), ""
    try:
        for step in reembedding.reembed():
            _show(run, step, before)
            in_hand = step.stage == reembedding.IN_HAND
            if enough() or (in_hand and not wait):  # the schedule comes again; its worker has better things to do
                return run.save(update_fields=["error"])
            if in_hand:
                time.sleep(LOOK_AGAIN)
    except Unavailable as down:
        run.error = str(down)
        return run.save(update_fields=["error"])
    except SetAside as why:
        return run.finish(Run.Status.FAILED, counters=run.counters, at=timezone.now(), error=str(why))
    return run.finish(Run.Status.SUCCEEDED, counters=run.counters, at=timezone.now())


def _show(run: Run, step: Step, before: dict[str, int]) -> None:
    counters = dict(run.counters)
    if step.stage in COUNTED:
        counters[step.stage] = before.get(step.stage, 0) + step.done
    run.progress(stage=step.stage, done=step.done, total=step.total, counters=counters)
