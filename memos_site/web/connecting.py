"""The texts that connect an agent: the `Connect` sections of `docs/agents/`, with a person's own address and token.

What stands around the code is told in the reader's language; the code is the same in each.
"""

import re
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from markdown_it import MarkdownIt

HARNESSES = {
    "claude-code": "Claude Code",
    "codex": "Codex CLI",
    "gemini-cli": "Gemini CLI",
    "opencode": "opencode",
    "qwen-code": "Qwen Code",
    "copilot": "Copilot CLI",
    "cursor": "Cursor",
    "mcp": "MCP",
    "opentelemetry": "OpenTelemetry",
    "http": "curl, Python",
    "plugins": _("A plugin or prompt of your own"),
    "skills": _("Skills"),
}
URL_IN_DOCS, TOKEN_IN_DOCS = "http://127.0.0.1:8000", "YOUR_TOKEN"  # as the documents write them
BLOCK = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
PROSE = [  # of the documents, each paragraph on one line, so that it is translated
    _(
        "Installs hooks, tools and skills in %(folder)s, keeps everything else there, and prints for each step "
        "whether it works:"
    ),
    _("Later, `doctor` in place of `connect` shows what arrives; `disconnect` removes what was written."),
    _(
        "Installs hooks, tools and skills in `~/.codex`. Codex does not run untrusted hooks, and `codex exec` "
        "does not even warn about them: `--trust` trusts these; without it Codex asks at its next start."
    ),
    _("With the official Python client, `pip install mcp httpx2`:"),
    _("Any exporter of OTLP over HTTP, in protobuf or JSON; most SDKs need only these environment variables:"),
    _("The last line is for instrumentations that record message contents only on request."),
    _("Python, 30 lines to copy, with every tool as a method:"),
    _(
        "The second argument is a scope; without it the script gets all skills that the token may see. New or "
        "changed packages (by ETag) are downloaded and checked against their SHA-256; retired or dismissed skills"
        " are removed. Folders that the script did not make stay untouched. Run it from cron, or from a hook at "
        "the start of a session."
    ),
]
FOLDER = re.compile(r"(?<=^Installs hooks, tools and skills in )`~/[^`]+`(?=, keeps)")
SECTION = re.compile(r"^## Connect\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_markdown = MarkdownIt("commonmark", {"html": False})


class ConnectionText(NamedTuple):
    name: str
    title: str
    html: SafeString


def connection_texts(*, url: str, token: str = "") -> list[ConnectionText]:
    """One text for each harness. Without a token its placeholder stays."""
    return [
        ConnectionText(name, gettext(title), _fill(name, url, token or TOKEN_IN_DOCS))
        for name, title in HARNESSES.items()
    ]


def _fill(name: str, url: str, token: str) -> SafeString:
    text = _section_in_language(name).replace(URL_IN_DOCS, url).replace(TOKEN_IN_DOCS, token)
    html: SafeString = mark_safe(_markdown.render(text))  # noqa: S308  # ours; the renderer escapes what is filled in
    return html


def _section_in_language(name: str) -> str:
    """The section with its paragraphs in the reader's language."""
    return "\n\n".join(text if is_code else _translate(text) for text, is_code in blocks(name))


def _translate(text: str) -> str:
    folder = FOLDER.search(text)
    return gettext(message_of(text)) % {"folder": folder[0]} if folder else gettext(text)


def message_of(paragraph: str) -> str:
    """What is translated of a paragraph: without the folder where several harnesses have the same sentence."""
    return FOLDER.sub("%(folder)s", paragraph)


def blocks(name: str) -> list[tuple[str, bool]]:
    """The section's code as it is and its paragraphs, each on one line; and whether it is code."""
    parts = ((part, part.startswith("```")) for part in BLOCK.split(_section(name)))
    return [(text, is_code) for part, is_code in parts for text in ([part] if is_code else _paragraphs(part))]


def _paragraphs(text: str) -> list[str]:
    """Each on one line."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


@cache
def _section(name: str) -> str:
    match = SECTION.search((settings.BASE_DIR / "docs" / "agents" / f"{name}.md").read_text())
    assert match, f"docs/agents/{name}.md has no section Connect"
    return match[1].strip()
