"""The part of a memory's page that belongs to this room: the memories' page asks for it by name."""

from difflib import unified_diff
from typing import Any

from django import template
from django.db.models import Prefetch, prefetch_related_objects
from django.template import Context
from django.utils.safestring import SafeString, mark_safe

from memories.models import Memory
from memories.people import trust_of
from memories.values.choices import Type
from skills.models import Skill, SkillVersion
from skills.packaging import rendering

register = template.Library()
MOST_USES = 10


@register.filter
def skill_md(markdown: str) -> SafeString:
    return mark_safe(rendering.html(markdown))  # noqa: S308 - rendering.html sanitises


@register.simple_tag
def load_versions(memory: Memory) -> str:
    """Of a skill the versions with what their uses came to, in one statement, for all of the page."""
    if memory.type == Type.COMPETENCE and hasattr(memory, "skill"):
        prefetch_related_objects([memory.skill], Prefetch("versions", SkillVersion.objects.with_uses()))
    return ""


@register.inclusion_tag("skills/_skill.html", takes_context=True)
def skill_of(context: Context, memory: Memory) -> dict[str, Any]:
    """What a reviewer reads of a skill: the proposed version, else the published one, else the newest; each version
    (`load_versions`) with what its reported uses came to, and the latest of these."""
    skill: Skill = memory.skill
    versions = list(skill.versions.all())
    shown = skill.proposed or skill.published or next(iter(versions), None)
    uses = skill.uses.of_visible_episodes(trust_of(context["request"].user)).select_related("version", "episode")
    return {
        "memory": memory,
        "skill": skill,
        "version": shown,
        "versions": [(one, one.record) for one in versions],
        "uses": uses.order_by("-at", "-pk")[:MOST_USES],
    }


@register.filter
def changes(version: SkillVersion, before: SkillVersion | None) -> list[dict[str, str]]:
    """What another version says differently: lines added, removed and around them; [] without one before."""
    if before is None or before.pk == version.pk:
        return []
    lines = list(unified_diff(before.skill_md.splitlines(), version.skill_md.splitlines(), lineterm="", n=2))[2:]
    kinds = {"+": "added", "-": "removed", "@": "gap", " ": "same"}
    return [{"kind": kinds[line[0]], "text": line[1:] if line[0] != "@" else "⋯"} for line in lines]


@register.filter
def arguments(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The named arguments of a step: name, type, whether always given, values seen."""
    required = schema.get("required") or []
    return [
        {
            "name": name,
            "type": what.get("type", ""),
            "required": name in required,
            "values": ", ".join(str(value) for value in (what.get("enum") or what.get("examples") or [])[:4]),
        }
        for name, what in (schema.get("properties") or {}).items()
        if isinstance(what, dict)
    ]
