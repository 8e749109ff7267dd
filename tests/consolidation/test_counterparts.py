"""A fact is shown to the model beside its counterpart: who affirms both does not tell what the words say."""

from typing import Any

import pytest

from consolidation.extraction.needs import LONGEST_WORDS, Claim, counterpart, words_around
from tests.consolidation.test_needs import PDF, POLITE, asked, extracted, read
from tests.model_endpoint import ModelEndpoint

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("claim", "quote", "subjects", "double"),
    [
        (Claim("Jon", "prefers", "tea"), "I love tea", ["Jon", "Gina"], Claim("Gina", "prefers", "tea")),
        (Claim("Jon", "prefers", "tea"), "Gina and I love tea", ["Jon", "Gina"], Claim("tea", "prefers", "Jon")),
        (Claim("Acme", "pays within", "30 days"), "within 30 days", ["Acme"], Claim("30 days", "pays within", "Acme")),
        (Claim("小王", "喜欢", "绿茶"), "我喜欢绿茶", ["小王", "小美"], Claim("小美", "喜欢", "绿茶")),
    ],
)
def test_the_counterpart_names_somebody_whom_the_words_do_not_name_or_is_turned_round(
    claim: Claim, quote: str, subjects: list[str], double: Claim
) -> None:
    assert counterpart(claim, quote, subjects) == double


def test_of_a_long_message_the_part_around_the_quote_is_shown() -> None:
    text = f"{'before ' * 100}net-45 holds{' after' * 100}"
    shown = words_around(text, "net-45 holds")
    assert "net-45 holds" in shown and len(shown) <= LONGEST_WORDS + 2 and words_around("short", "short") == "short"
    long = "net-45 holds for all. " * 30
    assert long in words_around(f"{'before ' * 100}{long}{'after ' * 100}", long), "a quote is shown whole"
    assert "net-45 holds" in words_around(text.replace(" ", "\n" + 12 * " "), "net-45 holds"), "whatever its blanks"


def told(*said: bool | None) -> dict[str, Any]:
    return {"notes": [{"number": n} | ({} if one is None else {"said": one}) for n, one in enumerate(said, start=1)]}


@pytest.mark.parametrize(
    ("said", "counters", "kept"),
    [
        ((True, True, False, False), {"facts_created": 2}, {PDF["object"], POLITE["object"]}),
        ((None, None, None, None), {"facts_created": 2}, {PDF["object"], POLITE["object"]}),
        ((None, None, True, True), {"facts_created": 2}, {PDF["object"], POLITE["object"]}),
        ((False, True, False, False), {"facts_created": 1, "denied_when_asked": 1}, {POLITE["object"]}),
        ((True, True, True, False), {"facts_created": 1, "not_told_apart": 1}, {POLITE["object"]}),
        ((True, True, True, True), {"not_told_apart": 2}, set()),
    ],
)
def test_a_fact_that_the_model_denies_or_affirms_of_somebody_else_too_is_not_stored(
    endpoint: ModelEndpoint, said: tuple[bool | None, ...], counters: dict[str, int], kept: set[str]
) -> None:
    run = read(endpoint, need=[told(*said)])
    assert run.counters == counters
    assert {one.payload["object"] for one in extracted()} == kept and len(asked()) == len(kept)


def test_the_model_sees_each_fact_with_its_words_and_then_the_counterparts(endpoint: ModelEndpoint) -> None:
    read(endpoint, need=[told(True, True, False, False)])
    sent = endpoint.sent(-1)
    words = 'words: "user: Send invoices as PDF only. Nora likes polite letters."'
    assert f"[1] Nordlys Bakery wants invoices as PDF only\n  {words}" in sent
    assert f"[3] Nora wants invoices as PDF only\n  {words}" in sent
    assert f"[4] Nordlys Bakery likes polite letters\n  {words}" in sent
