"""The YAML between the `---` lines of a SKILL.md: reading it leniently, telling whether it is strict, writing it."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from skills.manifest import Fields
from skills.names import display_name

ALLOWED = {"name", "description", "license", "compatibility", "allowed-tools", "metadata"}
LONGEST_DESCRIPTION, LONGEST_COMPATIBILITY = 1024, 500
LONGEST, DEEPEST = 20_000, 20  # characters and levels that are parsed: PyYAML takes minutes for some texts beyond them
_NULL = "tag:yaml.org,2002:null"
_FRONTMATTER = re.compile(r"---[ \t]*\n(?:(.*?)\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)(.*)", re.DOTALL)
_UNCLOSED = re.compile(r"---[ \t]*\n((?:(?:name|description):.*(?:\n|\Z)(?:(?:[ \t]|[a-z-]+:).*(?:\n|\Z))*)+)(?s:(.*))")
_ENTRY = re.compile(r"^([\w-]+):(.*(?:\n(?:[ \t-].*)?)*)", re.MULTILINE)  # a key with the lines under it


class _Loader(yaml.BaseLoader):
    """Reads every scalar as text, and null as an empty one."""


_Loader.add_implicit_resolver(_NULL, re.compile(r"(?:~|null|Null|NULL)\Z"), ["~", "n", "N"])
_Loader.add_constructor(_NULL, lambda loader, node: "")


def split(text: str) -> tuple[str, str]:
    """(frontmatter without its `---` lines, body) of a SKILL.md. One that nothing closes ends with its last entry."""
    match = _FRONTMATTER.match(text)
    inner = (match[1] or "") if match else ""
    if not match or ("\n#" in inner and inner.endswith("\n") and parse(inner) is None):  # `---` is a rule of the body
        match = _UNCLOSED.match(text) or match
    return (match[1] or "", match[2]) if match else ("", text)


def parse(frontmatter: str) -> dict[str, Any] | None:
    """The YAML mapping of a frontmatter with every scalar as text; None when it is none, or not `_is_small`."""
    try:
        if not _is_small(frontmatter):
            return None
        values = yaml.load(frontmatter, Loader=_Loader)  # noqa: S506 - no dates, no booleans, no objects
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    return values if isinstance(values, dict) else None


def parse_entries(frontmatter: str) -> dict[str, Any]:
    """What `parse` refuses as a whole, each entry alone; one that is no YAML either is the text of its lines."""
    values: dict[str, Any] = {}
    for entry in _ENTRY.finditer(frontmatter):
        mapping = parse(entry[0]) if len(frontmatter) <= LONGEST else None
        values |= mapping or {entry[1]: " ".join(entry[2].split())}
    return values


def _is_small(frontmatter: str) -> bool:
    """Whether it is short and flat enough to be parsed. Raises a YAMLError where that is met first."""
    if len(frontmatter) > LONGEST:
        return False
    depth = 0
    for event in yaml.parse(frontmatter, Loader=yaml.BaseLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            return False
    return True


def is_strict(text: str, name: str) -> bool:
    """Whether a SKILL.md may be exported as it is: its frontmatter follows the specification, under this name."""
    parts = text.split("---", 2)  # as the reference validator does
    if len(parts) < 3 or parts[0] or not parts[1].startswith(("\n", "\r\n")) or not _is_plain(parts[1]):
        return False
    values = parse(parts[1]) or {}
    has_description = 1 <= len(str(values.get("description", "")).strip()) <= LONGEST_DESCRIPTION
    is_short_enough = len(str(values.get("compatibility", ""))) <= LONGEST_COMPATIBILITY
    metadata = values.get("metadata", "")
    texts = [value for key, value in values.items() if key != "metadata"]
    texts += metadata.values() if isinstance(metadata, dict) else [metadata]
    has_known_keys = set(values) <= ALLOWED and all(isinstance(text, str) for text in texts)
    return has_known_keys and has_description and is_short_enough and values.get("name") == name


def _is_plain(frontmatter: str) -> bool:
    """Block style alone: no flow style, anchor, tag, list or repeated key, which the reference validator refuses."""
    try:
        if not _is_small(frontmatter):
            return False
        events = list(yaml.parse(frontmatter, Loader=yaml.BaseLoader))
        node = yaml.compose(frontmatter, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return False
    strange = any(
        isinstance(event, yaml.AliasEvent | yaml.SequenceStartEvent)
        or getattr(event, "anchor", None)
        or (getattr(event, "tag", None) and not isinstance(event, yaml.DocumentStartEvent))
        or getattr(event, "flow_style", None)
        for event in events
    )
    return not strange and isinstance(node, yaml.MappingNode) and _has_no_twins(node)


def _has_no_twins(node: yaml.MappingNode) -> bool:
    keys = [key.value for key, _ in node.value]
    inner = [value for _, value in node.value if isinstance(value, yaml.MappingNode)]
    return len(set(keys)) == len(keys) and all(_has_no_twins(part) for part in inner)


def dump(fields: Fields, **ours: str) -> str:
    """The frontmatter of these fields, without its `---` lines. `ours`: what Memos adds to the metadata."""
    content = {
        "name": fields.name,
        "description": fields.description,
        "license": fields.license,
        "compatibility": fields.compatibility,
        "allowed-tools": fields.allowed_tools,
        "metadata": {**ours, **fields.metadata},
    }
    present: Mapping[str, object] = {key: value for key, value in content.items() if value}
    return yaml.dump(present, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=float("inf"))


def rewritten(text: str, fields: Fields) -> str:
    """A SKILL.md with a strict frontmatter of these fields; the body stays as it is. A title that the name does not
    give goes along, for a body may have none.
    """
    body = split(text.removeprefix("\ufeff").replace("\r\n", "\n"))[1]
    ours = {} if fields.title == display_name(fields.name) else {"display-name": fields.title}
    return f"---\n{dump(fields, **ours)}---\n{body}"


class QuotedString(str):
    """A string that is always quoted, so that YAML readers do not take "3" for a number."""


class _Dumper(yaml.SafeDumper):
    pass


_Dumper.add_representer(
    QuotedString, lambda dumper, value: dumper.represent_scalar("tag:yaml.org,2002:str", value, style='"')
)
