"""Patterns counted by all tools of a run, and plans of the time before calls of one tool in a row were one node.

Plans become those of today here, by their rows alone: those that are the same become one, with the runs of all. Patterns
get the effects of today and FORMER beside them: the next consolidation of their scope merges them, as it does when a
person decides that a tool only reads.
"""

import hashlib
from collections import Counter, defaultdict
from itertools import groupby

from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q
from django.utils import timezone

from consolidation.learning.effects.effects import NO_ACTION, are_of_lines, characteristic_kinds
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.plan_graphs import LEAST_NODES, identity, intent, united
from memories.values.choices import LIVE, Sensitivity, Status
from memories.values.trust import SYSTEM

FORMER = ""
WHY = "the same steps, how often each is repeated aside: one plan stands for them"


def mark_patterns(apps, _editor):
    Pattern, ToolDecision = (apps.get_model("consolidation", name) for name in ("Pattern", "ToolDecision"))
    decided = ToolDecision.objects.exclude(only_reads=None).values_list("tool", "only_reads")
    rules = ToolRules(
        ignored=frozenset(settings.IGNORED_TOOLS),
        handover=tuple(settings.HANDOVER_TOOLS),
        command_tools=frozenset(settings.COMMAND_TOOLS),
        marked=dict(decided),
    )
    for pattern in Pattern.objects.order_by("pk"):
        kinds = _effects(Pattern, pattern, rules)
        if pattern.kind == "exact" and settings.SIGNATURE == "all":
            continue
        if pattern.kind != "effects" or kinds != frozenset(pattern.effects):
            sha256 = hashlib.sha256(f"{pattern.kind} {pattern.signature}".encode()).digest()
            place = {"kind": "effects", "signature_sha256": sha256, "effects": [*sorted(kinds), FORMER]}
            Pattern.objects.filter(pk=pattern.pk).update(**place)


def _effects(Pattern, pattern, rules):
    """What an exact pattern changed stands in the general one that saw the same episodes; none saw them: nothing."""
    if pattern.effects:
        kinds = frozenset(pattern.effects)
        return characteristic_kinds(kinds) if are_of_lines(kinds) else kinds
    name = pattern.signature
    if pattern.kind == "effects":
        return frozenset()
    if pattern.kind == "exact":
        seen = pattern.sightings.values("episode_id")[:1]
        general = Pattern.objects.filter(kind="general", sightings__episode_id__in=seen).first()
        name = general.signature if general else ""
    return frozenset(kind for kind in name.split("+") if kind and kind != NO_ACTION and rules.is_effect(kind))


def fold_plans(apps, _editor):
    PlanShape = apps.get_model("consolidation", "PlanShape")
    groups = defaultdict(list)
    repeated = PlanShape.objects.filter(Q(steps__contains=" ×") | Q(steps__endswith="…"))
    for shape in repeated.order_by("pk").select_related("memory"):
        if found := _folded(shape.graph):
            shape.graph, numbers = found
            sha256 = identity([node["op"] for node in shape.graph["nodes"]], shape.graph["edges"])
            groups[shape.scope, shape.sensitivity, sha256].append((shape, numbers))
    for (scope, sensitivity, sha256), former in groups.items():
        known = PlanShape.objects.filter(scope=scope, sensitivity=sensitivity, sha256=sha256)
        _unite(apps, sha256, former, list(known.select_related("memory")))


def _unite(apps, sha256, former, known):
    """One plan with the runs of all, which the next consolidation counts for it."""
    shapes = [*known, *(shape for shape, _ in former)]
    believed = any(_rank(shape)[0] == 3 for shape in shapes)
    stays_dismissed = known and known[0].memory and known[0].memory.status == Status.DISMISSED and not believed
    best = known[0] if stays_dismissed else max(shapes, key=_rank)
    others = [shape for shape in shapes if shape != best]
    keys = {key for shape, _ in former for key in _keys(shape)} | {key for shape in shapes for key in shape.former}
    graph = shapes[0].graph
    for shape in shapes[1:]:
        united(graph, shape.graph)
    for shape, numbers in former:
        runs = list(shape.runs.all())
        for run in runs:
            run.given = _moved(run.given, numbers)
        shape.runs.model.objects.bulk_update(runs, ["given"], batch_size=500)
    for shape in others:
        shape.runs.update(shape=best, counted="")
        shape.delete()
    best.sha256, best.graph, best.steps, best.former = sha256, graph, intent(graph), sorted(keys)
    best.due, best.attempts = True, 0
    best.save()
    for shape in others:
        if best.memory and shape.memory and shape.memory.status == Status.CANDIDATE:
            _supersede(apps, shape.memory, best.memory)


