"""Terms are explained on the pages in the words of docs/glossary.md, in English and Chinese."""

import re

import pytest
from django.conf import settings
from django.template import Context, Template
from django.utils import translation

from memos_site.templatetags.glossary import MEANINGS
from tests.make import make_memory
from tests.pages import signed_in

ROWS = dict(re.findall(r"^\| \*\*([^*]+)\*\* \| (.+) \|$", (settings.BASE_DIR / "docs/glossary.md").read_text(), re.M))


def test_a_page_explains_a_term_as_the_glossary_does() -> None:
    assert {name: ROWS.get(name) for name in MEANINGS} == MEANINGS


def test_a_word_without_an_explanation_has_no_button_and_one_with_it_is_explained_in_the_readers_language() -> None:
    shown = Template('{% load glossary %}{% term "tea" %}{% term "contested" %}')
    with translation.override("zh-hans"):
        page = shown.render(Context())
    assert (page.count("<button"), "有争议" in page, "Disputed" in page) == (1, True, False)


@pytest.mark.django_db
def test_each_explanation_stands_once_on_a_page() -> None:
    memory = make_memory("Acme pays on net-30 terms")
    page = signed_in().get(f"/memories/{memory.pk}/").content.decode()
    ids = re.findall(r'id="(term-\w+)"', page)
    assert set(ids) >= {"term-candidate", "term-confidence", "term-scope", "term-sensitivity"}
    assert sorted(ids) == sorted(set(ids)) == sorted(re.findall(r'popovertarget="([^"]+)"', page))
