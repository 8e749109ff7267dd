"""Plans that successful runs followed become memories of type plan_graph, one for each node sequence with its edges.

The plan's row is the queue (`due`). The first success makes the memory, which waits for nobody: the page of the skill
with its effects shows it. Most plans are seen once, so new ones are written a batch at a time.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain, groupby
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from consolidation.learning import plan_graphs
from consolidation.models import Pattern, PlannedRun, PlanShape, Sighting
from consolidation.pipelines import recorded
from consolidation.pipelines.attempts import Checkpoint, attempt, no_checkpoint
from consolidation.pipelines.competence_writing import SOURCE
from consolidation.pipelines.counting import digest
from consolidation.pipelines.tool_rules import tool_rules
from memories.intake import admission, evidence
from memories.intake.evidence import Witness, record_suppressed
from memories.intake.inserting import insert_memories
from memories.intake.statements import Statement
from memories.models import Episode, Memory, Passage, claim_locks
from memories.models.digest_key import DigestKey
from memories.values.choices import LIVE, Hold, Origin, Outcome, Sensitivity, Status, Type
from memories.values.trust import SYSTEM, everything

BATCH = 50
CONFIDENCE = 70
LATEST = 200  # runs of which cases are counted, and that tell which arguments are the same for everybody


def write_plans(scope: str, *, at: datetime, checkpoint: Checkpoint = no_checkpoint) -> Counter[str]:
    """Write every due plan of a scope. Counters: plans_created, plans_reinforced, suppressed, failed."""
    counters: Counter[str] = Counter()
    last = UUID(int=0)
    while ids := list(_due(scope, last)):
        last = ids[-1]
        counters.update(attempt(PlanShape.objects.all(), ids, lambda ids: _write(scope, ids, at=at)))
        checkpoint(0, counters)
    return counters


def _due(scope: str, last: UUID) -> Iterable[UUID]:
    rows = PlanShape.objects.due().filter(scope=scope, pk__gt=last).order_by("pk")
    return rows.values_list("pk", flat=True)[:BATCH]


@transaction.atomic
def _write(scope: str, ids: Sequence[UUID], *, at: datetime) -> Counter[str]:
    """Bring plans of one scope to their end, except those that another worker has written meanwhile."""
    claim_locks.to_store(scope)
    shapes = PlanShape.objects.lock(ids)
    runs_of_shape: dict[UUID, list[PlannedRun]] = defaultdict(list)
    for run in PlannedRun.objects.filter(shape__in=shapes).uncounted():
        runs_of_shape[run.shape_id].append(run)
    _find_imported(scope, shapes)
    with_memory = [shape for shape in shapes if shape.memory_id]
    counters = _create([shape for shape in shapes if not shape.memory_id], at=at)
    for shape in with_memory:
        counters.update(_meet(shape, runs_of_shape[shape.pk], at=at))
    PlannedRun.objects.counted_as_read(chain.from_iterable(runs_of_shape.values()))
    _note_changes(shapes)
    PlanShape.objects.settle(shapes)
    return counters


def _find_imported(scope: str, shapes: Sequence[PlanShape]) -> None:
    """Give plans without a memory the one that an import brought under their key; without saving them."""
    shape_of_key = {key_of(shape): shape for shape in shapes if not shape.memory_id}
    imports = Memory.objects.live().filter(scope=scope, key__in=shape_of_key, type=Type.PLAN_GRAPH, plan_shape=None)
    by_key = {memory.key: memory for memory in imports.filter(origin=Origin.IMPORTED)} if shape_of_key else {}
    for key, shape in shape_of_key.items():
        if (memory := by_key.get(key)) and memory.sensitivity >= shape.sensitivity:
            shape.memory = memory


def _create(shapes: Sequence[PlanShape], *, at: datetime) -> Counter[str]:
    """Candidates of the plans with a success, except of those that a person dismissed or had forgotten."""
    runs: dict[UUID, list[PlannedRun]] = defaultdict(list)
    for run in PlannedRun.objects.filter(shape__in=shapes).order_by("at", "episode_id"):
        runs[run.shape_id].append(run)
    counters: Counter[str] = Counter()
    keys = [key for shape in shapes for key in keys_of(shape)]
    unmet = not shapes or not admission.is_dismissed_key(shapes[0].scope, *keys)
    for shape in shapes:
        shape.cases = _cases_well(runs[shape.pk])
        if shape.cases and (unmet or not _is_dismissed(shape, runs[shape.pk], counters, at=at)):
            statement = _statement(shape, runs[shape.pk])
            asked: dict[str, Any] = {"no_tombstones": unmet, "decided": True}  # its shape tells it from a dismissed one
            shape.memory = admission.admit(statement, trust=everything(SYSTEM), at=at, provenance={}, **asked).memory
    fresh = {shape.memory: witnesses(runs[shape.pk]) for shape in shapes if shape.memory}
    insert_memories(list(fresh), by=SYSTEM, at=at, why="a run that ended well followed it")
    evidence.count_founders(fresh)
    return counters + Counter(plans_created=len(fresh))


def _is_dismissed(shape: PlanShape, runs: Sequence[PlannedRun], counters: Counter[str], *, at: datetime) -> bool:
    stone = admission.dismissed_key(shape.scope, *keys_of(shape))
    if stone is None:
        return False
    admission.suppress(stone, _statement(shape, runs), trust=everything(SYSTEM), at=at)
    counters["suppressed"] += 1
    return True


def _meet(shape: PlanShape, fresh: Sequence[PlannedRun], *, at: datetime) -> Counter[str]:
    """Count new runs of a plan that has a memory."""
    memory = Memory.objects.select_for_update(of=("self",)).get(pk__in=[shape.memory_id])
    if memory.status not in LIVE:  # people dismissed it or took it back: it is noted that it was met again
        record_suppressed(memory, dict.fromkeys((run.at for run in fresh), ""), source=SOURCE)
        return Counter(suppressed=len(fresh))
    latest = list(shape.runs.order_by("-at", "-episode_id")[:LATEST])[::-1]
    cases = _cases_well(latest)
    shape.cases = cases if len(latest) < LATEST else max(shape.cases, cases)
    new = evidence.count(memory, witnesses(fresh), at=at)
    if memory.status == Status.CANDIDATE and memory.hold == Hold.NONE:
        _follow(memory, shape, latest, at=at)
    return Counter(plans_reinforced=1) if new else Counter()


def _follow(memory: Memory, shape: PlanShape, latest: Sequence[PlannedRun], *, at: datetime) -> None:
    """Until a person decides, arguments follow the runs; the line of steps is another where plans were folded."""
    statement = _statement(shape, latest)
    if memory.content != statement.content:
        dismissal, columns = admission.admit_new_words(memory, statement, trust=everything(SYSTEM))
        if dismissal.blocking is None:
            Memory.objects.filter(pk=memory.pk).update(**columns, updated_at=at)
            Passage.objects.rewrite(Memory.objects.get(pk=memory.pk))
    elif statement.payload != memory.payload:
        Memory.objects.filter(pk=memory.pk).update(payload=statement.payload)


def _cases_well(runs: Sequence[PlannedRun]) -> int:
    return len({run.case for run in runs if run.outcome == Outcome.SUCCESS})


def witnesses(runs: Sequence[PlannedRun]) -> list[Witness]:
    return [Witness(run.episode_id, Outcome(run.outcome) if run.outcome else None, run.at) for run in runs]


def _statement(shape: PlanShape, runs: Sequence[PlannedRun]) -> Statement:
    return Statement(
        content=shape.steps,
        key=key_of(shape),
        scope=shape.scope,
        source=SOURCE,
        confidence=CONFIDENCE,
        category=None,
        origin=Origin.CONSOLIDATED,
        type=Type.PLAN_GRAPH,
        payload=_payload(shape, runs),
        sensitivity=Sensitivity(shape.sensitivity),
        names=keys_of(shape),
    )


def _payload(shape: PlanShape, runs: Sequence[PlannedRun]) -> dict[str, Any]:
    identity = {"kind": Type.PLAN_GRAPH.value, "plan_id": key_of(shape), "intent": shape.steps}
    return identity | plan_graphs.payload(shape.graph, _constants(shape, runs[-LATEST:]))


def _readable(run: PlannedRun, sensitivity: int) -> list[UUID]:
    """The episode of a run, unless it is more secret since it was counted."""
    rows = Episode.objects.filter(pk=run.episode_id, memory__sensitivity__lte=sensitivity)
    return list(rows.values_list("pk", flat=True))


def _constants(shape: PlanShape, runs: Sequence[PlannedRun]) -> dict[str, str | bool]:
    """The arguments that are the same for everybody, with their values, read from the latest run if it is there."""
    common = plan_graphs.common((run.case, run.given) for run in runs)
    if not common:
        return {}
    key = DigestKey.current()
    latest = recorded.runs(_readable(runs[-1], shape.sensitivity))
    plan = plan_graphs.plan_of(latest[0], tool_rules()) if latest else None
    arguments = plan.input_values if plan else {}
    return {
        place: value
        for place, expected in common.items()
        if (value := arguments.get(place)) is not None and digest(place, value, key) == expected
    }


def key_of(shape: PlanShape) -> str:
    usual = shape.sensitivity == Sensitivity.named(settings.DEFAULT_SENSITIVITY)
    return keys_of(shape)[0] if usual else f"{keys_of(shape)[0]}-{Sensitivity(shape.sensitivity).label}"


def keys_of(shape: PlanShape) -> list[str]:
    """Of all levels: what was dismissed at one is not proposed at another."""
    plain = f"plan-{shape.digest}"
    return [plain, *(f"{plain}-{label}" for label in Sensitivity.labels), *shape.former]


def _note_changes(shapes: Sequence[PlanShape]) -> None:
    """Give these plans their effects in the order of their nodes, those in a row once; without saving them."""
    patterns = _patterns_of(shapes)
    for shape in shapes:
        effects = patterns[shape.pk].effects if shape.pk in patterns else []
        kinds = (kind for node in shape.graph["nodes"] for kind in node["op"].split(", "))
        shape.changes = [kind for kind, _ in groupby(kind for kind in kinds if kind in effects)]


def _patterns_of(shapes: Sequence[PlanShape]) -> Mapping[UUID, Pattern]:
    """By plan the pattern of a run that followed it: what counts as an effect was decided when that was read."""
    latest = PlannedRun.objects.filter(shape__in=shapes).order_by("shape", "-at", "-episode_id").distinct("shape")
    runs = dict(latest.values_list("episode_id", "shape_id"))
    sightings = Sighting.objects.filter(episode_id__in=runs).select_related("pattern").order_by("pk")
    return {runs[sighting.episode_id]: sighting.pattern for sighting in sightings}
