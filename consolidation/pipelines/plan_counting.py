"""Counting runs for the plans that they follow: a run belongs to one plan, once, whatever is read again.

A handful of statements for a batch of runs, however many plans they are.
"""

import hmac
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.plan_graphs import RunPlan, intent, plan_of, united
from consolidation.learning.runs.run import Run
from consolidation.models import PlannedRun, PlanShape, case_of
from memories.models import Episode
from memories.models.digest_key import DigestKey

Identity = tuple[str, int, bytes]  # scope, sensitivity, sha256
DIGEST = 6  # bytes


def count_plans(runs: Sequence[tuple[Run, Episode]], rules: ToolRules) -> None:
    """Count these runs; one that was counted before has its outcome kept up to date."""
    counted = {row.episode_id: row for row in PlannedRun.objects.of(run.id for run, _ in runs)}
    _correct(counted, runs)
    plans = [(run, episode, plan) for run, episode in runs if run.id not in counted and (plan := plan_of(run, rules))]
    if not plans:
        return
    shapes = _shapes((_identity(episode, plan), plan) for _, episode, plan in plans)
    key = DigestKey.current()
    of_runs = [shapes[_identity(episode, plan)].pk for _, episode, plan in plans]
    rows = [
        PlannedRun(
            shape_id=shape,
            episode_id=run.id,
            case=case_of(run.thread_id, run.id),
            outcome=run.outcome,
            at=run.at,
            given=digests(plan, key),
        )
        for shape, (run, _, plan) in zip(of_runs, plans, strict=True)
    ]
    PlannedRun.objects.bulk_create(rows, ignore_conflicts=True)
    _touch(set(of_runs))


def discount(ids: Sequence[UUID]) -> None:
    """Take back what was counted of these runs, whose outcome counts no more."""
    runs = PlannedRun.objects.of(ids).exclude(outcome="")
    if shapes := set(runs.values_list("shape", flat=True)):
        runs.update(outcome="")
        _touch(shapes)


def digests(plan: RunPlan, key: bytes) -> dict[str, str]:
    """The arguments of a run as digests, '' for one that may not be told; they tell the same value from another."""
    return {place: "" if value is None else digest(place, value, key) for place, value in plan.given.items()}


def digest(place: str, value: str | bool, key: bytes) -> str:
    return hmac.digest(key, f"{place}={value}".encode("utf-8", "surrogatepass"), "sha256")[:DIGEST].hex()


def _identity(episode: Episode, plan: RunPlan) -> Identity:
    return episode.scope, episode.memory.sensitivity, plan.sha256


def _correct(counted: dict[UUID, PlannedRun], runs: Sequence[tuple[Run, Episode]]) -> None:
    moved = [row for run, _ in runs if (row := counted.get(run.id)) and row.outcome != run.outcome]
    outcomes: dict[UUID, str] = {run.id: run.outcome for run, _ in runs}
    for row in moved:
        PlannedRun.objects.filter(pk=row.pk).update(outcome=outcomes[row.episode_id])
    if moved:
        _touch({row.shape_id for row in moved})


def _shapes(planned: Iterable[tuple[Identity, RunPlan]]) -> dict[Identity, PlanShape]:
    """The rows of these plans, those that are new created; arguments that were not seen before are added."""
    plans: dict[Identity, list[dict[str, Any]]] = {}
    for identity, plan in planned:
        plans.setdefault(identity, []).append(plan.graph)
    rows = [
        PlanShape(scope=scope, sensitivity=sensitivity, sha256=sha256, graph=graphs[0], steps=intent(graphs[0]))
        for (scope, sensitivity, sha256), graphs in sorted(plans.items(), key=lambda item: item[0])
    ]
    PlanShape.objects.bulk_create(rows, ignore_conflicts=True)
    known = PlanShape.objects.filter(sha256__in=[row.sha256 for row in rows], scope__in={row.scope for row in rows})
    shapes = {(row.scope, row.sensitivity, bytes(row.sha256)): row for row in known}
    grown = {shapes[one] for one, graphs in plans.items() for graph in graphs if united(shapes[one].graph, graph)}
    PlanShape.objects.bulk_update(grown, ["graph"])
    return shapes


def _touch(ids: set[UUID]) -> None:
    PlanShape.objects.filter(pk__in=ids).update(due=True)
