"""One run of the pattern rules over what plugins reported: scope by scope, one worker a scope, whoever starts it."""

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


def rule(
    *, trigger: Run.Trigger, wait: bool, at: datetime, asked: bool = True, enough: Callable[[], bool] = lambda: False
) -> Run | None:
    """Reads every new event with a context once. Never raises for a fault of one event or one rule.

    `wait`: for a scope that another worker holds; otherwise that scope is left to it. `asked` False: when there is
    nothing to read this leaves no row and answers None. What `enough` leaves is read by the next run.
    """
    abandon_dead_runs(at=at, kind=KIND)
    if not asked and not _has_work():
        return None
    run = Run(kind=KIND, trigger=trigger, status=Run.Status.RUNNING, started_at=at)
    with locks.held(f"run:{run.pk}", wait=True):  # before the row can be seen: what runs unheld is dead
        run.save(force_insert=True)
        progress = patterns.Progress(at=at)
        _read_again(progress, wait=wait)
        _read(run, progress, wait=wait, enough=enough)
        if aside := Unread.objects.set_aside().count():
            progress.counters["set_aside"] = aside
        error = f"{'; '.join(progress.errors)}: each is tried again"[:2000] if progress.errors else ""
        status = Run.Status.FAILED if progress.errors else Run.Status.SUCCEEDED
        counters = {name: n for name, n in progress.counters.items() if n or name == "events_read"}
        run.finish(status, counters=counters, at=timezone.now(), error=error)
    return run


def retry_set_aside() -> int:
    """Gives the rules again what was set aside after three attempts; how many events."""
    return Unread.objects.set_aside().update(attempts=0)


def _has_work() -> bool:
    again = Unread.objects.filter(attempts__lt=MOST_ATTEMPTS)
    return again.exists() or Event.objects.unruled().exists()


def _read_again(progress: patterns.Progress, *, wait: bool) -> None:
    scopes = Unread.objects.filter(attempts__lt=MOST_ATTEMPTS).order_by("scope").values_list("scope", flat=True)
    for scope in scopes.distinct():
        with locks.held(f"consolidate:{scope}", wait=wait) as ours:
            if ours:
                patterns.read_again(scope, progress)


def _read(run: Run, progress: patterns.Progress, *, wait: bool, enough: Callable[[], bool]) -> None:
    for part in patterns.unread():
        total = run.total + sum(map(len, part.values()))
        for scope, events in part.items():
            run.progress(stage=scope or "unscoped", done=run.done, total=total, counters=progress.counters)
            if not _of_scope(scope, events, progress, wait=wait, enough=enough):
                return
            run.done += len(events)


def _of_scope(
    scope: str, events: list[UUID], progress: patterns.Progress, *, wait: bool, enough: Callable[[], bool]
) -> bool:
    """False: it is enough."""
    with locks.held(f"consolidate:{scope}", wait=wait) as ours:
        if not ours:
            progress.counters["skipped"] += 1
            return True
        for _ in patterns.read(scope, events, progress):
            if enough():
                return False
    return True