def _rank(shape):
    """Which plan stays: one that people believe, else one that waits, else one that they dismissed."""
    memory = shape.memory
    live = 0 if memory is None else 1 if memory.status not in LIVE else 2 if memory.status == Status.CANDIDATE else 3
    return live, shape.cases, str(shape.pk)


def _keys(shape):
    plain = f"plan-{bytes(shape.sha256).hex()[:16]}"
    return [plain, *(f"{plain}-{label}" for label in Sensitivity.labels)]


def _supersede(apps, old, new):
    Memory, AuditEntry, Relation = (apps.get_model("memories", name) for name in ("Memory", "AuditEntry", "Relation"))
    before, at = {"status": old.status, "payload": old.payload}, timezone.now()
    revision = {**old.payload.get("revision", {}), "superseded_by": str(new.pk), "status": "superseded"}
    change = {"status": Status.SUPERSEDED, "payload": {**old.payload, "revision": revision}}
    Memory.objects.filter(pk=old.pk).update(**change, version=F("version") + 1, updated_at=at)
    relation = {"source": str(new.pk), "predicate": "supersedes", "target": str(old.pk)}
    AuditEntry.objects.create(
        subject_kind="memory",
        subject_id=old.pk,
        label=old.content[:200],
        action="supersede",
        actor=SYSTEM.name,
        actor_kind=SYSTEM.kind,
        at=at,
        rationale=WHY,
        before=before,
        after={**change, "relation": relation},
        subject_version=old.version + 1,
        scope=old.scope,
        sensitivity=old.sensitivity,
    )
    Relation.objects.get_or_create(source_id=new.pk, predicate="supersedes", target_id=old.pk)


def _folded(graph):
    """The graph with its nodes in a row of one op joined, and the new number of each node; None where nothing is to be
    joined, or too little would be left for a plan. What such nodes were repeated by is not known any more."""
    rows = [list(row) for _, row in groupby(enumerate(graph["nodes"], start=1), key=lambda pair: pair[1]["op"])]
    if not LEAST_NODES <= len(rows) < len(graph["nodes"]):
        return None
    numbers = {old: new for new, row in enumerate(rows, start=1) for old, _ in row}
    edges = sorted({(numbers[a], numbers[b], kind) for a, b, kind in graph["edges"] if numbers[a] != numbers[b]})
    nodes = [_joined([node for _, node in row], new, numbers) for new, row in enumerate(rows, start=1)]
    return {"nodes": nodes, "edges": [list(edge) for edge in edges]}, numbers


def _joined(row, number, numbers):
    sources, inputs = {}, {}
    for node in row:
        for argument, old in node["sources"].items():
            if new := {numbers[source] for source in old} - {number}:
                sources.setdefault(argument, set()).update(new)
    for node in row:
        for argument, given in node["inputs"].items():
            if argument not in sources:
                inputs.setdefault(argument, given)
    plain = {"op": row[0]["op"], "sources": {name: sorted(found) for name, found in sources.items()}, "inputs": inputs}
    return plain | ({"times": [len(row), len(row)]} if len(row) > 1 else {})


def _moved(given, numbers):
    """The digests of a run's arguments under the new numbers, '' (not known) of those that have moved or were joined: a
    digest holds its place."""
    calls = Counter(numbers.values())
    found = {}
    for place, digest in given.items():
        old, _, argument = place.partition(".")
        new = numbers[int(old)]
        found[f"{new}.{argument}"] = digest if new == int(old) and calls[new] == 1 else ""
    return found


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0037_skill_answers"), ("memories", "0057_verdicts_of_episodes")]

    operations = [
        migrations.RunPython(mark_patterns, migrations.RunPython.noop),
        migrations.RunPython(fold_plans, migrations.RunPython.noop),
        migrations.AlterField(
            "pattern",
            "kind",
            models.CharField(choices=[("effects", "Effects"), ("exact", "Exact")], default="effects", max_length=8),
        ),
    ]
