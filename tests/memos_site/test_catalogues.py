"""The catalogues hold every marked string, and templates show no text that is not marked."""

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.memos_site import catalogues
from tests.memos_site.catalogues import ROOMS, Entry
from tests.test_house import templates

UPDATE = "run `python -m tests.memos_site.catalogues`, and translate what it added"
PLACEHOLDER = re.compile(r"%%|%\(\w+\)[a-z]|%[a-z]|{\w*}")


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


def texts_of(text: Any) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


wanted = cache(catalogues.wanted)


@cache
def entries(room: str) -> dict[Entry, tuple[str, ...]]:
    catalogue = catalogues.read(catalogues.po_file(room))
    pairs = ((catalogues.entry_of(message), texts_of(message.string)) for message in catalogue if message.id)
    return dict(pairs)


def test_every_marked_string_is_in_a_catalogue_and_nothing_else_is() -> None:
    held = {room: set(entries(room)) for room in ROOMS}
    assert held == wanted(), UPDATE


@pytest.mark.parametrize("room", ROOMS)
def test_every_string_is_translated(room: str) -> None:
    assert [text for (_context, text), translated in entries(room).items() if not all(translated or ("",))] == [], (
        UPDATE
    )


@pytest.mark.parametrize("room", ROOMS)
def test_no_entry_is_fuzzy(room: str) -> None:
    catalogue = catalogues.read(catalogues.po_file(room))
    assert [message.id for message in catalogue if message.fuzzy] == []


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_compiled_is_what_is_written(room: str) -> None:
    path = catalogues.po_file(room)
    written, compiled = (catalogues.translations(catalogues.read(file)) for file in (path, path.with_suffix(".mo")))
    assert compiled == written, UPDATE


@pytest.mark.parametrize("room", ROOMS)
def test_a_translation_has_the_placeholders_of_its_text(room: str) -> None:
    wrong = {}
    for (_context, text), translated in entries(room).items():
        wanted = [set(PLACEHOLDER.findall(one)) for one in texts_of(text)]
        for one in filter(None, translated):
            # a number that the singular spells out is allowed to stand in the one Chinese form
            if set(PLACEHOLDER.findall(one)) != wanted[-1]:
                wrong[text] = one
    assert wrong == {}


OTHER_WORDS = {"您": "你", "驳回": "忽略", "情节": "经历", "暂缓": "推迟", "审核员": "审核人", "淡出": "淡化"}


@pytest.mark.parametrize("room", ROOMS)
def test_one_term_has_one_translation(room: str) -> None:
    """Words of the glossary, and how else they were translated before."""
    texts = [one for translated in entries(room).values() for one in translated]
    assert [(text, word) for text in texts for word in OTHER_WORDS if word in text] == []


def test_no_string_is_marked_both_with_and_without_a_plural() -> None:
    found = {entry for marked in wanted().values() for entry in marked}
    plural = {(context, text[0]) for context, text in found if not isinstance(text, str)}
    assert plural & found == set()


def test_templates_show_no_text_that_is_not_marked() -> None:
    faults = {name: texts for name, source in templates().items() if (texts := list(unmarked(source)))}
    assert faults == {}


@pytest.mark.parametrize(
    "source",
    [
        "<p>Hello there</p>",
        '<a title="Open it">{{ name }}</a>',
        '<input placeholder="Search">',
        '{{ memory.title|default:"nothing" }}',
        '{% select name="a" label="Kind" %}',
        '{% if x %}{% translate "Yes" %} certainly{% endif %}',
        '<option label="All">',
    ],
)
def test_an_unmarked_text_is_seen(source: str) -> None:
    assert list(unmarked(source))


@pytest.mark.parametrize(
    "source",
    [
        '<p>{% translate "Hello there" %}, {{ name }} · Memos</p>',
        "{% blocktranslate with n=n %}Hello {{ n }}{% endblocktranslate %}",
        '<code>manage.py serve</code> {# a remark #} <a href="/memories/" class="quiet">{{ name }}</a>',
        """<a title="{% translate 'Open it' %}">SKILL.md</a>""",
    ],
)
def test_marked_texts_names_and_code_are_no_fault(source: str) -> None:
    assert list(unmarked(source)) == []
