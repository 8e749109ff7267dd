"""One run of consolidation over all scopes with new episodes; one worker at a time in a scope.

The steps for a scope: convert former patterns, digest new episodes into patterns, write competences and their skills,
update guidance, write facts about commands and arguments.
"""

from collections import Counter
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from consolidation import locks
from consolidation.guidance import curves, holdback, profiling, skill_worth
from consolidation.models import Pattern, Run
from consolidation.models.profiles import Unmeasured, Unprofiled
from consolidation.pipelines import carrying, competences, facts, sightings
from memories.models import Episode

KIND = "consolidate"


def consolidate(*, trigger: Run.Trigger, wait: bool, at: datetime) -> Run | None:
    """Digest every new episode once and write what it teaches. Never raises for a fault of one item.

    `wait`: for a scope that another worker is processing; otherwise it is skipped. None: a scheduled run with nothing
    to do, which leaves no row.
    """
    abandon_dead_runs(at=at)
    scopes = _scopes()
    if not scopes and trigger == Run.Trigger.SCHEDULE:
        return None
    run = Run(kind=KIND, trigger=trigger, status=Run.Status.RUNNING, started_at=at)
    with locks.hold(f"run:{run.pk}", wait=True):  # before the row is visible: a running row without a lock is dead
        run.save(force_insert=True)
        counters = _process_scopes(run, scopes, wait=wait)
        failed = counters["failed"]
        error = f"{failed} could not be read or written; each says why and is tried again" if failed else ""
        status = Run.Status.FAILED if failed else Run.Status.SUCCEEDED
        run.finish(status, counters=dict(counters), at=timezone.now(), error=error)
    return run


def abandon_dead_runs(*, at: datetime, kind: str = KIND) -> None:
    """Mark runs whose lock nobody holds as failed: their worker died. Their items are still in their queues."""
    for run in Run.objects.filter(kind=kind, status=Run.Status.RUNNING):
        with locks.hold(f"run:{run.pk}", wait=False) as dead:
            if dead:
                run.finish(
                    Run.Status.FAILED, counters=run.counters, at=at, error="its worker died; the next run goes on"
                )


def retry_set_aside() -> int:
    """Put episodes, patterns and facts that were set aside after three attempts back into their queues; how many."""
    episodes = Episode.objects.set_aside().update(digest_attempts=0)
    return episodes + Pattern.objects.stuck().update(attempts=0) + facts.retry_set_aside()


def _scopes() -> list[str]:
    """The scopes with anything to do, sorted."""
    new = Episode.objects.undigested().order_by().values_list("scope", flat=True)
    due = Pattern.objects.due().order_by().values_list("scope", flat=True)
    scopes = set(new.distinct()) | set(due.distinct())
    scopes |= set(Unprofiled.objects.filter(attempts__lt=3).order_by().values_list("scope", flat=True).distinct())
    scopes |= set(Unmeasured.objects.values_list("pk", flat=True))
    scopes |= facts.scopes_due()
    if settings.SIGNATURE != "all":
        scopes |= set(Pattern.objects.replaced().order_by().values_list("scope", flat=True).distinct())
    return sorted(scopes)


def _process_scopes(run: Run, scopes: list[str], *, wait: bool) -> Counter[str]:
    counters: Counter[str] = Counter(episodes_read=0)
    for done, scope in enumerate(scopes):
        run.progress(stage=scope or "unscoped", done=done, total=len(scopes), counters=counters)
        with locks.hold(f"consolidate:{scope}", wait=wait) as ours:
            if ours:
                carrying.carry_over(scope, at=run.moment)
                counters.update(sightings.digest(scope, at=run.moment))
                counters.update(competences.write_competences(scope, run_id=run.pk, at=run.moment))
                counters.update(_update_guidance(scope, at=run.moment))
                counters.update(facts.write_facts(scope, at=run.moment))
            else:
                counters["skipped"] += 1
    return counters


def _update_guidance(scope: str, *, at: datetime) -> Counter[str]:
    """Write the profiles of new runs, then measure guidance and skills on them."""
    counters = profiling.write_waiting(scope)
    if Unmeasured.objects.filter(pk=scope).exists():
        curves.refit(scope, at=at)
        skill_worth.measure(scope, at=at)
        holdback.flag_harm(scope, at=at)
        Unmeasured.objects.filter(pk=scope).delete()
    return counters
