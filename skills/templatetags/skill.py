"""Template tags for the part of a memory's page that shows a skill."""

from difflib import unified_diff
from typing import Any

from django import template
from django.db.models import Prefetch, prefetch_related_objects
from django.template import Context
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from memories.models import Memory
from memories.people import trust_of
from memories.values.choices import Type
from skills.models import Skill, SkillVersion
from skills.packaging import rendering

register = template.Library()
MAX_USES = 10


@register.filter
def skill_md(markdown: str) -> SafeString:
    return mark_safe(rendering.html(markdown))  # noqa: S308 - rendering.html sanitises


@register.simple_tag
def load_versions(memory: Memory) -> str:
    """Load the versions of a skill with their track records in one query, for the whole page; renders nothing."""
    if memory.type == Type.COMPETENCE and hasattr(memory, "skill"):
        prefetch_related_objects([memory.skill], Prefetch("versions", SkillVersion.objects.with_uses()))
    return ""


@register.inclusion_tag("skills/_skill.html", takes_context=True)
def skill_of(context: Context, memory: Memory) -> dict[str, Any]:
    """Context of the skill on a memory's page: its current version, all versions with their track records, latest uses.

    Current is the proposed version, else the published one, else the newest. Call `load_versions` before it.
    """
    skill: Skill = memory.skill
    versions = list(skill.versions.all())
    current = skill.proposed or skill.published or next(iter(versions), None)
    uses = skill.uses.of_visible_episodes(trust_of(context["request"].user)).select_related("version", "episode")
    return {
        "memory": memory,
        "skill": skill,
        "version": current,
        "versions": [(version, version.record) for version in versions],
        "uses": uses.order_by("-at", "-pk")[:MAX_USES] if any(version.record for version in versions) else [],
    }


@register.filter
def changed_lines(version: SkillVersion, before: SkillVersion | None) -> list[dict[str, str]]:
    """Lines of the diff of two versions' SKILL.md, as kind and text; [] without a version before."""
    if before is None or before.pk == version.pk:
        return []
    lines = list(unified_diff(before.skill_md.splitlines(), version.skill_md.splitlines(), lineterm="", n=2))[2:]
    kinds = {"+": "added", "-": "removed", "@": "gap", " ": "same"}
    return [{"kind": kinds[line[0]], "text": line[1:] if line[0] != "@" else "⋯"} for line in lines]


@register.filter
def arguments(schema: dict[str, Any]) -> list[dict[str, str]]:
    """The arguments of a step by name, each with a summary: type, whether always given, values seen."""
    required = schema.get("required") or []
    properties = (schema.get("properties") or {}).items()
    return [
        {"name": name, "summary": _summary(facts, name in required)}
        for name, facts in properties
        if isinstance(facts, dict)
    ]


def _summary(facts: dict[str, Any], required: bool) -> str:
    summary = str(facts.get("type", "")) if required else f"{facts.get('type', '')}, {_('optional')}"
    values = ", ".join(str(value) for value in (facts.get("enum") or facts.get("examples") or [])[:4])
    return f"{summary}: {values}" if values else summary
