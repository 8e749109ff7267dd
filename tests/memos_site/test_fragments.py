"""Pieces that pages show many times are rendered once, lists do not look for what a row has not, and rows have the
addresses that `reverse` gives."""

from uuid import UUID

import pytest
from django.urls import reverse, set_script_prefix
from django.utils.safestring import mark_safe
from django.utils.translation import override

from memories.models import Memory, Proposal
from memos_site.templatetags.page import status
from memos_site.web.fragments import fragment, row_url
from tests.make import make_memory
from tests.pages import candidate, signed_in


def test_a_fragment_is_rendered_in_the_language_of_the_reader() -> None:
    with override("en"):
        english = status("candidate")
    with override("zh-hans"):
        chinese = status("candidate")
    assert "candidate\n" in english and "candidate\n" not in chinese
    with override("en"):
        assert status("candidate") == english


def test_facts_that_are_equal_and_shown_otherwise_are_kept_apart() -> None:
    shown = [fragment("components/_confidence.html", confidence=n, thresholds=()) for n in (1, 1.0)]
    assert ["1.0 <" in text for text in shown] == [False, True]


def test_text_is_escaped_after_equal_markup_was_shown() -> None:
    facts = {"status": "candidate", "icon": "candidate"}
    markup = fragment("components/_status.html", word=mark_safe("<b>new</b>"), **facts)
    text = fragment("components/_status.html", word="<b>new</b>", **facts)
    assert "<b>new</b>" in markup and "<b>" not in text


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/memories/", "/skills/"])
def test_no_list_looks_through_the_names_of_a_row(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Django does where a template asks a row for what it has not, e.g. a claim for its skill."""
    asked: list[object] = []

    def names(row: object) -> list[str]:
        asked.append(row)
        return list(vars(row))

    for model in (Memory, Proposal):
        monkeypatch.setattr(model, "__dir__", names)
    make_memory("Acme pays on net-30 terms")
    candidate()
    assert signed_in().get(path).status_code == 200
    assert asked == []


ROWS = [UUID("0197f3a2-0000-7000-8000-000000000001"), UUID(int=0)]


@pytest.mark.parametrize("prefix", ["/", "/memos/"])
def test_each_row_has_the_address_of_its_name_also_below_a_prefix(prefix: str) -> None:
    try:
        for here in ("/elsewhere/", prefix):
            set_script_prefix(here)
            for name in ("memory", "pane", "edit", "decide", "merge", "proposal-pane", "decide-proposal"):
                for pk in ROWS:
                    assert row_url(name, pk) == reverse(name, args=[pk]), (here, name)
    finally:
        set_script_prefix("/")
