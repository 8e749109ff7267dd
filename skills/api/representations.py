"""Skills and their versions as the API shows them. What is shown of a skill is what the caller may download."""

from typing import Any

from memories.api.representations import performance
from memories.models import Performance
from memories.values import links
from memories.values.choices import Sensitivity
from skills.models import Skill, SkillVersion

LEARNT = ("skill_name", "triggers", "recipe", "required_tools", "failure_modes", "fallbacks")


def skill(row: Skill, *, every: bool) -> dict[str, Any]:
    """`every`: the caller sees versions of every status; otherwise the published one is all there is."""
    memory, published = row.memory, row.published
    versions, record = list(row.versions.all()), getattr(memory, "performance", None)
    return {
        "id": row.pk,
        "name": row.name,
        "title": row.title,
        "description": published.fields["description"] if published else memory.content,
        "status": memory.status,
        "scope": memory.scope,
        "sensitivity": Sensitivity(memory.sensitivity).label,
        "confidence": memory.confidence,
        **{name: memory.payload.get(name) for name in LEARNT},
        "effects": memory.payload.get("effects") or [],
        "performance": performance(record),
        "reliability": record.reliability if record else 0.0,
        "published_version": published.number if published else None,
        "latest_version": max((v.number for v in versions), default=None) if every else published and published.number,
        "proposed_version": row.proposed.number if every and row.proposed else None,
        "memory_id": memory.pk,
        "package": package(published),
    }


def package(row: SkillVersion | None) -> dict[str, Any] | None:
    if row is None:
        return None
    url = links.skill_package(row.skill.name, row.number, scope=row.skill.scope)
    return {"url": url, "sha256": row.sha256, "size": row.size}


def version(row: SkillVersion, *, record: Performance | None = None) -> dict[str, Any]:
    """`record`: what its reported uses came to; None: there are none."""
    return {
        "number": row.number,
        "status": row.status,
        "made_by": row.made_by,
        "changelog": row.changelog,
        "fields": row.fields,
        "skill_md": row.skill_md,
        "files": row.files,
        "package": package(row),
        "scan": row.scan,
        "performance": performance(record),
        "reliability": record.reliability if record else 0.0,
        "created_at": row.created_at,
        "published_at": row.published_at,
    }
