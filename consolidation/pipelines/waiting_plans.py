"""Which plans wait for a person: those that say an order of changes which no skill says.

A plan is kept at its first success. Most say no more than the skill of the same effects, and look-ups alone change
nothing; of those with the same changes in the same order one is enough.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from uuid import UUID

from django.conf import settings

from consolidation.learning.effects.toolnames import code
from consolidation.models import Pattern, PlannedRun, PlanShape, Sighting
from memories.values.choices import LIVE, Status


def note_changes(shapes: Sequence[PlanShape]) -> None:
    """Give these plans their effects in the order of their nodes, those in a row once; without saving them.

    One without any waits no longer.
    """
    patterns = _patterns(shapes)
    for shape in shapes:
        effects = patterns[shape.pk].effects if shape.pk in patterns else []
        kinds = (kind for node in shape.graph["nodes"] for kind in node["op"].split(", "))
        shape.changes = [kind for kind, _ in groupby(kind for kind in kinds if kind in effects)]
        shape.waits = shape.waits and bool(shape.changes)


def _patterns(shapes: Sequence[PlanShape]) -> Mapping[UUID, Pattern]:
    """By plan the pattern of a run that followed it: what counts as an effect was decided when that was read."""
    latest = PlannedRun.objects.filter(shape__in=shapes).order_by("shape", "-at", "-episode_id").distinct("shape")
    runs = dict(latest.values_list("episode_id", "shape_id"))
    seen = Sighting.objects.filter(episode_id__in=runs).select_related("pattern").order_by("pk")
    return {runs[sighting.episode_id]: sighting.pattern for sighting in seen}


def choose(shapes: Iterable[PlanShape]) -> None:
    """Decide anew which plans wait, of those with the same effects as one of these that was seen in enough cases."""
    least = settings.MIN_PATTERN_OCCURRENCES
    enough = [shape for shape in shapes if shape.changes and shape.cases >= least]
    groups = {(shape.sensitivity, *sorted(set(shape.changes))): shape for shape in enough}
    for shape in groups.values():
        alike = list(PlanShape.objects.alike(shape).filter(cases__gte=least).select_related("memory"))
        chosen = _chosen(alike)
        other = [one for one in alike if one.waits != (one == chosen)]
        for one in other:
            one.waits = not one.waits
        PlanShape.objects.bulk_update(other, ["waits"])


def _chosen(alike: Sequence[PlanShape]) -> PlanShape | None:
    """The plan of the most frequent order; None where that is said already, or a person has decided on it."""
    cases = Counter[tuple[str, ...]]()
    for shape in alike:
        cases[tuple(shape.changes)] += shape.cases
    (order, most), *others = cases.most_common()
    same = [shape for shape in alike if tuple(shape.changes) == order]
    decided = any(shape.memory and shape.memory.status != Status.CANDIDATE for shape in same)
    if decided or (others and others[0][1] == most) or not _is_new(order, same[0]):
        return None
    return min(same, key=lambda shape: (-shape.cases, str(shape.pk)))


def _is_new(order: Sequence[str], shape: PlanShape) -> bool:
    """Whether the skills with these effects say another order. Where there are none, they were looked for in the same
    runs and found not worth it: other skills say all of it, or people decided against it."""
    patterns = Pattern.objects.filter(scope=shape.scope, sensitivity=shape.sensitivity, effects=sorted(set(order)))
    said = [_order(pattern, order) for pattern in patterns.filter(memory__status__in=LIVE).select_related("memory")]
    return bool(said) and list(order) not in said


def _order(pattern: Pattern, effects: Sequence[str]) -> list[str]:
    """These effects as the steps of the pattern's skill have them, each once; a command stands in the words of one."""
    assert pattern.memory is not None
    found = []
    for step in pattern.memory.payload.get("recipe", []):
        found += [one for one in sorted(set(effects)) if step["tool"] == one or code(one) in step["step"]][:1]
    return found
