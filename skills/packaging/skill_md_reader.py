"""Parsing a SKILL.md into fields: the exact inverse of `skill_md_writer`, and lenient with files of other origin.

Sections that have no field join the procedure, under their headings.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from skills import markdown
from skills.manifest import OUR_METADATA, Fields
from skills.names import printable, slug
from skills.packaging import frontmatter, skill_md_writer

_LIST_FIELDS = {
    "Experience": "experience",
    "User Preferences": "preference",
    "Failure Modes": "failure_modes",
    "Fallbacks": "fallbacks",
    "Tool Usage": "tool",
}
_LISTED_FILE = re.compile(
    r"[-*+] (?:\[[^]\n]*\]\((?:\./)?(?P<link>[^)\s]+)\)|`(?:\./)?(?P<code>[^`\s]+)`|(?:\./)?(?P<path>[^\s`\[]+))"
)
_DERIVED_SECTIONS = ("Scripts", "Track Record", "Additional Information")


def read(text: str, *, folder: str = "", **files: Any) -> tuple[Fields, list[str]]:
    """The fields in a SKILL.md completed by `files` (further fields by name), and warnings about changes and omissions.

    `folder` is the folder of the file in its archive. pydantic.ValidationError: the text is no skill.
    """
    yaml, body = frontmatter.split(markdown.clean(text.removeprefix("\ufeff")))
    head, warnings = _head(yaml)
    title, texts = _sections(body, str(head["metadata"].get("display-name", "")))
    name = head.get("name") or folder or title
    warnings += _name_warnings(name, folder)
    if not (description := head.get("description", "").strip()):
        warnings.append("SKILL.md has no description; its first paragraph stands in for one")
        description = (texts.get("Procedure", "") or title).split("\n\n")[0]
    terms: dict[str, Any] = {key: head.get(key, "") for key in ("license", "compatibility")}
    terms["allowed_tools"] = head.get("allowed-tools", "")
    terms["metadata"] = {
        key: value for key, value in head["metadata"].items() if key not in OUR_METADATA and isinstance(value, str)
    }
    values = {"name": name, "title": title, "description": description, **terms, **_content(texts), **files}
    fields = Fields.model_validate(values)
    if more_lines := _unparsed_lines(fields, texts):
        values["procedure"] = "\n\n".join(filter(None, [values["procedure"], *more_lines]))
        fields = Fields.model_validate(values)
    return fields, warnings + _cuts({"description": description, **terms}, fields)


def is_unreadable(text: str) -> bool:
    """Whether a SKILL.md has a frontmatter that is no YAML mapping of a bearable size."""
    yaml, _ = frontmatter.split(markdown.clean(text.removeprefix("\ufeff")))
    return bool(yaml) and frontmatter.parse(yaml) is None


def _head(yaml: str) -> tuple[dict[str, Any], list[str]]:
    """(values, warnings): texts by key, and under `metadata` texts by key."""
    if not yaml:
        return {"metadata": {}}, ["SKILL.md has no frontmatter"]
    warnings = []
    mapping = frontmatter.parse(yaml)
    if mapping is None:
        mapping = frontmatter.parse_entries(yaml)
        warnings = ["the frontmatter is not valid YAML, or too long or deep; it was read line by line"]
    metadata = mapping.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    tools = mapping.get("allowed-tools")
    if isinstance(tools, list) and all(isinstance(tool, str) for tool in tools):
        mapping["allowed-tools"] = " ".join(tools)  # a list says the same
    texts = {key: value for key, value in mapping.items() if isinstance(value, str)}
    values: dict[str, Any] = {key: value for key, value in texts.items() if key in frontmatter.ALLOWED}
    dropped_keys = [key for key in mapping if key not in {*values, "metadata"}]
    dropped_keys += [f"metadata.{key}" for key, value in metadata.items() if not isinstance(value, str)]
    warnings += [f"{printable(str(key))}: not kept" for key in dropped_keys]
    return values | {"metadata": metadata}, warnings


def _cuts(texts: Mapping[str, str], fields: Fields) -> list[str]:
    values = {key: str(getattr(fields, key)) for key in texts}
    cut_keys = [key for key, text in values.items() if text.endswith("…") and not texts[key].rstrip().endswith("…")]
    return [f"{key.replace('_', '-')}: cut to {len(values[key])} characters" for key in cut_keys]


def _name_warnings(name: str, folder: str) -> list[str]:
    warnings = [] if name == slug(name) else [f"the name {name[:80]!r} became {slug(name)!r}"]
    if folder and folder != name:
        warnings.append(f"the folder {folder[:80]!r} does not have the name of the skill, {name[:80]!r}")
    return warnings


def _sections(body: str, display: str) -> tuple[str, dict[str, str]]:
    """(title, text by section). Text outside of the known sections is part of the procedure."""
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
        next_section = markdown.known_section(heading) if level == 2 else None
        if level and not next_section and section == "Procedure":
            continue
        texts.setdefault(section, []).append("\n".join(lines[begin:line]).strip("\n"))
        section, begin = next_section or "Procedure", line + 1 if next_section else line
    return title, {section: "\n\n".join(filter(None, parts)) for section, parts in texts.items()}


def _content(texts: Mapping[str, str]) -> dict[str, Any]:
    content: dict[str, Any] = {
        field: markdown.parse_list(texts.get(section, "")) for section, field in _LIST_FIELDS.items()
    }
    return content | {
        "trigger": texts.get("Trigger", ""),
        "procedure": markdown.unescape_headings(texts.get("Procedure", "")),
        "examples": _examples(texts.get("Examples", "")),
        "performance": _track_record(texts.get("Track Record", "")),
    }


def _examples(text: str) -> list[str]:
    lines = text.split("\n")
    marks = [mark for mark in markdown.headings(text, 3) if mark[1] == 3]
    bounds = [0, *(line for line, _, _ in marks), len(lines)]
    parts = ["\n".join(lines[begin:end]).strip("\n") for begin, end in pairwise(bounds)]
    parts = [re.sub(r"\A### Example \d+\n+", "", part) for part in parts]
    return [markdown.unfence_markdown(part) for part in parts if part]


def _track_record(text: str) -> dict[str, Any] | None:
    lines = dict(re.findall(r"^- ([A-Z][a-z ]+): (.+)$", text, re.MULTILINE))
    counts = {field: lines.get(label, "0") for label, field in skill_md_writer.COUNTS.items()}
    if not lines or not all(re.fullmatch(r"[0-9]{1,12}", count) for count in counts.values()):
        return None
    return {**counts, "since": lines.get("Since", ""), "until": lines.get("Last run", "")}


def _unparsed_lines(fields: Fields, texts: Mapping[str, str]) -> list[str]:
    """Lines of the derived sections that the fields do not reproduce, under their headings, for the procedure."""
    section_texts = skill_md_writer.sections(fields)
    parts = []
    for section in _DERIVED_SECTIONS:
        lines, own_lines = texts.get(section, "").split("\n"), section_texts[section].split("\n")
        more = "\n".join(line for line in lines if not line or not _is_reproduced(line, own_lines)).strip("\n")
        if more:
            parts.append(f"### {section}\n\n{more}")
    return parts


def _is_reproduced(line: str, own_lines: Sequence[str]) -> bool:
    """Whether the fields write this line themselves, or name the file that it lists: `- ./scripts/plan.py`."""
    match = _LISTED_FILE.fullmatch(line)
    path = (match["link"] or match["code"] or match["path"]) if match else ""
    pattern = rf"- (?:`|\[[^]]*\]\(){re.escape(path)}[`)](?::.*)?"
    return line in own_lines or (bool(path) and any(re.fullmatch(pattern, own_line) for own_line in own_lines))
