"""Published skills as resources (`skill://{scope}/{name}/SKILL.md`) and as prompts."""

import re
from collections import Counter
from urllib.parse import quote, unquote

from memories.api.shapes import Json
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, NotFound
from memories.values.field_errors import format_instant
from memories.values.trust import Trust
from memos_site.api.mcp.protocol import INVALID_PARAMS, RpcError
from skills.models import Skill, SkillQuerySet, SkillVersion

ADDRESS = re.compile(r"skill://([^/]+)/([^/]+)/SKILL\.md")
TEMPLATE = "skill://{scope}/{name}/SKILL.md"
NO_SCOPE = "_"  # in an address, as in the paths of packages
MARKDOWN = "text/markdown"
PAGE = 100
NAMED_SCOPE = "@"  # name@scope: of several skills of one name


def resources(trust: Trust, cursor: object) -> Json:
    skills, next_cursor = _page(trust, cursor)
    return {"resources": [_resource(skill, version) for skill, version in skills], **next_cursor}


def templates() -> Json:
    text = "The published version of a skill; the scope `_` is that of skills without one"
    template = {"uriTemplate": TEMPLATE, "name": "SKILL.md", "description": text, "mimeType": MARKDOWN}
    return {"resourceTemplates": [template]}


def read(trust: Trust, uri: object) -> Json | None:
    """The SKILL.md at an address; None: there is none, or the caller may not see it."""
    address = ADDRESS.fullmatch(uri) if isinstance(uri, str) else None
    if address is None:
        return None
    scope, name = unquote(address[1]), unquote(address[2])
    if "\0" in scope + name:  # which no row can hold
        return None
    try:
        version = _published_skills(trust).get_by_name(name, scope="" if scope == NO_SCOPE else scope).published
    except NotFound:
        return None
    return {"contents": [{"uri": uri, "mimeType": MARKDOWN, "text": version.skill_md}]} if version else None


def prompts(trust: Trust, cursor: object) -> Json:
    skills, next_cursor = _page(trust, cursor)
    times = Counter(_published_skills(trust).values_list("name", flat=True))
    task = {"name": "task", "description": "What is to be done with it", "required": False}
    entries = [
        {
            "name": skill.name if times[skill.name] == 1 else f"{skill.name}{NAMED_SCOPE}{skill.scope}",
            "title": skill.title,
            "description": version.fields["description"],
            "arguments": [task],
        }
        for skill, version in skills
    ]
    return {"prompts": entries, **next_cursor}


def prompt(trust: Trust, name: object, arguments: object) -> Json:
    """A skill as what a person says: follow it, for this task. RpcError: there is no such prompt."""
    slug, _, scope = str(name).partition(NAMED_SCOPE)
    task = str(arguments.get("task", "")).strip() if isinstance(arguments, dict) else ""
    try:
        skill = _published_skills(trust).get_by_name(slug, scope=scope if NAMED_SCOPE in str(name) else None)
    except (NotFound, Conflict) as error:
        raise RpcError(
            INVALID_PARAMS, f"Unknown prompt: {name}" if isinstance(error, NotFound) else str(error)
        ) from None
    version = skill.published
    if version is None:
        raise RpcError(INVALID_PARAMS, f"Unknown prompt: {name}")
    text = "\n\n".join(part for part in (f"Follow this skill.\n\n{version.skill_md}", task and f"Task: {task}") if part)
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": version.fields["description"], "messages": [message]}


def _published_skills(trust: Trust) -> SkillQuerySet:
    rows = Skill.objects.shown_to(trust).downloadable()
    return rows if trust.may(Permission.SKILLS) or trust.may(Permission.READ) else rows.none()


def _page(trust: Trust, cursor: object) -> tuple[list[tuple[Skill, SkillVersion]], Json]:
    if cursor is not None and not (isinstance(cursor, str) and cursor.isdecimal() and len(cursor) < 10):
        raise RpcError(INVALID_PARAMS, "cursor: is not one of this list")
    start = int(str(cursor or 0))
    rows = list(_published_skills(trust).order_by("name", "scope", "pk")[start : start + PAGE + 1])
    skills = [(skill, version) for skill in rows[:PAGE] if (version := skill.published)]
    return skills, {"nextCursor": str(start + PAGE)} if len(rows) > PAGE else {}


def _resource(skill: Skill, version: SkillVersion) -> Json:
    last_modified = {"lastModified": format_instant(version.published_at)} if version.published_at else {}
    return {
        "uri": f"skill://{quote(skill.scope or NO_SCOPE, safe='')}/{skill.name}/SKILL.md",
        "name": skill.name,
        "title": skill.title,
        "description": version.fields["description"],
        "mimeType": MARKDOWN,
        "size": len(version.skill_md.encode()),
        "annotations": {"audience": ["assistant"], **last_modified},
    }
