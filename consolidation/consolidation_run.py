"""One run of consolidation over all scopes with new episodes; one worker at a time in a scope.

The steps for a scope: convert former patterns and plans, read new episodes for all that learns from them, write
competences and their skills, update guidance, write facts about commands and arguments, plans, and what users stated.
"""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from consolidation.execution import Reporter, abandon_dead_runs, counters_before, execute, never, rare_collections
from consolidation.guidance import latest_runs, offer_benefit, profiling, run_verdicts, skill_worth
from consolidation.guidance.latest_runs import LatestOfScope
from consolidation.models import Pattern, PlanShape, Run, RunStep
from consolidation.models.profiles import PendingMeasurement, PendingProfile
from consolidation.models.statement_messages import StatementMessage
from consolidation.pipelines import competences, facts, plans, regrouping, sightings, user_statements
from consolidation.pipelines.tool_rules import observe, tool_rules
from memories import leases
from memories.intake.episodes import agreement
from memories.models import Episode

KIND = "consolidate"
NO_SCOPE = "(no scope)"  # as the name of a step; no scope has such a name
AFTER = (profiling.write,)  # what reads each batch of new episodes after `sightings.READERS`, in its own transaction


def consolidate(
    *, trigger: Run.Trigger, wait: bool, at: datetime, should_stop: Callable[[], bool] = never
) -> Run | None:
    """Digest every new episode once and write what it teaches. Never raises for a fault of one item.

    `wait`: for a scope that another worker is processing; otherwise it is skipped. None: a scheduled run with nothing
    to do, or while consolidation is paused, which leaves no row. `should_stop` is asked after each batch: then the run
    is queued again.
    """
    abandon_dead_runs(KIND, at=at)
    agreement.recount()
    if trigger == Run.Trigger.SCHEDULE and (Run.objects.pauses(KIND) or not _scopes()):
        return None
    run = Run(kind=KIND, trigger=trigger)
    execute(run, partial(process, wait=wait, should_stop=should_stop), at=at)
    return run


def process(run: Run, *, wait: bool = False, should_stop: Callable[[], bool] = never) -> None:
    """The work of a run, scope by scope; each scope is a step."""
    report, scopes = Reporter(run, counters_before(run, "episodes_read"), should_stop), _scopes()
    report.total += Episode.objects.undigested().count()
    with rare_collections():
        for position, scope in enumerate(scopes):
            _process_step(run, scope, position, report, wait=wait)
    failures = report.counters["failed"]
    error = f"{failures} could not be read or written; each says why and is tried again" if failures else ""
    status = Run.Status.FAILED if failures else Run.Status.SUCCEEDED
    counters = {name: n for name, n in report.counters.items() if n or name == "episodes_read"}
    run.finish(status, counters=counters, at=timezone.now(), error=error)


def _scopes() -> list[str]:
    """The scopes with anything to do, sorted."""
    queues: list[QuerySet[Any]] = [Episode.objects.undigested(), PendingMeasurement.objects.all()]
    queues += [Pattern.objects.due(), PendingProfile.objects.due(), *(kind.objects.due() for kind in facts.KINDS)]
    queues += [PlanShape.objects.due(), StatementMessage.objects.due()]
    if settings.SIGNATURE != "all":
        queues.append(regrouping.former())
    first, *other_queries = [queue.order_by().values_list("scope", flat=True).distinct() for queue in queues]
    return sorted(first.union(*other_queries))


def _process_step(run: Run, scope: str, position: int, report: Reporter, *, wait: bool) -> None:
    step = run.begin_step(scope or NO_SCOPE, scope=scope, position=position, at=timezone.now())
    before = report.counters["failed"]
    with leases.hold(f"consolidate:{scope}", wait=wait) as acquired:
        if acquired:
            _process_scope(run, scope, report)
    failures = report.counters["failed"] - before
    if not acquired:
        report.add(Counter(skipped=1))
        step.finish(RunStep.Status.SKIPPED, at=timezone.now(), reason="another worker is processing it")
    elif failures:
        step.finish(RunStep.Status.FAILED, at=timezone.now(), reason=f"{failures} could not be read or written")
    else:
        step.finish(RunStep.Status.SUCCEEDED, at=timezone.now())


def _process_scope(run: Run, scope: str, report: Reporter) -> None:
    at, checkpoint = run.moment, report.batch
    report.stage("episodes")
    regrouping.regroup(scope, at=at)
    count = partial(report.count, "episodes_read")
    report.add(sightings.digest(scope, at=at, after=AFTER, count=count, checkpoint=checkpoint))
    observe(scope, tool_rules(), at=at)
    report.stage("skills")
    report.add(competences.write_competences(scope, run_id=run.pk, at=at, checkpoint=checkpoint))
    report.stage("guidance")
    report.add(_update_guidance(scope, report, at=at))
    report.stage("facts")
    report.add(facts.write_facts(scope, at=at, checkpoint=checkpoint))
    report.stage("plans")
    report.add(plans.write_plans(scope, at=at, checkpoint=checkpoint))
    report.stage("statements")
    report.add(user_statements.write_statements(scope, at=at, checkpoint=checkpoint))


def _update_guidance(scope: str, report: Reporter, *, at: datetime) -> Counter[str]:
    """Write the profiles that are still missing, then measure guidance and skills on them."""
    counters, latest = profiling.write_waiting(scope, checkpoint=report.batch), LatestOfScope(scope)
    if PendingMeasurement.objects.filter(pk=scope).exists():
        latest_runs.refit(latest, at=at)
        skill_worth.measure(latest, at=at)
        offer_benefit.measure(scope, at=at)
        PendingMeasurement.objects.filter(pk=scope).delete()
    run_verdicts.judge_new(latest, at=at)
    return counters
