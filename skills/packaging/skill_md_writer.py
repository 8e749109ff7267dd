"""Writing a SKILL.md from fields: sections in the order in which an agent needs them, empty ones left out."""

import re
from collections.abc import Iterator, Mapping

from skills import markdown
from skills.manifest import Fields, TrackRecord
from skills.packaging import frontmatter

RECIPE = "recipe.json"
COUNTS = {"Successes": "successes", "Failures": "failures", "Partial": "partials"}
MIN_RUNS_FOR_RATE = 10  # with fewer a percentage would pretend to a precision that is not there


def skill_md(fields: Fields, version: int) -> str:
    """The SKILL.md of a version: frontmatter as the Agent Skills specification demands, then the sections."""
    parts = [f"---\n{_frontmatter(fields, version)}---", f"# {fields.title}"]
    parts += [f"## {title}\n\n{text}" for title, text in sections(fields).items() if text]
    return "\n\n".join(parts).replace("---\n\n#", "---\n#", 1) + "\n"


def sections(fields: Fields) -> dict[str, str]:
    """The Markdown of every section by its title, in order; empty for a section without content."""
    texts = {
        "Trigger": trigger(fields.trigger),
        "Procedure": markdown.escape_headings(fields.procedure),
        "Failure Modes": markdown.format_list(fields.failure_modes),
        "Fallbacks": markdown.format_list(fields.fallbacks),
        "Experience": markdown.format_list(fields.experience, numbered=True),
        "User Preferences": markdown.format_list(fields.preference),
        "Examples": "\n\n".join(_examples(fields.examples)),
        "Scripts": scripts(fields),
        "Tool Usage": markdown.format_list(fields.tool or []),
        "Track Record": track_record(fields.performance),
        "Additional Information": additional_information(fields),
    }
    return {title: texts[title] for title in markdown.SECTIONS}


def differs_beyond_track_record(a: Fields, b: Fields) -> bool:
    """Whether SKILL.md or a file differs in anything but the track record."""
    return _content(a) != _content(b)


def trigger(terms: list[str]) -> str:
    """The trigger terms in one line; as a list when a term has a comma or looks like Markdown."""
    plain = all(re.fullmatch(r"(?!\d+[.)])[^\W_][^,，、]*", term) for term in terms)
    return ", ".join(terms) if plain else markdown.format_list(terms)


def track_record(record: TrackRecord | None) -> str:
    if record is None:
        return ""
    runs = record.successes + record.failures
    rate = f"{100 * record.successes // runs} %" if runs >= MIN_RUNS_FOR_RATE else ""
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
    lines = [*_links(fields.reference_folder, fields.others), *_links("assets", fields.assets)]
    if fields.recipe:
        lines.append(f"- [{RECIPE}]({RECIPE}): the steps with their tools and argument schemas, for programs")
    return "See also:\n\n" + "\n".join(lines) if lines else ""


def _links(folder: str, files: Mapping[str, str] | None) -> Iterator[str]:
    for name, text in sorted((files or {}).items()):
        label = f"`{folder}/{name}`" if folder == "scripts" else f"[{name}]({folder}/{name})"
        purpose = _purpose(text)
        yield f"- {label}: {purpose}" if purpose else f"- {label}"


def _purpose(text: str) -> str:
    """The first docstring, comment or heading line of a file; "" when it begins with something else."""
    for line in text[:2000].splitlines():
        if line.startswith("#!") or not line.strip():
            continue
        comment = re.match(r'\s*(?:r?"""|\'\'\'|#+|//+|/\*+|--|<!--)\s*(\w.*)', line)
        return markdown.one_line(comment[1])[:120].rstrip("\"' */->").rstrip() if comment else ""
    return ""


def _examples(examples: list[str]) -> Iterator[str]:
    for number, example in enumerate(examples, 1):
        yield f"### Example {number}\n\n{markdown.fence_as_markdown(example)}"


def _frontmatter(fields: Fields, version: int) -> str:
    ours = {"version": frontmatter.QuotedString(version), "source": "memos", "display-name": fields.title}
    return frontmatter.dump(fields, **ours)


def _content(fields: Fields) -> tuple[object, ...]:
    text = skill_md(fields.model_copy(update={"performance": None}), 1)
    return text, fields.scripts, fields.others, fields.assets
