"""Conversion of plans from the time before calls of one tool in a row were one node.

It uses their rows alone, for episodes may be deleted: plans that are the same by now become one, with the runs of all,
and no count falls. It runs before a scope is digested, and has nothing to do the next time.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from consolidation.learning.folded_graphs import folded, moved
from consolidation.learning.plan_graphs import identity, intent, united
from consolidation.models import PlannedRun, PlanShape
from consolidation.pipelines.plans import keys_of, witnesses
from memories.intake import evidence
from memories.intake.revisions.superseding import supersede
from memories.models import Memory, claim_locks
from memories.values.choices import LIVE, Status
from memories.values.trust import SYSTEM

WHY = "the same steps, how often each is repeated aside: one plan stands for them"


@dataclass(frozen=True)
class _Former:
    """A plan of then, with its graph and the numbers of its nodes as they are now."""

    shape: PlanShape
    graph: dict[str, Any]
    numbers: dict[int, int]


def fold_plans(scope: str, *, at: datetime) -> None:
    """Convert the plans of a scope; those that become one in one transaction."""
    groups: dict[tuple[int, bytes], list[_Former]] = defaultdict(list)
    for shape in PlanShape.objects.with_rows().filter(scope=scope).order_by("pk").select_related("memory"):
        if found := folded(shape.graph):
            graph, numbers = found
            sha256 = identity([node["op"] for node in graph["nodes"]], graph["edges"])
            groups[shape.sensitivity, sha256].append(_Former(shape, graph, numbers))
    for (sensitivity, sha256), former in groups.items():
        with transaction.atomic():
            claim_locks.to_decide(scope)
            known = PlanShape.objects.filter(scope=scope, sensitivity=sensitivity, sha256=sha256)
            _unite(sha256, former, known.select_related("memory").first(), at=at)


def _unite(sha256: bytes, former: Sequence[_Former], known: PlanShape | None, *, at: datetime) -> None:
    shapes = [*([known] if known else []), *(one.shape for one in former)]
    best = known if known and _stays_dismissed(known, shapes) else max(shapes, key=_standing)
    graphs = [*([known.graph] if known else []), *(one.graph for one in former)]
    for graph in graphs[1:]:
        united(graphs[0], graph)
    keys = sorted({key for one in former for key in keys_of(one.shape)} | {key for one in shapes for key in one.former})
    _move_runs(best, former, known)
    PlanShape.objects.filter(pk__in=[shape.pk for shape in shapes if shape != best]).delete()
    best.sha256, best.graph, best.steps = sha256, graphs[0], intent(graphs[0])
    best.former, best.due, best.attempts = keys, True, 0
    best.save()
    others = [shape for shape in shapes if shape != best]
    if best.memory and best.memory.status in LIVE:
        _count_runs(best, at=at)
    if best.memory:
        _supersede_waiting(best.memory, others, at=at)


def _stays_dismissed(known: PlanShape, shapes: Sequence[PlanShape]) -> bool:
    """Whether people dismissed the very plan that the others become, and believe none of them."""
    believed = any(_standing(shape)[0] == 3 for shape in shapes)
    return bool(known.memory and known.memory.status == Status.DISMISSED) and not believed


def _standing(shape: PlanShape) -> tuple[int, int, str]:
    """Which plan stays: one that people believe, else one that waits, else one that they dismissed."""
    memory = shape.memory
    live = 0 if memory is None else 1 if memory.status not in LIVE else 2 if memory.status == Status.CANDIDATE else 3
    return live, shape.cases, str(shape.pk)


def _move_runs(best: PlanShape, former: Sequence[_Former], known: PlanShape | None) -> None:
    for one in former:
        runs = list(one.shape.runs.all())
        for run in runs:
            run.given = moved(run.given, one.numbers)
        PlannedRun.objects.bulk_update(runs, ["given"], batch_size=500)
        if one.shape != best:
            one.shape.runs.update(shape=best, counted="")
    if known and known != best:
        known.runs.update(shape=best, counted="")


def _count_runs(best: PlanShape, *, at: datetime) -> None:
    """Count the runs of the others for the plan that stays, without a gain in salience."""
    assert best.memory is not None
    uncounted = list(best.runs.uncounted())
    evidence.count(best.memory, witnesses(uncounted), at=at, founding=True)
    PlannedRun.objects.filter(pk__in=[run.pk for run in uncounted]).update(counted=F("outcome"))


def _supersede_waiting(memory: Memory, others: Sequence[PlanShape], *, at: datetime) -> None:
    """Let it take the place of those that wait. What people believe besides remains."""
    for shape in others:
        if shape.memory and shape.memory.status == Status.CANDIDATE:
            supersede(shape.memory, memory, by=SYSTEM, why=WHY, at=at)
