"""SKILL.md -> Fields: the exact inverse of `writing` for what it wrote, and lenient with what others wrote.

What has no field of its own is not lost: unknown sections join the procedure, under their headings.
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import yaml

from skills import markdown
from skills.manifest import Fields
from skills.names import shown, slug
from skills.packaging import skill_md_writer

_FRONTMATTER = re.compile(r"---[ \t]*\n(.*?)\n?---[ \t]*(?:\n|\Z)(.*)", re.DOTALL)
_LISTS = {
    "Experience": "experience",
    "User Preferences": "preference",
    "Failure Modes": "failure_modes",
    "Fallbacks": "fallbacks",
    "Tool Usage": "tool",
}
_KEPT = {"name", "description", "license", "compatibility", "metadata"}
_METADATA = {"version", "source", "display-name"}
_DERIVED = ("Scripts", "Track Record", "Additional Information")


def read(text: str, *, folder: str = "", **files: Any) -> tuple[Fields, list[str]]:
    """The fields in a SKILL.md, with `files` as further fields, and what was put right or left out.

    `folder` is the folder it lay in. Raises pydantic's ValidationError when there is no skill in it.
    """
    frontmatter, body = split(markdown.clean(text.removeprefix("\ufeff")))
    head, warnings = _head(frontmatter)
    title, texts = _sections(body, str(head["metadata"].get("display-name", "")))
    name = head.get("name") or folder or title
    warnings += _name_warnings(name, folder)
    if not (description := head.get("description", "").strip()):
        warnings.append("SKILL.md has no description; its first paragraph stands in for one")
        description = (texts.get("Procedure", "") or title).split("\n\n")[0]
    known = {key: head.get(key, "") for key in ("license", "compatibility")}
    values = {"name": name, "title": title, "description": description, **known, **_content(texts), **files}
    fields = Fields.model_validate(values)
    if left := _left_over(fields, texts):
        values["procedure"] = "\n\n".join(filter(None, [values["procedure"], *left]))
        fields = Fields.model_validate(values)
    return fields, warnings


def split(text: str) -> tuple[str, str]:
    """(frontmatter without its rules, body) of a SKILL.md."""
    match = _FRONTMATTER.match(text)
    return (match[1], match[2]) if match else ("", text)


def mapping(frontmatter: str) -> dict[str, Any] | None:
    """What the YAML of a frontmatter says, every scalar as text; None when it is not a mapping."""
    try:
        loaded = yaml.load(frontmatter, Loader=yaml.BaseLoader)  # noqa: S506 - no dates, no booleans, no objects
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    return loaded if isinstance(loaded, dict) else None


def _head(frontmatter: str) -> tuple[dict[str, Any], list[str]]:
    """(values, warnings): texts by key, and under `metadata` texts by key."""
    if not frontmatter:
        return {"metadata": {}}, ["SKILL.md has no frontmatter"]
    warnings = []
    loaded = mapping(frontmatter)
    if loaded is None:
        loaded = dict(re.findall(r"^([A-Za-z-]+):[ \t]*(.*)$", frontmatter, re.MULTILINE))
        warnings = ["the frontmatter is not valid YAML; it was read line by line"]
    metadata = loaded.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    values: dict[str, Any] = {key: value for key, value in loaded.items() if isinstance(value, str) and key in _KEPT}
    lost = [key for key in loaded if key not in {*values, "metadata"}]
    lost += [f"metadata.{key}" for key in metadata if key not in _METADATA]
    warnings += [f"{shown(str(key))}: not kept" for key in lost]
    return values | {"metadata": metadata}, warnings


def _name_warnings(name: str, folder: str) -> list[str]:
    warnings = [] if name == slug(name) else [f"the name {name[:80]!r} became {slug(name)!r}"]
    if folder and folder != name:
        warnings.append(f"the folder {folder[:80]!r} is not called like the skill, {name[:80]!r}")
    return warnings


def _sections(body: str, display: str) -> tuple[str, dict[str, str]]:
    """(title, text by section). What stands in no section of ours is part of the procedure."""
    lines = body.split("\n")
    marks = list(markdown.headings(body, 2))
    title, start = display, 0
    if marks and marks[0][1] == 1 and not "".join(lines[: marks[0][0]]).strip():
        first = marks.pop(0)
        start = first[0] + 1
        title = display if lines[first[0]] == f"# {display}" else first[2] or display
    texts: dict[str, list[str]] = {}
    section, begin = "Procedure", start
    for line, level, heading in [*marks, (len(lines), 0, "")]:
        known = markdown.section(heading) if level == 2 else None
        if level and not known and section == "Procedure":
            continue
        texts.setdefault(section, []).append("\n".join(lines[begin:line]).strip("\n"))
        section, begin = known or "Procedure", line + 1 if known else line
    return title, {section: "\n\n".join(filter(None, parts)) for section, parts in texts.items()}


def _content(texts: Mapping[str, str]) -> dict[str, Any]:
    content: dict[str, Any] = {field: markdown.items(texts.get(section, "")) for section, field in _LISTS.items()}
    return content | {
        "trigger": texts.get("Trigger", ""),
        "procedure": markdown.unescaped(texts.get("Procedure", "")),
        "examples": _examples(texts.get("Examples", "")),
        "performance": _track_record(texts.get("Track Record", "")),
    }


def _examples(text: str) -> list[str]:
    lines = text.split("\n")
    marks = [mark for mark in markdown.headings(text, 3) if mark[1] == 3]
    bounds = [0, *(line for line, _, _ in marks), len(lines)]
    parts = ["\n".join(lines[begin:end]).strip("\n") for begin, end in pairwise(bounds)]
    parts = [re.sub(r"\A### Example \d+\n+", "", part) for part in parts]
    return [markdown.unfenced(part) for part in parts if part]


def _track_record(text: str) -> dict[str, Any] | None:
    lines = dict(re.findall(r"^- ([A-Z][a-z ]+): (.+)$", text, re.MULTILINE))
    counts = {field: lines.get(label, "0") for label, field in skill_md_writer.COUNTS.items()}
    if not lines or not all(re.fullmatch(r"[0-9]{1,12}", count) for count in counts.values()):
        return None
    return {**counts, "since": lines.get("Since", ""), "until": lines.get("Last run", "")}


def _left_over(fields: Fields, texts: Mapping[str, str]) -> list[str]:
    """What the sections that are derived from other fields said besides; it moves into the procedure."""
    derived = skill_md_writer.sections(fields)
    left = []
    for section in _DERIVED:
        lines = texts.get(section, "").split("\n")
        more = "\n".join(line for line in lines if not line or line not in derived[section].split("\n")).strip("\n")
        if more:
            left.append(f"### {section}\n\n{more}")
    return left
