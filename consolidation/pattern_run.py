"""One run of the pattern rules over the new events of plugins; one worker at a time in a scope."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db.models import Count
from django.utils import timezone

from consolidation import patterns
from consolidation.execution import Reporter, abandon_dead_runs, counters_before, execute, never
from consolidation.models import Run
from consolidation.models.groups import RuleRetry
from memories import leases
from memories.models import Event

KIND = "patterns"


def apply_rules(
    *,
    trigger: Run.Trigger,
    wait: bool,
    at: datetime,
    record_empty: bool = True,
    should_stop: Callable[[], bool] = never,
) -> Run | None:
    """Read every new event with a context once. Never raises for a fault of one event or one rule.

    `wait`: for a scope that another worker is processing; otherwise it is skipped. `record_empty` False: without new
    events there is no row, and None is returned. `should_stop` is asked after each batch; the next run goes on.
    """
    abandon_dead_runs(KIND, at=at)
    rests = trigger == Run.Trigger.SCHEDULE and Run.objects.pauses(KIND)
    if rests or (not record_empty and not _has_work()):
        return None
    run = Run(kind=KIND, trigger=trigger)
    execute(run, partial(process, wait=wait, should_stop=should_stop), at=at)
    return run


def process(run: Run, *, wait: bool = False, should_stop: Callable[[], bool] = never) -> None:
    """The work of a run: first what failed before, then the new events."""
    report = Reporter(run, counters_before(run, "events_read"))
    count = partial(report.count, "events_read")
    progress = patterns.Progress(at=run.moment, counters=report.counters, count=count)
    _retry_unread(progress, wait=wait)
    _read_pending(report, progress, wait=wait, should_stop=should_stop)
    if aside := RuleRetry.objects.set_aside().count():
        progress.counters["set_aside"] = aside
    error = f"{'; '.join(progress.errors)}: each is tried again"[:2000] if progress.errors else ""
    status = Run.Status.FAILED if progress.errors else Run.Status.SUCCEEDED
    counters = {name: n for name, n in progress.counters.items() if n or name == "events_read"}
    run.finish(status, counters=counters, at=timezone.now(), error=error)


def _has_work() -> bool:
    retries = RuleRetry.objects.due()
    return retries.exists() or Event.objects.unruled().exists()


def _retry_unread(progress: patterns.Progress, *, wait: bool) -> None:
    """First where least waits: what the others leave of the memories that may be created is for the longest queue."""
    due = RuleRetry.objects.due().order_by().values("scope").annotate(waits=Count("pk"))
    scopes = list(due.order_by("waits", "scope").values_list("scope", flat=True))
    for number, scope in enumerate(scopes):
        with leases.hold(f"consolidate:{scope}", wait=wait) as acquired:
            if acquired:
                patterns.retry_unread(scope, progress, scopes=len(scopes) - number)


def _read_pending(
    report: Reporter, progress: patterns.Progress, *, wait: bool, should_stop: Callable[[], bool]
) -> None:
    for part in patterns.pending_events():
        report.total += sum(map(len, part.values()))
        report.stage("events")
        for scope, events in part.items():
            if not _read_scope(scope, events, progress, report, wait=wait, should_stop=should_stop):
                return


def _read_scope(
    scope: str,
    events: list[UUID],
    progress: patterns.Progress,
    report: Reporter,
    *,
    wait: bool,
    should_stop: Callable[[], bool],
) -> bool:
    """Read the events of one scope; False if the run should stop."""
    before = report.done
    with leases.hold(f"consolidate:{scope}", wait=wait) as acquired:
        if not acquired:
            progress.counters["skipped"] += 1
        else:
            for _ in patterns.read_events(scope, events, progress):
                report.batch(min(patterns.BATCH, before + len(events) - report.done), Counter())
                if should_stop():
                    return False
    report.done = before + len(events)
    return True
