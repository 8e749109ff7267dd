"""Which published skill has exactly these effects, and what an agent needs of it."""

import re
from collections.abc import Iterable
from datetime import datetime

from django.db.models import Q

from consolidation.guidance.answer import OfferedSkill
from consolidation.guidance.holdback import BY_PEOPLE
from consolidation.guidance.votes import Effects
from consolidation.learning.effects.toolnames import code
from consolidation.learning.writing.phrases import is_one_of
from memories.values import conditions, links
from memories.values.trust import SHARED_SCOPES, Trust
from skills.manifest import Fields
from skills.models import Skill, SkillVersion

MOST_STEPS, MOST_CHECKS, MOST_AVOIDED = 5, 4, 4
NO_ACTION = "no_action"
CHECKS = ("say_first", "check_all", "check_more")
TO_DO = ("missing", "fewer", "value")
WARNINGS = ("excess", "entity", "acted_on", "error", "more")
_STEP = re.compile(r"^\d+\.\s+", re.MULTILINE)


def published_for(effects: Effects, scope: str, trust: Trust, *, at: datetime) -> OfferedSkill | None:
    """In the scope itself, else where everybody sees it, unless it was dismissed in the scope; the most reliable of
    several."""
    named = f"skill:{'+'.join(sorted(effects)) or NO_ACTION}"
    rows = Skill.objects.offered_to(trust, "memory__").downloadable().filter(scope__in={scope, *SHARED_SCOPES})
    rows = rows.filter(conditions.valid(at).q("memory__")).exclude(memory__withheld_from__contains=[scope])
    rows = rows.filter(Q(memory__payload__effects=sorted(effects)) | Q(memory__payload__skill_name=named))
    skills = list(rows.select_related("memory__worth").prefetch_related("versions").distinct())
    skills.sort(key=lambda skill: (skill.scope != scope, skill.name))
    return _offer(skills[0]) if skills else None


def _offer(skill: Skill) -> OfferedSkill | None:
    version = skill.published
    if version is None or (not skill.memory.payload.get("effects", True) and version.made_by not in BY_PEOPLE):
        return None  # to change nothing is a lesson, which `no_action` tells by itself
    fields = Fields.model_validate(version.fields)
    lines = [] if _is_weak(skill, version) else _that_change(skill, version, steps(fields.procedure))
    warnings = [line for line in fields.experience if is_one_of(line, WARNINGS)]
    if not lines or version.made_by in BY_PEOPLE:
        warnings += fields.failure_modes  # beside the steps of consolidation they stand in the package
    asked = (line for line in fields.experience if is_one_of(line, TO_DO))
    return OfferedSkill(
        name=skill.name,
        version=version.number,
        url=links.skill_package(skill.name, version.number, scope=skill.scope),
        summary=fields.description,
        steps=[line for line in lines if not is_one_of(line, CHECKS)][:MOST_STEPS],
        checks=_first((*(line for line in lines if is_one_of(line, CHECKS)), *asked), MOST_CHECKS),
        avoid=_first(warnings, MOST_AVOIDED),
        memory_id=skill.pk,
        scope=skill.scope,
    )


def _that_change(skill: Skill, version: SkillVersion, lines: list[str]) -> list[str]:
    """Checks, and the steps that change something: look-ups are what everybody makes. What people wrote stays whole."""
    names = [code(tool) for tool in skill.memory.payload.get("effects", ())]
    effects = tuple(start for name in names for start in (name, f"{name[:-1]} "))  # a command with its arguments, too
    if version.made_by in BY_PEOPLE or not effects:
        return lines
    kept = [line for line in lines if is_one_of(line, CHECKS) or any(tool in line for tool in effects)]
    return kept if any(not is_one_of(line, CHECKS) for line in kept) else lines


def _is_weak(skill: Skill, version: SkillVersion) -> bool:
    """Runs that did otherwise ended no worse: lessons help, its steps do not. What people wrote is theirs to judge."""
    worth = getattr(skill.memory, "worth", None)
    return worth is not None and worth.is_weak and version.made_by not in BY_PEOPLE


def steps(procedure: str) -> list[str]:
    """The numbered lines, without their numbers."""
    return [step.strip() for step in _STEP.split(procedure) if step.strip()]


def _first(lines: Iterable[str], most: int) -> list[str]:
    return list(dict.fromkeys(line for line in lines if line.strip()))[:most]
