"""Rendering a SKILL.md as safe HTML: a reviewer sees every character an agent will read, and nothing is executed."""

from collections.abc import Iterator
from html import escape

import nh3
from markdown_it import MarkdownIt

from memories.values.invisible import visible
from skills.packaging import skill_md_reader

# raw HTML becomes text, comments included; an image becomes a link to what it would have loaded
_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
_TAGS = {
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "ul", "ol", "li", "blockquote", "pre", "code", "em",
    "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd",
}  # fmt: skip


def html(markdown: str) -> str:
    """Safe HTML of a SKILL.md: its frontmatter as a description list, then the body. Relative links are dropped."""
    head, body = skill_md_reader.split(markdown)
    unsafe = "".join(_frontmatter(head)) + _markdown.render(visible(body))
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
    values = skill_md_reader.parse_frontmatter(head) or {}
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
