"""Patterns grouped anew when one of their effects is none any more: a person decided since that a tool only reads; and
those that were told apart by how files were written.

It uses their rows alone, for episodes may be deleted: no count falls, and no skill changes its name. It runs before a
scope is digested.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Min, Q

from consolidation.learning.effects.effects import are_of_lines, characteristic_kinds, signature
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.harness_tools import WRITE, effect_name
from consolidation.models import Pattern, Sighting, ToolDecision
from consolidation.models.patterns import PatternQuerySet
from consolidation.pipelines import competence_writing
from consolidation.pipelines.pattern_identity import PatternIdentity
from consolidation.pipelines.tool_rules import tool_rules
from memories.intake import evidence
from memories.intake.revisions.superseding import supersede
from memories.models import Memory, Proposal, claim_locks
from memories.values.choices import LIVE, Outcome
from memories.values.field_types import competence_key
from memories.values.trust import SYSTEM
from skills.models import Skill, SkillVersion

WHY = "the same effects: one skill stands for them"


def former() -> PatternQuerySet:
    """The patterns to regroup, of all scopes."""
    return Pattern.objects.to_regroup({WRITE, *ToolDecision.objects.only_reading()})


def regroup(scope: str, *, at: datetime) -> None:
    """Regroup the patterns of a scope; each set of effects in one transaction. With SIGNATURE=all nothing."""
    if settings.SIGNATURE == "all":
        return
    rules = tool_rules()
    groups: dict[tuple[int, frozenset[str]], list[Pattern]] = defaultdict(list)
    for pattern in former().filter(scope=scope).order_by("pk").select_related("memory"):
        kinds = _effects(pattern, rules)
        if pattern.kind == Pattern.Kind.EXACT or kinds != frozenset(pattern.effects):
            groups[pattern.sensitivity, kinds].append(pattern)
    for (sensitivity, kinds), old in groups.items():
        with transaction.atomic():
            claim_locks.to_decide(scope)
            identity = PatternIdentity(Pattern.Kind.EFFECTS, scope, sensitivity, signature(kinds), tuple(sorted(kinds)))
            _unite_patterns(identity, old, at=at)


def _effects(pattern: Pattern, rules: ToolRules) -> frozenset[str]:
    remaining = frozenset(effect_name(kind) for kind in pattern.effects if kind and not rules.marked.get(kind))
    return characteristic_kinds(remaining) if are_of_lines(remaining) else remaining


def _unite_patterns(identity: PatternIdentity, old: Sequence[Pattern], *, at: datetime) -> None:
    first, last = min(p.first_seen_at for p in old), max(p.last_seen_at for p in old)
    pattern, _ = Pattern.objects.select_related("memory").get_or_create(
        kind=identity.kind,
        scope=identity.scope,
        sensitivity=identity.sensitivity,
        signature_sha256=identity.sha256,
        defaults={
            "signature": identity.signature,
            "effects": list(identity.effects),
            "first_seen_at": first,
            "last_seen_at": last,
        },
    )
    memories = [p.memory for p in (pattern, *old) if p.memory]
    best = _best(memories)
    keys = {competence_key(f"skill:{one.signature}") for one in old}
    former = sorted({*pattern.former, *(key for key in keys if key)})
    _move_sightings(pattern, old, best)
    Pattern.objects.filter(pk__in=[one.pk for one in old]).delete()
    pattern.memory, pattern.former, pattern.due = best, former, True
    for name, value in _counted(pattern).items():
        setattr(pattern, name, value)
    pattern.save()
    if best is not None:
        _show_effects(memories, list(identity.effects))
        if best.status in LIVE:
            _unite_skills(best, [memory for memory in memories if memory != best and memory.status in LIVE], at=at)
            _count(pattern, best, at=at)


def _best(memories: Sequence[Memory]) -> Memory | None:
    """The skill that stays: a published one, else one that waits, else one that people dismissed or retracted."""
    published_ids = set(_published(memories))
    successes = dict(Memory.objects.filter(pk__in=[m.pk for m in memories]).values_list("pk", "performance__successes"))

    def worth(memory: Memory) -> tuple[bool, bool, int, str]:
        live = memory.status in LIVE
        return live, live and memory.pk in published_ids, successes.get(memory.pk) or 0, str(memory.pk)

    return max(memories, key=worth, default=None)


def _published(memories: Sequence[Memory]) -> list[object]:
    versions = SkillVersion.objects.filter(skill__in=[m.pk for m in memories], status=SkillVersion.Status.PUBLISHED)
    return list(versions.values_list("skill", flat=True))


def _move_sightings(pattern: Pattern, old: Sequence[Pattern], best: Memory | None) -> None:
    """Move the sightings, each episode once; those that the staying skill has counted stay counted."""
    for sighting in sorted(
        old, key=lambda former_pattern: (best is None or former_pattern.memory_id != best.pk, str(former_pattern.pk))
    ):
        rows = Sighting.objects.filter(pattern=sighting).exclude(episode_id__in=pattern.sightings.values("episode_id"))
        columns = {} if best is not None and sighting.memory_id == best.pk else {"counted": ""}
        rows.update(pattern=pattern, **columns)


def _counted(pattern: Pattern) -> dict[str, object]:
    well = Q(outcome=Outcome.SUCCESS)
    return pattern.sightings.aggregate(
        successes=Count("pk", filter=well),
        failures=Count("pk", filter=Q(outcome=Outcome.FAILURE)),
        partials=Count("pk", filter=Q(outcome=Outcome.PARTIAL)),
        cases=Count("case", filter=well, distinct=True),
        first_seen_at=Min("at"),
        last_seen_at=Max("at"),
    )


def _show_effects(memories: Sequence[Memory], effects: list[str]) -> None:
    for memory in memories:
        memory.refresh_from_db(fields=["payload"])
        memory.payload["effects"] = effects
        Memory.objects.filter(pk=memory.pk).update(payload=memory.payload)


def _unite_skills(best: Memory, other_memories: Sequence[Memory], *, at: datetime) -> None:
    """Supersede waiting skills by the one that stays; published ones remain, with a merge proposal for a person."""
    published_ids = set(_published(other_memories))
    for memory in other_memories:
        if memory.pk not in published_ids:
            SkillVersion.objects.filter(skill=memory.pk, status=SkillVersion.Status.PROPOSED).update(
                status=SkillVersion.Status.REPLACED
            )
            supersede(memory, best, by=SYSTEM, why=WHY, at=at)
    published_others = [memory for memory in other_memories if memory.pk in published_ids]
    if published_others:
        names = sorted(Skill.objects.filter(pk__in=[m.pk for m in published_others]).values_list("name", flat=True))
        proposal = Proposal.objects.propose(
            Proposal.Kind.MERGE,
            best,
            {"verb": "edit"},  # accepting writes nothing: a person retires what is one too many
            by=SYSTEM,
            why=f"{', '.join(names)} and this one are published for the same effects: keep one of them",
            at=at,
            sensitivity=max(memory.sensitivity for memory in published_others),
        )
        Proposal.objects.filter(pk=proposal.pk).update(others=[memory.pk for memory in published_others])


def _count(pattern: Pattern, memory: Memory, *, at: datetime) -> None:
    """Count the sightings of the other patterns as evidence of the skill, without a gain in salience."""
    new_sightings = pattern.sightings.uncounted()
    evidence.count(memory, competence_writing.witnesses(list(new_sightings)), at=at, founding=True)
    new_sightings.counted()
