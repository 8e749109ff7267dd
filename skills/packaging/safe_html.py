"""Rendering a SKILL.md as safe HTML: a reviewer sees every character an agent will read, and nothing is executed."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import Any

import nh3
from markdown_it import MarkdownIt

from memories.values.invisible import visible
from skills.packaging import frontmatter

# raw HTML becomes text, comments included; an image becomes a link to what it would have loaded
_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
LONGEST_PART = 26_000  # characters of Markdown that a page shows at once
_TAGS = {
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "ul", "ol", "li", "blockquote", "pre", "code", "em",
    "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd",
}  # fmt: skip


@dataclass(frozen=True)
class Part:
    """One part of a long SKILL.md, counted from 1."""

    html: str
    number: int
    count: int


def html(markdown: str) -> str:
    """Safe HTML of a SKILL.md: its frontmatter as a description list, then the body. Relative links are dropped."""
    head, body = frontmatter.split(markdown)
    return _safe("".join(_frontmatter(head)) + _markdown.render(visible(body)))


def part(markdown: str, number: int) -> Part:
    """As `html`, the part of this number of a text that is too long for one page; the nearest one that there is."""
    head, body = frontmatter.split(markdown)
    references: dict[str, Any] = {}
    texts = _parts(re.sub(r"\r\n?", "\n", visible(body)), references)
    number = min(max(number, 1), len(texts))
    start = "".join(_frontmatter(head)) if number == 1 else ""
    return Part(_safe(start + _markdown.render(texts[number - 1], references)), number, len(texts))


def _parts(text: str, references: dict[str, Any]) -> list[str]:
    """The text cut before blocks and items of lists; `references` takes up the addresses that links anywhere name."""
    tokens = _markdown.parse(text, references)
    if len(text) <= LONGEST_PART:
        return [text]
    blocks = {token.map[0] for token in tokens if token.map and (not token.level or token.type == "list_item_open")}
    lines = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    cuts, places = [0], sorted(lines[line] for line in blocks if line < len(lines))
    while len(text) - cuts[-1] > LONGEST_PART:
        next_place = bisect_right(places, cuts[-1])
        last = bisect_right(places, cuts[-1] + LONGEST_PART) - 1
        if (place := max(last, next_place)) >= len(places):
            break
        cuts.append(places[place])
    return [text[start:end] for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True)]


def _safe(unsafe: str) -> str:
    return nh3.clean(
        unsafe,
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel="noopener nofollow",
    )


def _frontmatter(head: str) -> Iterator[str]:
    if not head:
        return
    values = frontmatter.parse(head) or {}
    flat = {key: value for key, value in values.items() if isinstance(value, str)}
    if isinstance(metadata := values.get("metadata"), dict):
        flat |= {key: value for key, value in metadata.items() if isinstance(key, str) and isinstance(value, str)}
    if len(flat) != len(values) - isinstance(metadata, dict) + len(metadata or ()) or not flat:
        yield f"<pre><code>{_text(head)}</code></pre>"  # not ours: shown as it is
        return
    yield "<dl>"
    for key, value in flat.items():
        yield f"<dt>{_text(str(key))}</dt><dd>{_text(value)}</dd>"
    yield "</dl>"


def _text(text: str) -> str:
    return escape(visible(text))
