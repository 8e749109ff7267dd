"""The Markdown of a SKILL.md, each construct with its inverse: texts, lists, fences, sections."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

_blocks = MarkdownIt("commonmark", {"html": False}).disable(["inline", "reference", "html_block"])

SECTIONS = (
    "Trigger",
    "Procedure",
    "Failure Modes",
    "Fallbacks",
    "Experience",
    "User Preferences",
    "Examples",
    "Scripts",
    "Tool Usage",
    "Track Record",
    "Additional Information",
)
_KNOWN = {title.lower(): title for title in SECTIONS}
_HEADING = rf"##[ \t][^\S\n]*(?:{'|'.join(SECTIONS)})[^\S\n]*#*[^\S\n]*$"
_HEADING_INSIDE = re.compile(rf"^( {{0,3}})(\\*{_HEADING})", re.IGNORECASE | re.MULTILINE)
_HEADING_ESCAPED = re.compile(rf"^( {{0,3}})\\(\\*{_HEADING})", re.IGNORECASE | re.MULTILINE)
_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")


def clean(text: str) -> str:
    """Text that files, databases and line counters agree on: no control characters, `\\n` only, lines without tails."""
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text)
    text = re.sub(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]", "", encodable(text))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def encodable(text: str) -> str:
    """A file's text as UTF-8 and PostgreSQL can hold it; nothing else is touched."""
    return re.sub(r"[\ud800-\udfff]", "\ufffd", text).replace("\x00", "")


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def paragraph(text: str) -> str:
    return clean(text).strip()


def closed(text: str) -> str:
    """The text with its last code fence closed, so that what follows it is not taken for code."""
    tokens = _blocks.parse(f"{text}\n\n# end")
    if tokens and tokens[-1].type == "fence" and tokens[-1].level == 0:
        return f"{text}\n{tokens[-1].markup}"
    return text


def escaped(text: str) -> str:
    """Text whose lines are not taken for a heading of ours: `## Trigger` -> `\\## Trigger`."""
    return _HEADING_INSIDE.sub(r"\1\\\2", text)


def unescaped(text: str) -> str:
    return _HEADING_ESCAPED.sub(r"\1\2", text)


def fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}markdown\n{text}\n{fence}"


def unfenced(text: str) -> str:
    """What stands in the one fence that the text consists of, else the text."""
    tokens = _blocks.parse(text)
    if len(tokens) == 1 and tokens[0].type == "fence" and tokens[0].info.strip() == "markdown":
        return tokens[0].content.removesuffix("\n")
    return text


def listed(items: Sequence[str], *, numbered: bool = False) -> str:
    """A list; lines after an item's first are indented beneath it."""
    lines = []
    for number, item in enumerate(items, 1):
        marker = f"{number}. " if numbered else "- "
        first, *rest = escaped(re.sub(r"\A(\\*-[- ]*)$", r"\\\1", item, flags=re.MULTILINE)).split("\n")
        lines.append(marker + first)
        lines += [" " * len(marker) + line if line else "" for line in rest]
    return "\n".join(lines)


def items(text: str) -> list[str]:
    """The items of a list; a paragraph without a marker is an item too."""
    found: list[list[str]] = []
    width, fresh = 0, True
    for line in text.split("\n"):
        if marker := _MARKER.match(line):
            width, fresh = marker.end(), False
            found.append([line[width:]])
        elif not fresh and (not line or line[0] in " \t" or found[-1][-1]):
            found[-1].append(line[min(width, len(line) - len(line.lstrip(" "))) :])
        elif line.strip():
            width, fresh = 0, False
            found.append([line])
    texts = (unescaped("\n".join(lines)).strip() for lines in found)
    return [re.sub(r"\A\\(\\*-[- ]*)$", r"\1", item, flags=re.MULTILINE) for item in texts]


def headings(text: str, level: int) -> Iterator[tuple[int, int, str]]:
    """(line, level, title) of the headings up to `level` that stand in no list, quotation or code."""
    tokens = _blocks.parse(text)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and int(token.tag[1]) <= level:
            yield _start(token), int(token.tag[1]), inline.content if token.markup.startswith("#") else ""


def section(title: str) -> str | None:
    """The section of ours that a heading names, in whatever case."""
    return _KNOWN.get(title.lower())


def _start(token: Token) -> int:
    return token.map[0] if token.map else 0
