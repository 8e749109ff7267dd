"""One run of consolidation: scope by scope, one worker a scope, whoever starts it (schedule, command, API, page)."""

from collections import Counter
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from consolidation import locks
from consolidation.guidance import curves, effect, holdback, profiling
from consolidation.models import Pattern, Run
from consolidation.models.profiles import Unmeasured, Unprofiled
from consolidation.pipelines import carrying, competences, facts, sightings
from memories.models import Episode

KIND = "consolidate"


def consolidate(*, trigger: Run.Trigger, wait: bool, at: datetime) -> Run | None:
    """Reads every new episode once and brings what it taught to its end. Never raises for a fault of one item.

    `wait`: for a scope that another worker holds; otherwise that scope is left to it. None: a scheduled run that found
    nothing to do, which leaves no row.
    """
    abandon_dead_runs(at=at)
    scopes = _scopes()
    if not scopes and trigger == Run.Trigger.SCHEDULE:
        return None
    run = Run(kind=KIND, trigger=trigger, status=Run.Status.RUNNING, started_at=at)
    with locks.held(f"run:{run.pk}", wait=True):  # before the row can be seen: what runs unheld is dead
        run.save(force_insert=True)
        counters = _scope_by_scope(run, scopes, wait=wait)
        failed = counters["failed"]
        error = f"{failed} could not be read or written; each says why and is tried again" if failed else ""
        status = Run.Status.FAILED if failed else Run.Status.SUCCEEDED
        run.finish(status, counters=dict(counters), at=timezone.now(), error=error)
    return run


def abandon_dead_runs(*, at: datetime, kind: str = KIND) -> None:
    """A run whose lock nobody holds has lost its worker: it is said so, and its items are still in their queues."""
    for run in Run.objects.filter(kind=kind, status=Run.Status.RUNNING):
        with locks.held(f"run:{run.pk}", wait=False) as dead:
            if dead:
                run.finish(
                    Run.Status.FAILED, counters=run.counters, at=at, error="its worker died; the next run goes on"
                )


def retry_set_aside() -> int:
    """Puts what was set aside after three attempts back into its queue; how many."""
    episodes = Episode.objects.set_aside().update(digest_attempts=0)
    return episodes + Pattern.objects.stuck().update(attempts=0) + facts.retry_set_aside()


def _scopes() -> list[str]:
    new = Episode.objects.undigested().order_by().values_list("scope", flat=True)
    due = Pattern.objects.due().order_by().values_list("scope", flat=True)
    found = set(new.distinct()) | set(due.distinct())
    found |= set(Unprofiled.objects.filter(attempts__lt=3).order_by().values_list("scope", flat=True).distinct())
    found |= set(Unmeasured.objects.values_list("pk", flat=True))
    found |= facts.scopes_due()
    if settings.SIGNATURE != "all":
        found |= set(Pattern.objects.replaced().order_by().values_list("scope", flat=True).distinct())
    return sorted(found)


def _scope_by_scope(run: Run, scopes: list[str], *, wait: bool) -> Counter[str]:
    counters: Counter[str] = Counter(episodes_read=0)
    for done, scope in enumerate(scopes):
        run.progress(stage=scope or "unscoped", done=done, total=len(scopes), counters=counters)
        with locks.held(f"consolidate:{scope}", wait=wait) as ours:
            if ours:
                carrying.carry_over(scope, at=run.moment)
                counters.update(sightings.digest(scope, at=run.moment))
                counters.update(competences.write_down(scope, run_id=run.pk, at=run.moment))
                counters.update(_profile(scope, at=run.moment))
                counters.update(facts.write_down(scope, at=run.moment))
            else:
                counters["skipped"] += 1
    return counters


def _profile(scope: str, *, at: datetime) -> Counter[str]:
    """What guidance is told by: the profiles of new runs, and how often it would have been right."""
    counters = profiling.write_waiting(scope)
    if Unmeasured.objects.filter(pk=scope).exists():
        curves.refit(scope, at=at)
        effect.measure(scope, at=at)
        holdback.flag_harm(scope, at=at)
        Unmeasured.objects.filter(pk=scope).delete()
    return counters
