"""What a plan changes: the effects of its runs in the order of its nodes."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from uuid import UUID

from consolidation.models import Pattern, PlannedRun, PlanShape, Sighting


def note_changes(shapes: Sequence[PlanShape]) -> None:
    """Give these plans their effects in the order of their nodes, those in a row once; without saving them."""
    patterns = _patterns(shapes)
    for shape in shapes:
        effects = patterns[shape.pk].effects if shape.pk in patterns else []
        kinds = (kind for node in shape.graph["nodes"] for kind in node["op"].split(", "))
        shape.changes = [kind for kind, _ in groupby(kind for kind in kinds if kind in effects)]


def _patterns(shapes: Sequence[PlanShape]) -> Mapping[UUID, Pattern]:
    """By plan the pattern of a run that followed it: what counts as an effect was decided when that was read."""
    latest = PlannedRun.objects.filter(shape__in=shapes).order_by("shape", "-at", "-episode_id").distinct("shape")
    runs = dict(latest.values_list("episode_id", "shape_id"))
    seen = Sighting.objects.filter(episode_id__in=runs).select_related("pattern").order_by("pk")
    return {runs[sighting.episode_id]: sighting.pattern for sighting in seen}
