"""Texts as pages mark them: the words of a question in what it found, and what differs between two."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from memos_site.templatetags.decisions import word_diff
from memos_site.templatetags.highlighting import excerpt
from tests.make import make_run
from tests.memories.storing import agent, store
from tests.pages import signed_in

FILLER = "Nothing of this is about it. " * 20


@pytest.mark.parametrize(
    ("text", "question", "shown"),
    [
        ("Refunds are paid", "what about a refund", "<mark>Refunds</mark> are paid"),
        ("The Who played", "the who", "<mark>The</mark> <mark>Who</mark> played"),
        ("客户要求退款前必须核对", "退款多久", "客户要求<mark>退款</mark>前必须核对"),
        ("客户退款前核对", "客户退款", "<mark>客户退款</mark>前核对"),
        ("喝茶时间", "茶", "喝<mark>茶</mark>时间"),
        ("付 refund 前", "refund", "付 <mark>refund</mark> 前"),
        ("`refund_payment` was called", "refund", "<code><mark>refund</mark>_payment</code> was called"),
        ("`a` <b> refund & more", "refund", "<code>a</code> &lt;b&gt; <mark>refund</mark> &amp; more"),
        ("Nothing here", "refund", "Nothing here"),
        ("Anything", "", "Anything"),
    ],
)
def test_words_of_the_question_are_marked_in_any_form(text: str, question: str, shown: str) -> None:
    assert excerpt(text, question, 100) == shown


def test_of_a_long_text_the_stretch_is_shown_that_holds_most_of_the_words() -> None:
    text = f"A card. {FILLER}The refund goes to the card that paid. {FILLER}"
    shown = excerpt(text, "refund to which card", 120)
    assert "<mark>refund</mark> goes to the <mark>card</mark> that paid" in shown
    assert shown.startswith("… ") and shown.endswith("…")
    assert excerpt(text, "umbrella", 40) == "A card. Nothing of this is about it.…"


def test_a_word_without_end_is_cut() -> None:
    shown = excerpt("x" * 500 + " refund", "refund", 50)
    assert "<mark>refund</mark>" in shown and len(shown) < 100
    assert excerpt("字" * 500, "退款", 50) == "字" * 50 + "…"


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["search", "memories", "episodes"])
def test_pages_that_were_asked_mark_what_was_found(name: str) -> None:
    store("Acme pays its invoices late", key="acme-terms", trust=agent())
    make_run(title="Late invoices of Acme", messages=[{"role": "user", "content": "Why are these invoices late?"}])
    client: Client = signed_in()
    assert "<mark>invoices</mark>" in client.get(reverse(name), {"q": "invoice"}).content.decode()
    assert "<mark>" not in client.get(reverse(name)).content.decode()


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Run `npm test` first", "Run `npm test` last", "Run <code>npm test</code> -first +last"),
        ("Run `npm test` first", "Run `npm run` first", "Run <code>npm -test +run</code> first"),
        ("Run it", "Run `npm test`", "Run -it +<code>npm test</code>"),
        ("Call `a <b>`", "Call `a <b>`", "Call <code>a &lt;b&gt;</code>"),
    ],
)
def test_code_in_a_diff_is_shown_as_code(before: str, after: str, expected: str) -> None:
    shown = re.sub(r'<span class="unseen">[^<]*</span>', "", word_diff(before, after))
    assert shown.replace("<del>", "-").replace("</del>", " ").replace("<ins>", "+").replace("</ins>", "") == expected


def test_a_row_cuts_long_changes_and_their_number_and_a_page_says_where_a_text_goes_on() -> None:
    long = "Parcels leave at noon. " * 100
    row, page = (word_diff("Ask first", long, for_a_row=row) for row in (True, False))
    assert "<del>" in row and len(row) < 400 and row.endswith(" … </ins>")
    assert len(page) > 2_000
    evens, odds = (" ".join(f"{n} {word}" for n in range(40)) for word in ("early", "late"))
    assert word_diff(evens, odds).count("<ins>") == 40
    assert word_diff(evens, odds, for_a_row=True).count("<ins>") < 5
    assert word_diff("Ask first " * 450, "Ask last " * 450).endswith(" …")
