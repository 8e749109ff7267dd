"""The catalogues hold every marked string, and templates show no text that is not marked."""

import re
from functools import cache
from typing import Any

import pytest

from memos_site.management.commands import catalogues
from memos_site.management.commands.catalogues import ROOMS, Entry
from tests.memos_site.template_texts import unmarked
from tests.test_house import templates

UPDATE = "run `manage.py catalogues`, and translate what it added"
PLACEHOLDER = re.compile(r"%%|%\(\w+\)[a-z]|%[a-z]|{\w*}")


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
