"""One run of the pattern rules over the new events of plugins; one worker at a time in a scope."""

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from consolidation import locks, patterns
from consolidation.consolidation_run import abandon_dead_runs
from consolidation.models import Run
from consolidation.models.groups import MOST_ATTEMPTS, Unread
from memories.models import Event

KIND = "patterns"


def apply_rules(
    *,
    trigger: Run.Trigger,
    wait: bool,
    at: datetime,
    record_empty: bool = True,
    should_stop: Callable[[], bool] = lambda: False,
) -> Run | None:
    """Read every new event with a context once. Never raises for a fault of one event or one rule.

    `wait`: for a scope that another worker is processing; otherwise it is skipped. `record_empty` False: without new
    events there is no row, and None is returned. `should_stop` is asked after each batch; the next run goes on.
    """
    abandon_dead_runs(at=at, kind=KIND)
    if not record_empty and not _has_work():
        return None
    run = Run(kind=KIND, trigger=trigger, status=Run.Status.RUNNING, started_at=at)
    with locks.hold(f"run:{run.pk}", wait=True):  # before the row is visible: a running row without a lock is dead
        run.save(force_insert=True)
        progress = patterns.Progress(at=at)
        _retry_unread(progress, wait=wait)
        _read_pending(run, progress, wait=wait, should_stop=should_stop)
        if aside := Unread.objects.set_aside().count():
            progress.counters["set_aside"] = aside
        error = f"{'; '.join(progress.errors)}: each is tried again"[:2000] if progress.errors else ""
        status = Run.Status.FAILED if progress.errors else Run.Status.SUCCEEDED
        counters = {name: n for name, n in progress.counters.items() if n or name == "events_read"}
        run.finish(status, counters=counters, at=timezone.now(), error=error)
    return run


def retry_set_aside() -> int:
    """Put events that were set aside after three attempts back into the queue; how many."""
    return Unread.objects.set_aside().update(attempts=0)


def _has_work() -> bool:
    retries = Unread.objects.filter(attempts__lt=MOST_ATTEMPTS)
    return retries.exists() or Event.objects.unruled().exists()


def _retry_unread(progress: patterns.Progress, *, wait: bool) -> None:
    scopes = Unread.objects.filter(attempts__lt=MOST_ATTEMPTS).order_by("scope").values_list("scope", flat=True)
    for scope in scopes.distinct():
        with locks.hold(f"consolidate:{scope}", wait=wait) as ours:
            if ours:
                patterns.retry_unread(scope, progress)


def _read_pending(run: Run, progress: patterns.Progress, *, wait: bool, should_stop: Callable[[], bool]) -> None:
    for part in patterns.pending_events():
        total = run.total + sum(map(len, part.values()))
        for scope, events in part.items():
            run.progress(stage=scope or "unscoped", done=run.done, total=total, counters=progress.counters)
            if not _read_scope(scope, events, progress, wait=wait, should_stop=should_stop):
                return
            run.done += len(events)


def _read_scope(
    scope: str, events: list[UUID], progress: patterns.Progress, *, wait: bool, should_stop: Callable[[], bool]
) -> bool:
    """Read the events of one scope; False if the run should stop."""
    with locks.hold(f"consolidate:{scope}", wait=wait) as ours:
        if not ours:
            progress.counters["skipped"] += 1
            return True
        for _ in patterns.read_events(scope, events, progress):
            if should_stop():
                return False
    return True
