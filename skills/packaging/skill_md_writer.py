"""Fields -> SKILL.md: what an agent needs, in the order in which it needs it; a section only when it has content."""

import re
from collections.abc import Iterator, Mapping

import yaml

from skills import markdown
from skills.manifest import Fields, TrackRecord

RECIPE = "recipe.json"
COUNTS = {"Successes": "successes", "Failures": "failures", "Partial": "partials"}
ENOUGH_RUNS = 10  # below this a percentage says more than is known


def skill_md(fields: Fields, version: int) -> str:
    """The SKILL.md of a version: frontmatter by the Agent Skills specification, then the sections."""
    parts = [f"---\n{_frontmatter(fields, version)}---", f"# {fields.title}"]
    parts += [f"## {title}\n\n{text}" for title, text in sections(fields).items() if text]
    return "\n\n".join(parts).replace("---\n\n#", "---\n#", 1) + "\n"


def sections(fields: Fields) -> dict[str, str]:
    """The Markdown of every section, in order; empty where there is nothing to say."""
    texts = {
        "Trigger": trigger(fields.trigger),
        "Procedure": markdown.escaped(fields.procedure),
        "Failure Modes": markdown.listed(fields.failure_modes),
        "Fallbacks": markdown.listed(fields.fallbacks),
        "Experience": markdown.listed(fields.experience, numbered=True),
        "User Preferences": markdown.listed(fields.preference),
        "Examples": "\n\n".join(_examples(fields.examples)),
        "Scripts": scripts(fields),
        "Tool Usage": markdown.listed(fields.tool or []),
        "Track Record": track_record(fields.performance),
        "Additional Information": additional_information(fields),
    }
    return {title: texts[title] for title in markdown.SECTIONS}


def beyond_track_record(a: Fields, b: Fields) -> bool:
    """Whether an agent would read something else: SKILL.md without Track Record, or a file. Numbers alone never do."""
    return _told(a) != _told(b)


def trigger(terms: list[str]) -> str:
    """Terms in one line; a list when a term has a comma or looks like Markdown."""
    plain = all(re.fullmatch(r"(?!\d+[.)])[^\W_][^,，、]*", term) for term in terms)
    return ", ".join(terms) if plain else markdown.listed(terms)


def track_record(record: TrackRecord | None) -> str:
    if record is None:
        return ""
    decided = record.successes + record.failures
    rate = f"{100 * record.successes // decided} %" if decided >= ENOUGH_RUNS else ""
    lines = {
        "Successes": str(record.successes),
        "Failures": str(record.failures),
        "Partial": str(record.partials or ""),
        "Success rate": rate,
        "Since": record.since,
        "Last run": record.until,
    }
    return "\n".join(f"- {label}: {value}" for label, value in lines.items() if value)


def scripts(fields: Fields) -> str:
    return "\n".join(_links("scripts", fields.scripts))


def additional_information(fields: Fields) -> str:
    lines = [*_links("reference", fields.others), *_links("assets", fields.assets)]
    if fields.recipe:
        lines.append(f"- [{RECIPE}]({RECIPE}): the steps with their tools and argument schemas, for programs")
    return "See also:\n\n" + "\n".join(lines) if lines else ""


def _links(folder: str, files: Mapping[str, str] | None) -> Iterator[str]:
    for name, text in sorted((files or {}).items()):
        label = f"`{folder}/{name}`" if folder == "scripts" else f"[{name}]({folder}/{name})"
        purpose = _purpose(text)
        yield f"- {label}: {purpose}" if purpose else f"- {label}"


def _purpose(text: str) -> str:
    """What a file says of itself: its first docstring, comment or heading line, where it has one."""
    for line in text[:2000].splitlines():
        if line.startswith("#!") or not line.strip():
            continue
        told = re.match(r'\s*(?:r?"""|\'\'\'|#+|//+|/\*+|--|<!--)\s*(\w.*)', line)
        return markdown.one_line(told[1])[:120].rstrip("\"' */->").rstrip() if told else ""
    return ""


def _examples(examples: list[str]) -> Iterator[str]:
    for number, example in enumerate(examples, 1):
        yield f"### Example {number}\n\n{markdown.fenced(example)}"


def _frontmatter(fields: Fields, version: int) -> str:
    content = {
        "name": fields.name,
        "description": fields.description,
        "license": fields.license,
        "compatibility": fields.compatibility,
        "metadata": {"version": _Quoted(version), "source": "memos", "display-name": fields.title},
    }
    present = {key: value for key, value in content.items() if value}
    return yaml.dump(present, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=float("inf"))


def _told(fields: Fields) -> tuple[object, ...]:
    text = skill_md(fields.model_copy(update={"performance": None}), 1)
    return text, fields.scripts, fields.others, fields.assets


class _Quoted(str):
    """A string that stays one for every YAML reader: \"3\"."""


class _Dumper(yaml.SafeDumper):
    pass


_Dumper.add_representer(
    _Quoted, lambda dumper, value: dumper.represent_scalar("tag:yaml.org,2002:str", value, style='"')
)
