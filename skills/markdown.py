"""Writing and parsing the Markdown constructs of a SKILL.md: cleaned texts, lists, code fences, section headings."""

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
_SECTION_BY_LOWER = {title.lower(): title for title in SECTIONS}
_HEADING = rf"##[ \t][^\S\n]*(?:{'|'.join(SECTIONS)})[^\S\n]*#*[^\S\n]*$"
_HEADING_INSIDE = re.compile(rf"^( {{0,3}})(\\*{_HEADING})", re.IGNORECASE | re.MULTILINE)
_HEADING_ESCAPED = re.compile(rf"^( {{0,3}})\\(\\*{_HEADING})", re.IGNORECASE | re.MULTILINE)
_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")


def clean(text: str) -> str:
    """The text without control characters and trailing blanks, with `\\n` as its only line break."""
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text)
    text = re.sub(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]", "", replace_unencodable(text))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def replace_unencodable(text: str) -> str:
    """The text with surrogates replaced and NUL removed, so that UTF-8 and PostgreSQL can hold it."""
    return re.sub(r"[\ud800-\udfff]", "\ufffd", text).replace("\x00", "")


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def paragraph(text: str) -> str:
    return clean(text).strip()


def close_fence(text: str) -> str:
    """The text with an open code fence at its end closed, so that what follows is not parsed as code."""
    tokens = _blocks.parse(f"{text}\n\n# end")
    if tokens and tokens[-1].type == "fence" and tokens[-1].level == 0:
        return f"{text}\n{tokens[-1].markup}"
    return text


def escape_headings(text: str) -> str:
    """Escape lines that look like a section heading of SKILL.md: `## Trigger` -> `\\## Trigger`."""
    return _HEADING_INSIDE.sub(r"\1\\\2", text)


def unescape_headings(text: str) -> str:
    return _HEADING_ESCAPED.sub(r"\1\2", text)


def fence_as_markdown(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}markdown\n{text}\n{fence}"


def unfence_markdown(text: str) -> str:
    """The content of the code fence that the whole text consists of, else the text itself."""
    tokens = _blocks.parse(text)
    if len(tokens) == 1 and tokens[0].type == "fence" and tokens[0].info.strip() == "markdown":
        return tokens[0].content.removesuffix("\n")
    return text


def format_list(items: Sequence[str], *, numbered: bool = False) -> str:
    """A Markdown list of the items; further lines of an item are indented beneath its first one."""
    lines = []
    for number, item in enumerate(items, 1):
        marker = f"{number}. " if numbered else "- "
        first, *rest = escape_headings(re.sub(r"\A(\\*-[- ]*)$", r"\\\1", item, flags=re.MULTILINE)).split("\n")
        lines.append(marker + first)
        lines += [" " * len(marker) + line if line else "" for line in rest]
    return "\n".join(lines)


def parse_list(text: str) -> list[str]:
    """The items of a list; a paragraph without a marker is an item too."""
    parts: list[list[str]] = []  # the lines of each item
    width, at_start = 0, True
    for line in text.split("\n"):
        if marker := _MARKER.match(line):
            width, at_start = marker.end(), False
            parts.append([line[width:]])
        elif not at_start and (not line or line[0] in " \t" or parts[-1][-1]):
            parts[-1].append(line[min(width, len(line) - len(line.lstrip(" "))) :])
        elif line.strip():
            width, at_start = 0, False
            parts.append([line])
    texts = (unescape_headings("\n".join(lines)).strip() for lines in parts)
    return [re.sub(r"\A\\(\\*-[- ]*)$", r"\1", item, flags=re.MULTILINE) for item in texts]


def headings(text: str, level: int) -> Iterator[tuple[int, int, str]]:
    """(line, level, title) of the headings up to `level`, except those inside lists, quotations or code."""
    tokens = _blocks.parse(text)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and int(token.tag[1]) <= level:
            yield _start(token), int(token.tag[1]), inline.content if token.markup.startswith("#") else ""


def known_section(title: str) -> str | None:
    """The SKILL.md section that a heading names, ignoring case; None for any other heading."""
    return _SECTION_BY_LOWER.get(title.lower())


def _start(token: Token) -> int:
    return token.map[0] if token.map else 0
