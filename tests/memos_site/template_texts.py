"""Texts that a template shows and does not mark for translation."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

UNTOUCHED = {"code", "pre", "kbd", "script", "style"}  # what is typed or read by programs
SHOWN = {"title", "placeholder", "aria-label", "aria-description", "alt", "data-confirm", "hx-confirm", "label"}
NAMES = {
    *("Memos", "JSON", "JSONL", "SKILL.md", "CSV", "API", "MCP", "Markdown", "zip", "URL", "JavaScript", "PostgreSQL"),
    *("thread-1", "get_order", "HTTP", "UTC", "Ctrl", "Esc", "Enter", "Shift", "ms"),
    *(
        "project:mine",
        "project:shop",
        "my-agent",
        "refund-agent",
        "Acme",
        "billing",
        "user:{user_id}",
    ),  # what is typed
}
TRANSLATED = re.compile(r"{%\s*blocktrans(?:late)?\b.*?{%\s*endblocktrans(?:late)?\s*%}", re.DOTALL)
COMMENT = re.compile(r"{#.*?#}|{%\s*comment\b.*?{%\s*endcomment\s*%}", re.DOTALL)
TAG = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
WORD = re.compile(r"[A-Za-z]{2,}")
VALUE = re.compile(r"(?<!-){{.*?}}", re.DOTALL)  # not the part of an attribute's name
DEFAULT = re.compile(r"""\|(?:default|default_if_none|yesno|pluralize|join|add):\s*["']([^"']*)""")
ARGUMENT = re.compile(r"""\b(?:label|text|title|any|placeholder|words|hint|empty)=["']([^"']*)""")  # of a component


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in SHOWN and value]
        self.found += [value for name, value in attrs if name == "value" and value and ("type", "submit") in attrs]
        if tag in UNTOUCHED:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._open:
            self.found.append(data)


def unmarked(template: str) -> Iterator[str]:
    """The texts of a template that stay English whatever the language."""
    template = TRANSLATED.sub("", COMMENT.sub("", template))
    parser = _Texts()
    parser.feed(TAG.sub("", template))
    parser.close()
    literals = [text for tag in VALUE.findall(template) for text in DEFAULT.findall(tag)]
    arguments = [text for tag in TAG.findall(template) for text in ARGUMENT.findall(tag)]
    for text in (*parser.found, *literals, *arguments):
        if any(word not in NAMES for word in WORD.findall(re.sub("|".join(map(re.escape, NAMES)), "", text))):
            yield " ".join(text.split())
