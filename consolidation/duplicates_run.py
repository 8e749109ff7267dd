"""One run of the search for duplicates and contradictions among the memories that are new or were reworded."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial

from django.utils import timezone

from consolidation.execution import abandon_dead_runs, execute, never
from consolidation.models import AuditCursor, Run
from consolidation.pipelines import duplicates
from memories import leases
from memories.models import Lease

KIND = "duplicates"
ACTIONS = ("create", "revise", "supersede", "fork", "merge", "restore", "reinforce", "undo", "redo")
BATCH = 200


def find_duplicates(
    *,
    trigger: Run.Trigger,
    at: datetime,
    record_empty: bool = True,
    should_stop: Callable[[], bool] = never,
) -> Run | None:
    """Compare every memory written since the last run with its neighbours, and propose merges and choices.

    None: another worker is at it, its schedule is paused, or nothing was written and `record_empty` is False.
    `should_stop` is asked after each batch; the next run goes on.
    """
    abandon_dead_runs(KIND, at=at)
    rests = trigger == Run.Trigger.SCHEDULE and Run.objects.pauses(KIND)
    nothing = not record_empty and not any(AuditCursor.of(KIND).after(ACTIONS, 1, at=timezone.now()))
    if rests or nothing or KIND in Lease.objects.running():
        return None
    run = Run(kind=KIND, trigger=trigger)
    execute(run, partial(process, should_stop=should_stop), at=at)
    return run


def process(run: Run, *, should_stop: Callable[[], bool] = never) -> None:
    """The work of a run, by one worker at a time."""
    with leases.hold(KIND, wait=False) as acquired:
        if acquired:
            counters = _read(run, AuditCursor.of(KIND), should_stop)
            run.finish(Run.Status.SUCCEEDED, counters=dict(counters), at=timezone.now())
        else:
            run.finish(Run.Status.SKIPPED, counters={}, at=timezone.now(), error="another worker is working on it")


def _read(run: Run, cursor: AuditCursor, should_stop: Callable[[], bool]) -> Counter[str]:
    counters: Counter[str] = Counter(memories_compared=0)
    for batch in cursor.after(ACTIONS, BATCH, at=timezone.now()):
        counters.update(duplicates.compare_memories([memory for _, memory in batch], at=run.moment))
        cursor.advance(batch[-1][0], at=timezone.now())
        done = counters["memories_compared"]
        run.progress(stage="comparing", done=done, total=done, counters=counters)
        if should_stop():
            break
    return counters
