"""The page that searches everything: by words and by meaning, as a form and while one types."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories.models import Agent
from tests.make import make_agent, make_run
from tests.memories.storing import agent, store
from tests.pages import HTMX, candidate, signed_in

pytestmark = pytest.mark.django_db


def fill() -> None:
    for key, content in (("acme-terms", "Acme pays its invoices late"), ("退款", "客户要求退款前必须先核对订单号")):
        store(content, key=key, trust=agent())
    make_run(title="Broken parcel", messages=[{"role": "user", "content": "My parcel arrived broken"}])
    candidate("book-flight")
    make_agent("parcel-agent")


def found(client: Client, words: str, **more: Any) -> str:
    page = client.get("/search/", {"q": words}, **more).content.decode()
    page = page.replace("<mark>", "").replace("</mark>", "")
    return page[page.find('id="found"') :] if 'id="found"' in page else page


def test_each_kind_is_found_by_words_in_any_form() -> None:
    fill()
    client = signed_in()
    assert "Acme pays its invoices late" in found(client, "invoice")
    parcel = found(client, "parcel")
    assert "Broken parcel" in parcel
    assert "parcel-agent" in parcel
    assert "book-flight" in found(client, "book fl")
    assert "客户要求退款前" in found(client, "退款")


def test_nothing_that_matches_is_said_with_where_else_to_look() -> None:
    fill()
    page = found(signed_in(), "umbrella")
    assert "Nothing matches “umbrella”" in page
    assert 'href="/dismissed/"' in page


def test_while_one_types_only_the_results_are_answered() -> None:
    fill()
    page = found(signed_in(), "invoice", headers=HTMX)
    assert "Acme pays its invoices late" in page
    assert "<html" not in page


def test_agents_are_for_reviewers() -> None:
    fill()
    page = found(signed_in(), "parcel-agent")
    assert ">agent<" in page and f"/agents/{Agent.objects.get(name='parcel-agent').pk}/" in page
    assert ">agent<" not in found(signed_in("vera", group="viewer"), "parcel-agent")


def test_markup_in_a_question_is_text() -> None:
    assert "<script>x" not in found(signed_in(), "<script>x")


def test_a_search_needs_the_same_queries_however_much_it_finds(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    fill()
    found(client, "parcel")
    with django_assert_num_queries(11):
        found(client, "parcel")
    for number in range(6):
        store(f"The parcel of customer {number} is late", key=f"parcel-{number}", trust=agent())
        make_run(title=f"Parcel {number}", messages=[{"role": "user", "content": f"My parcel {number} is late"}])
    with django_assert_num_queries(11):
        found(client, "parcel")
