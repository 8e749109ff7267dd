"""Template tags for the part of a memory's page that shows a skill."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import template
from django.conf import settings
from django.db.models import Prefetch, prefetch_related_objects
from django.template import Context
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.lexicon.tool_words import without_server
from memories.models import Memory
from memories.people import trust_of
from memories.values.choices import Type
from memories.web.charts import Chart, Form, Series, Tone
from skills import diffs, packaging
from skills.diffs import Change, Piece
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.packaging import safe_html
from skills.scanning import WRITTEN_BY_MODEL, gravest_first

register = template.Library()
register.filter(gravest_first)
CHANGING_FILES = {"edit", "write"}  # tools of coding agents by their common names
_CODE = re.compile(r"`([^`]+)`")
MAX_USES = 10
MAX_SHOWN = 12_000  # characters of the files that a page shows
MAX_CHANGED = 8_000  # characters of changes that a skill's page shows
VERSIONS_AT_FIRST = 10
FEW = 20  # runs: a percentage of fewer says more than is known
FINDINGS = {
    "written-by-model": gettext_lazy("written by a language model from one conversation: read it line by line"),
    "not-scanned": gettext_lazy("too long for the complete scan: read the rest"),
    "not-scanned-for-instructions": gettext_lazy("too long for the complete scan for hidden instructions: read it"),
    "python-not-checked": gettext_lazy("its Python could not be checked: read it line by line"),
}

MADE_BY = {
    SkillVersion.MadeBy.CONSOLIDATION: gettext_lazy("learned from runs"),
    SkillVersion.MadeBy.EXTRACTION: gettext_lazy("from a conversation"),
    SkillVersion.MadeBy.UPLOAD: gettext_lazy("uploaded"),
    SkillVersion.MadeBy.EDIT: gettext_lazy("edited"),
    SkillVersion.MadeBy.RESTORE: gettext_lazy("proposed again"),
    SkillVersion.MadeBy.MERGE: gettext_lazy("merged"),
}


@register.filter
def maker(version: SkillVersion | None) -> str:
    """How a version came about; '' without one."""
    return str(MADE_BY[SkillVersion.MadeBy(version.made_by)]) if version else ""


@register.filter
def description_below_title(memory: Memory, version: SkillVersion | None) -> str:
    """Return the description below a skill's title: without its first sentence where this is the title again."""
    text = str(version.fields.get("description") or memory.content) if version else memory.content
    title = re.escape(str(version.fields.get("title") or "") if version else "")
    return re.sub(rf"\A{title}[.。]\s*", "", text) if title else text


@register.filter
def step_label(step: Mapping[str, Any]) -> str:
    """What a step calls or changes: its command or files, else its tool, of MCP by its own name; '' for none."""
    tool = str(step.get("tool") or "")
    code_names = _CODE.findall(str(step.get("step") or "")) if tool in settings.COMMAND_TOOLS | CHANGING_FILES else []
    return ", ".join(code_names) or without_server(tool)


@register.filter
def skill_md(markdown: str) -> SafeString:
    return mark_safe(safe_html.html(markdown))  # noqa: S308 - safe_html.html sanitises


@register.inclusion_tag("skills/_skill_md.html", takes_context=True)
def skill_md_of(context: Context, version: SkillVersion) -> dict[str, Any]:
    """The SKILL.md of a version with its size; of a long one the part that the address asks for."""
    part = safe_html.part(version.skill_md, _part_number(context, "part"))
    html = mark_safe(part.html)  # noqa: S308 - safe_html.part sanitises
    size = len(version.skill_md.encode())
    return {"size": size, "part": part, "html": html, "request": context["request"]}


@register.inclusion_tag("skills/_part_links.html", takes_context=True)
def part_links(context: Context, name: str, number: int, count: int, target: str) -> dict[str, Any]:
    """Links to the parts before and after the one that is shown; `name`: of the parameter that asks for a part."""
    parts = {
        part_number: f"{context['request'].path}?{_query_with(context, name, part_number)}#{target}"
        for part_number in (number - 1, number + 1)
    }
    previous_link, next_link = parts[number - 1], parts[number + 1]
    links = {"before": previous_link if number > 1 else "", "next": next_link if number < count else ""}
    return {**links, "number": number, "count": count}


def _query_with(context: Context, name: str, value: int) -> str:
    query = context["request"].GET.copy()
    query[name] = str(value)
    return str(query.urlencode())


def _part_number(context: Context, name: str) -> int:
    """The number of the part in the query of the address; 1 where it has none."""
    text = context["request"].GET.get(name, "")
    return int(text[:4]) if text.isascii() and text.isdigit() else 1


@register.inclusion_tag("skills/_version_diff.html", takes_context=True)
def changes_of(context: Context, version: SkillVersion, base: SkillVersion) -> dict[str, Any]:
    """Every word of what changes from one version to another; of many words the part that the address asks for."""
    parts = diffs.in_parts(changes_from(version, base))
    number = min(max(_part_number(context, "changes"), 1), len(parts))
    part = {"changes": parts[number - 1], "number": number, "count": len(parts)}
    return {**part, "version": version, "base": base, "request": context["request"]}


@register.filter
def pieces(diff: list[Piece]) -> SafeString:
    """The pieces of a diff, without a blank between them that neither text has."""
    marks = {"added": ("ins", _("added:")), "removed": ("del", _("removed:"))}
    parts = (
        format_html('<{0}><span class="unseen">{1} </span>{2}</{0}>', *marks[piece.kind], piece.text)
        if piece.kind in marks
        else escape(piece.text)
        for piece in diff
    )
    return mark_safe("".join(parts))  # noqa: S308 - escaped


