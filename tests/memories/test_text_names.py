"""Slugs, languages and pairs of characters."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.values.search_words import bigrams, indexed, searchable
from memories.values.text import detect_lang, normal, slug


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Never send proposals", "never-send-proposals"),
        ("Café  Zoë's", "cafe-zoes"),
        ("p01-acmecorp-action-required", "p01-acmecorp-action-required"),
    ],
)
def test_a_plain_text_is_its_own_slug(text: str, name: str) -> None:
    assert slug(text) == name


@given(st.text(st.characters()), st.integers(16, 100))
def test_every_text_has_a_slug_that_stays(text: str, most: int) -> None:
    name = slug(text, most)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert len(name) <= most
    assert slug(name, most) == name == slug(text, most)


def test_chinese_texts_have_slugs_of_their_own() -> None:
    assert slug("旅行计划") != slug("行程计划")
    assert re.fullmatch(r"note-[0-9a-f]{8}", slug("旅行计划"))
    assert slug("旅行计划", nameless="skill").startswith("skill-")


def test_long_texts_that_begin_alike_have_slugs_of_their_own() -> None:
    assert slug("word " * 30 + "one") != slug("word " * 30 + "two")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "en"),
        ("123 !?", "en"),
        ("Send the report", "en"),
        ("发送报告", "zh"),
        ("请用Slack", "en"),  # 2 of 7 letters
        ("请使用Slack", "zh"),  # 3 of 8
        ("abcdefg报告书", "zh"),  # 3 of 10: exactly 30 %
        ("abcdefgh报告书", "en"),
        ("付款期限是 Acme 的三十天", "zh"),
    ],
)
def test_the_language_of_mixed_text_by_the_share_of_its_letters(text: str, language: str) -> None:
    assert detect_lang(text) == language


def test_pairs_of_each_run() -> None:
    assert bigrams("Acme 付款期限, 茶") == ["付款", "款期", "期限", "茶"]
    assert bigrams("no such thing") == []


def test_the_pairs_are_words_to_search() -> None:
    assert (searchable("用Slack付款") or "").split() == ["用", "Slack", "付款"]


def test_each_character_is_found_too() -> None:
    assert (indexed("用Slack付款") or "").split() == ["用", "Slack", "付款", "用", "付", "款"]
    assert indexed("no such thing") is None


def test_accents_heaped_on_a_letter_cost_no_time() -> None:
    assert len(normal("a" + "\u0315\u0300" * 50_000)) < 100
    assert normal("ｎｅｔ－３０ ①") == "net-30 1"
