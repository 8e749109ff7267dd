"""Plans that runs share, with the runs that followed each."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Self
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q

from memories.models import Memory
from memories.models.row_queue import DueRow, RowQueue
from memories.models.trusted import Trusted, new_id
from memories.values.choices import LIVE, Outcome


class PlanShapeQuerySet(RowQueue["PlanShape"]):
    """The queue of `pipelines.plans`: plans with new runs since their memory was written."""

    in_queue = Q(due=True)

    def lock(self, ids: Sequence[UUID]) -> list["PlanShape"]:
        """Those of these plans that are still due, read and locked until the transaction ends, in their order; their
        memories are locked first, as a removal does."""
        rows = self.filter(self.in_queue, pk__any=list(ids)).order_by("pk")
        memories = Memory.objects.filter(pk__in=rows.order_by().values("memory")).order_by("pk")
        list(memories.select_for_update(of=("self",)).values_list("pk"))
        return list(rows.select_for_update(no_key=True))

    def settle(self, shapes: Sequence["PlanShape"]) -> None:
        """Mark as written, with their memories and cases: no longer due until the next run.

        One that was counted while they were written keeps its plan due; the rows are locked from here on.
        """
        for shape in shapes:
            shape.settle()
        self.bulk_update(shapes, ["due", "attempts", "error", "cases", "memory", "changes"])
        late = PlannedRun.objects.filter(shape__in=shapes).uncounted()
        self.filter(pk__in=late.order_by().values("shape")).update(due=True)

    def with_effects(self, effects: Collection[str], *, scope: str, sensitivity: int) -> Self:
        """The plans with exactly these effects, in whatever order, those of most cases first."""
        rows = self.filter(scope=scope, sensitivity=sensitivity, memory__status__in=LIVE)
        effect_list = list(effects)
        return rows.filter(changes__contains=effect_list, changes__contained_by=effect_list).order_by("-cases", "pk")


class PlanShape(DueRow):
    """One node sequence with its edges, in one scope and of one sensitivity; the row is the queue (`due`).

    `steps`: the nodes in one line. `graph`: nodes with the names of their arguments, and edges; it holds no value of a
    run. `cases`: the distinct threads of successes among its latest runs. `former`: keys of earlier plans that are the
    same since calls in a row are one node. `changes`: its effects in their order. No person is asked about a plan: the
    skill of these effects shows it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField()
    sha256 = models.BinaryField(max_length=32)
    steps = models.CharField(max_length=500)
    graph = models.JSONField()
    cases = models.IntegerField(default=0)
    memory = models.OneToOneField(Memory, null=True, on_delete=models.SET_NULL, related_name="plan_shape")
    former = ArrayField(models.CharField(max_length=255), default=list)
    changes = ArrayField(models.TextField(), default=list, db_default=[])

    objects = PlanShapeQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scope", "sensitivity", "sha256"], name="plan_shape_is_one_in_its_scope"),
        ]
        indexes = [
            models.Index(fields=["scope"], condition=Q(due=True), name="plan_shape_due"),
            GinIndex(fields=["changes"], name="plan_shape_by_effects"),
        ]

    def __str__(self) -> str:
        return self.steps[:80]

    @property
    def digest(self) -> str:
        return bytes(self.sha256).hex()[:16]


class PlannedRunQuerySet(Trusted["PlannedRun"]):
    trust_path = "shape__"

    def uncounted(self) -> Self:
        """Runs that the plan's memory has not counted yet, or has counted with another outcome."""
        return self.exclude(counted=F("outcome")).order_by("at", "episode_id")

    def counted_as_read(self, runs: Iterable["PlannedRun"]) -> None:
        """Note that the plan's memory has counted these runs, with the outcomes that they had when they were read."""
        by_outcome: dict[str, list[int]] = defaultdict(list)
        for run in runs:
            by_outcome[run.outcome].append(run.pk)
        for outcome, ids in by_outcome.items():
            self.filter(pk__in=ids).update(counted=outcome)

    def of(self, episode_ids: Iterable[UUID]) -> Self:
        return self.filter(episode_id__any=list(episode_ids))


class PlannedRun(models.Model):
    """One run that followed a plan. It survives the episode, and counts once.

    `outcome`: '' once that of its run counts no more. `counted`: the outcome that the plan's memory has counted, ''
    before it has; `given`: digests of its arguments.
    """

    shape = models.ForeignKey(PlanShape, on_delete=models.CASCADE, related_name="runs")
    episode_id = models.UUIDField(unique=True)
    case = models.UUIDField()
    outcome = models.CharField(max_length=8, choices=Outcome, blank=True)
    counted = models.CharField(max_length=8, choices=Outcome, blank=True)
    at = models.DateTimeField()
    given: "models.JSONField[Any, Any]" = models.JSONField(default=dict)

    objects = PlannedRunQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["shape"], condition=~Q(counted=F("outcome")), name="planned_run_uncounted"),
            models.Index(fields=["shape", "-at", "-episode_id"], name="planned_run_latest"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} in {self.episode_id}"