@register.simple_tag
def load_versions(memory: Memory) -> str:
    """Load the versions of a skill with their track records in one query, for the whole page; renders nothing."""
    if memory.type == Type.COMPETENCE and hasattr(memory, "skill"):
        versions = SkillVersion.objects.with_uses().with_names()
        prefetch_related_objects([memory.skill], Prefetch("versions", versions))
    return ""


@register.inclusion_tag("skills/_skill.html", takes_context=True)
def skill_of(context: Context, memory: Memory) -> dict[str, Any]:
    """Context of the skill on a memory's page: its current version, all versions with their track records, latest uses.

    Current is the proposed version, else the published one, else the newest. Call `load_versions` before it.
    """
    skill: Skill = memory.skill
    versions = list(skill.versions.all())
    current = skill.current
    shows_all = "versions" in context["request"].GET
    uses = skill.uses.of_visible_episodes(trust_of(context["request"].user)).select_related("version", "episode")
    latest = list(uses.order_by("-at", "-pk")[:MAX_USES]) if any(version.record for version in versions) else []
    return {
        "memory": memory,
        "skill": skill,
        "request": context["request"],
        "perms": context.get("perms"),
        "csrf_token": context.get("csrf_token"),
        "version": current,
        "aliases": [name for name in getattr(current, "names_of_skill", []) if name != skill.name],
        "versions": [
            (version, version.record) for version in (versions if shows_all else versions[:VERSIONS_AT_FIRST])
        ],
        "version_count": len(versions),
        "chart": _chart(versions),
        "uses": latest,
        "has_notes": any(use.note for use in latest),  # without them the evidence says the same
    }


def _chart(versions: list[SkillVersion]) -> Chart | None:
    """How the reported uses of each version ended; None where there are not two to compare."""
    used = [(str(version.number), version.record) for version in reversed(versions) if version.record]
    if len(used) < 2:
        return None
    records = [record for _number, record in used]
    series = [
        Series(_("ended well"), Tone.GOOD, [record.successes for record in records]),
        Series(_("partial"), Tone.WARN, [record.partials for record in records]),
        Series(_("failed"), Tone.BAD, [record.failures for record in records]),
    ]
    labels = [_("Version %(n)s") % {"n": number} for number, _record in used]
    title, column = _("Reported uses by version"), _("Version")
    return Chart("versions", title, column, labels, series, Form.STACK, unit=_("uses"), newest_first=True)


@register.filter
def files_of(version: SkillVersion) -> list[dict[str, Any]]:
    """The files beside SKILL.md: path, size, whether a model wrote it, and the texts of the fields that are short."""
    texts = packaging.texts(Fields.model_validate(version.fields), version.number)
    marks = {finding["file"] for finding in version.scan.get("findings", ()) if finding["rule"] == WRITTEN_BY_MODEL}
    files, room = [], MAX_SHOWN
    for file in version.files:
        if file["path"] != "SKILL.md":
            text = texts.get(file["path"], "")
            shown_text = text if len(text) <= room else ""
            room -= len(shown_text)
            files.append({**file, "text": shown_text, "written_by_model": file["path"] in marks})
    return files


@register.filter
def changes_from(version: SkillVersion, before: SkillVersion | None) -> list[Change]:
    """What changes from one version to another, by section and file, without counters; [] without a version before."""
    if before is None or before.pk == version.pk:
        return []
    changes = [*diffs.section_changes(before, version), *diffs.file_changes(before, version)]
    return [replace(change, pieces=diffs.shorten(change.pieces)) for change in changes]


@register.filter
def at_first(changes: list[Change]) -> list[Change]:
    """The changes that a page shows which leads to all of them: of long ones only what is changed, not the words."""
    room, first_changes = MAX_CHANGED, []
    for change in changes:
        room -= sum(len(piece.text) for piece in change.pieces)
        first_changes.append(change if room >= 0 else replace(change, pieces=[]))
    return first_changes


@register.filter
def brief_changes_from(version: SkillVersion | None, before: SkillVersion | None) -> list[Change]:
    """As `changes_from`, for a row of the inbox: the words of short and few texts, of others the name."""
    return diffs.brief_changes(before, version) if version and before else []


@register.simple_tag
def share_of_runs(share: float, record: dict[str, Any] | None) -> str:
    """A step's share of the successes: as a count where these are few and the share is one of them."""
    total = (record or {}).get("successes", 0)
    count = round(share * total)
    if 0 < total < FEW and abs(count - share * total) < 0.01:
        return _("in %(n)s of %(total)s runs that ended well") % {"n": count, "total": total}
    return _("in %(n)s %% of the runs that ended well") % {"n": round(share * 100)}


@register.filter
def finding_in_words(finding: dict[str, Any]) -> str:
    """What a rule of the scan means, where its name does not say it; '' for others."""
    return str(FINDINGS.get(str(finding["rule"]), ""))


@register.filter
def arguments(schema: dict[str, Any]) -> list[dict[str, str]]:
    """The arguments of a step by name, each with a summary: type, whether always given, values seen."""
    required_names = schema.get("required") or []
    properties = (schema.get("properties") or {}).items()
    return [
        {"name": name, "summary": _summary(facts, name in required_names)}
        for name, facts in properties
        if isinstance(facts, dict)
    ]


def _summary(facts: dict[str, Any], is_required: bool) -> str:
    kinds = facts.get("type", "")
    kind = " / ".join(map(str, kinds)) if isinstance(kinds, list) else str(kinds)
    summary = kind if is_required else f"{kind}, {_('optional')}"
    values = ", ".join(str(value) for value in (facts.get("enum") or facts.get("examples") or [])[:4])
    return f"{summary}: {values}" if values else summary
