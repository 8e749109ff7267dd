"""Tools over published skills: find one, read it, report how its use ended."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from memories import search
from memories.api.tool import ToolCall, tool
from memories.api.tool_reply import Reply, non_empty, shorten
from memories.intake.reports.events import check
from memories.search import SearchRequest, run_votes
from memories.search.request import AskingRun, InScopes
from memories.values import links
from memories.values.choices import Outcome, Permission, Type
from memories.values.exceptions import NotFound
from memories.values.field_types import Described, Given, NotBoolean, ScopeName, Text
from skills import outcomes
from skills.api.uses import ReportedUse, UseReport
from skills.models import Skill, SkillVersion

LONG_DESCRIPTION = 400  # of one skill among others
MOST_RANKED = 100
TO_READ = (Permission.SKILLS, Permission.READ)


class SkillQuestion(AskingRun, InScopes):
    text: Text = ""
    """What it should help with; without it all skills, by name"""
    limit: Annotated[int, Field(ge=1, le=50), NotBoolean] = 10


class OneSkillQuestion(Described):
    name: Given
    scope: ScopeName | None = None
    """Needed only where several scopes have a skill of that name"""
    version: Annotated[int, Field(ge=1, le=2_147_483_647), NotBoolean] | None = None
    """Default: the published one"""


class NamedUseReport(UseReport):
    """How the use of a skill ended, and of which."""

    name: Given
    scope: ScopeName | None = None
    """Needed only where several scopes have a skill of that name"""


@tool(SkillQuestion, *TO_READ, read_only=True)
def skill_search(call: ToolCall) -> Reply:
    """Find published skills (tried ways to do a task) for what is to be done, best first; skill_get reads one."""
    question = check(SkillQuestion, call.arguments)
    rows = Skill.objects.shown_to(call.trust)
    scopes = question.named_scopes
    rows = rows.filter(scope__in=scopes) if scopes else rows
    rows = rows.exclude(pk__in=run_votes.withheld_skills(question, call.trust))
    if not question.text.strip():
        skills = list(rows.order_by("name", "pk")[call.start : call.start + question.limit + 1])
        items = [_brief(skill) for skill in skills[: question.limit]]
        return Reply(items=items, first=call.start, more=len(skills) > question.limit)
    relevance = _relevance_by_id(question, call)
    by_id = {skill.pk: skill for skill in rows.filter(pk__in=relevance)}
    skills = [by_id[memory_id] for memory_id in relevance if memory_id in by_id][: question.limit]
    return Reply(items=[{**_brief(skill), "relevance": relevance[skill.pk]} for skill in skills])


@tool(OneSkillQuestion, *TO_READ, read_only=True)
def skill_get(call: ToolCall) -> Reply:
    """Read a skill: its SKILL.md with steps, checks and failure modes, and where its package is downloaded."""
    question = check(OneSkillQuestion, call.arguments)
    skill = Skill.objects.shown_to(call.trust).get_by_name(question.name, scope=question.scope)
    version = skill.version_shown_to(call.trust, question.version)
    if version is None:
        raise NotFound
    url = links.skill_package(skill.name, version.number, scope=skill.scope)
    paths = [file["path"] for file in version.files]
    head = {**_brief(skill), "version": version.number, "files": paths, "url": url, "sha256": version.sha256}
    head.pop("description", None)  # SKILL.md begins with it
    return Reply(head, text=version.skill_md, text_name="skill_md")


@tool(NamedUseReport, Permission.REPORT)
def report_skill_use(call: ToolCall) -> Reply:
    """Report how the use of a skill ended (success, failure, partial), so that its record stays true."""
    report = check(NamedUseReport, call.arguments)
    skill = Skill.objects.shown_to(call.trust).get_by_name(report.name, scope=report.scope)
    fields = report.model_dump(exclude={"name", "scope"})
    use = outcomes.Use(**{**fields, "outcome": Outcome(report.outcome), "key": call.key})
    row, created = outcomes.report(skill, use, trust=call.trust, at=call.at)
    return Reply({"created": created, **non_empty(ReportedUse.of(row))})


def _relevance_by_id(question: SkillQuestion, call: ToolCall) -> dict[UUID, float]:
    """Competences by how much of the question they answer: memory id -> relevance, best first."""
    scopes = list(question.named_scopes)
    request = SearchRequest(query=question.text, types=[Type.COMPETENCE.value], scopes=scopes, limit=MOST_RANKED)
    results = search.find(request, trust=call.trust, at=call.at)
    return {result.memory.pk: round(result.relevance or 0.0, 3) for result in results.results}


def _brief(skill: Skill) -> dict[str, object]:
    published_version: SkillVersion | None = skill.published
    record = getattr(skill.memory, "performance", None)
    description = published_version.fields["description"] if published_version else skill.memory.content
    return non_empty(
        {
            "name": skill.name,
            "title": skill.title,
            "scope": skill.scope,
            "description": shorten(description, LONG_DESCRIPTION),
            "status": skill.memory.status,
            "published_version": published_version.number if published_version else None,
            "successes": record.successes if record else 0,
            "failures": record.failures if record else 0,
        }
    )


SKILL_TOOLS = (skill_search, skill_get, report_skill_use)
