"""Saved views of the inbox: filters under a name, each person's own, with how much waits in them."""

import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories.models import Memory, SavedView
from memories.models.persons import MAX_VIEWS
from tests.make import make_memory
from tests.pages import HTMX, candidate, signed_in

pytestmark = pytest.mark.django_db
QUERY = "source=billing"


def save(client: Client, name: str = "Billing", query: str = QUERY) -> Any:
    return client.post("/views/", {"name": name, "query": query}, follow=True)


def views(page: str) -> dict[str, str]:
    """Name -> count of the views that a page shows."""
    found = re.findall(r'class="view" href="([^"]+)".*?>\s*([^<>]+?)\s*<span class="count"[^>]*>([^<]*)<', page, re.S)
    return {name: count for _href, name, count in found}


def test_filters_are_saved_under_a_name_and_opened_again_with_how_much_waits(reviewer: Client) -> None:
    make_memory("Acme pays late", source="billing")
    make_memory("Acme pays early")
    assert "Save this view" in reviewer.get(f"/?{QUERY}").content.decode()
    assert "Save this view" not in reviewer.get("/").content.decode()
    answer = save(reviewer)
    assert answer.request["QUERY_STRING"] == QUERY and "Saved as “Billing”" in answer.content.decode()
    page = reviewer.get("/").content.decode()
    assert views(page) == {"Billing": "1"} and f'href="/?{QUERY}" data-go="1"' in page
    assert "Change this view" in reviewer.get(f"/?{QUERY}&flag=").content.decode()


def test_the_count_of_a_view_follows_a_decision(reviewer: Client) -> None:
    memory = make_memory("Acme pays late", source="billing")
    save(reviewer)
    view = SavedView.objects.get()
    answer = reviewer.post(f"/memories/{memory.pk}/decide/", {"decision": "promote"}, headers=HTMX).content.decode()
    assert f'id="view-{view.pk}" hx-swap-oob="true">0<' in answer


def test_a_name_is_taken_once_and_the_first_view_of_it_stays(reviewer: Client) -> None:
    save(reviewer)
    page = save(reviewer, " billing ", "source=other").content.decode()
    assert "a saved view of that name exists already" in page
    assert list(SavedView.objects.values_list("name", "query")) == [("Billing", QUERY)]
    save(reviewer, "Other", "source=other")
    other = SavedView.objects.get(name="Other")
    page = reviewer.post(f"/views/{other.pk}/", {"name": "BILLING"}, follow=True).content.decode()
    assert "a saved view of that name exists already" in page
    assert SavedView.objects.get(pk=other.pk).name == "Other"


def test_a_view_is_renamed_and_deleted_by_the_person_who_has_it_alone(reviewer: Client) -> None:
    save(reviewer)
    view, ben = SavedView.objects.get(), signed_in("ben")
    assert ben.post(f"/views/{view.pk}/", {"decision": "delete"}).status_code == 404
    assert views(ben.get("/").content.decode()) == {}
    save(ben)  # the same name, of another person
    reviewer.post(f"/views/{view.pk}/", {"decision": "rename", "name": "Bills"})
    assert views(reviewer.get("/").content.decode()) == {"Bills": "0"}
    reviewer.post(f"/views/{view.pk}/", {"decision": "delete"})
    assert views(reviewer.get("/").content.decode()) == {} and SavedView.objects.count() == 1


def test_what_is_not_known_is_not_saved_and_there_is_a_limit(reviewer: Client) -> None:
    save(reviewer, "Nothing", "colour=red&kind=nonsense")
    save(reviewer, "   ")
    assert not SavedView.objects.exists()
    for n in range(MAX_VIEWS + 1):
        page = save(reviewer, f"view {n}", f"q=word{n}&sort=newest&next=//evil.example").content.decode()
    assert "there are eight saved views already" in page
    assert SavedView.objects.count() == MAX_VIEWS and SavedView.objects.first().query == "q=word0&sort=newest"  # type: ignore[union-attr]


def test_views_of_every_kind_are_counted_in_the_statement_of_the_tabs(
    reviewer: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    candidate("one")
    make_memory("two", source="billing")
    for n, query in enumerate(("kind=semantic", "kind=competence", "kind=snoozed", "kind=conflict", "sort=newest")):
        save(reviewer, f"view {n}", query)
    with django_assert_max_num_queries(12):
        page = reviewer.get("/?source=billing").content.decode()
    assert list(views(page).values()) == ["1", "1", "0", "0", "2"]
    assert Memory.objects.filter(source="billing").exists()
