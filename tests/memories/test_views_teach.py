"""The page on which people teach: a plain form."""

import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories.intake import claims
from memories.intake.reports.claims import read
from memories.models import Memory
from memories.values.choices import Sensitivity
from memories.values.trust import everything
from tests.make import ANNA, AT, make_memory
from tests.pages import HTMX, signed_in

pytestmark = pytest.mark.django_db
NET30, NET60 = "Acme pays on net-30 terms", "Acme pays on net-60 terms"


def known(content: str = NET30, key: str = "acme-terms", scope: str = "") -> Memory:
    body = {"key": key, "content": content, "source": "P01", "category": "fact", "scope": scope}
    stored = claims.store(read(body), trust=everything(), at=AT)
    assert stored.memory is not None
    return stored.memory


def teach(client: Client, content: str, **said: Any) -> Any:
    return client.post("/memories/teach/", {"content": content, **said}, follow=True)


def test_what_is_taught_is_shown_as_it_now_stands() -> None:
    page = teach(signed_in(), "Never send proposals on Fridays", scope="project:a", company_id="acme")
    row = Memory.objects.get()
    assert page.redirect_chain == [(f"/memories/{row.pk}/", 302)]
    assert (row.category, row.scope, row.company_id, row.key) == (
        "preference",
        "project:a",
        "acme",
        "never-send-proposals-on-fridays",
    )
    assert "Learned." in page.content.decode()


def test_what_the_page_proposed_follows_the_words_and_what_a_person_chose_stays() -> None:
    client = signed_in()
    proposed = {"category": "fact", "detected": "fact", "key": "acme", "proposed": "acme"}
    teach(client, "Never send proposals on Fridays", **proposed)
    assert Memory.objects.values_list("category", "key").get() == ("preference", "never-send-proposals-on-fridays")
    teach(client, "Zebras live in Africa", **{**proposed, "category": "pattern", "key": "zebra"})
    assert Memory.objects.filter(category="pattern", key="zebra").exists()


def test_a_double_is_asked_about_and_nothing_that_was_filled_in_is_lost() -> None:
    client, row = signed_in(), known()
    page = teach(client, NET60, company_id="acme")
    shown = page.content.decode()
    assert page.status_code == 409
    assert "Is it one of these?" in shown
    assert NET30 in shown
    assert f">{NET60}</textarea>" in shown
    assert 'value="acme"' in shown
    teach(client, NET60, resolve=f"update {row.pk}")
    assert Memory.objects.get().content == NET60


def test_a_double_says_where_it_is_how_sure_and_how_old() -> None:
    known()
    shown = teach(signed_in(), NET60).content.decode()
    assert all(said in shown for said in ("Scope: every scope", "confidence 20", "<time"))


def test_an_answer_about_another_scope_is_asked_again_and_nothing_is_written() -> None:
    """The scope was changed after the doubles were shown: what was pressed is about those of the former scope."""
    client, row = signed_in(), known()
    page = teach(client, NET60, resolve="separate", looked="", scope="project:a")
    assert page.status_code == 409
    assert "A similar memory exists in another scope" in page.content.decode()
    assert list(Memory.objects.values_list("content", flat=True)) == [NET30]
    teach(client, NET60, resolve=f"update {row.pk}", looked="", scope="")
    assert Memory.objects.get().content == NET60


def test_a_double_in_another_scope_is_asked_about_and_updated_where_it_lives() -> None:
    client, row = signed_in(), known(scope="project:b")
    page = teach(client, NET60, scope="project:a")
    shown = page.content.decode()
    assert page.status_code == 409
    assert "Update this in project:b" in " ".join(shown.split())
    assert "Teach it in project:a too" in " ".join(shown.split())
    teach(client, NET60, scope="project:a", looked="project:a", resolve=f"update {row.pk}")
    assert Memory.objects.values_list("content", "scope").get() == (NET60, "project:b")


def test_a_double_in_another_scope_may_be_taught_here_too() -> None:
    client = signed_in()
    known(scope="project:b")
    teach(client, NET60, scope="project:a", looked="project:a", resolve="here")
    assert set(Memory.objects.values_list("content", "scope")) == {(NET30, "project:b"), (NET60, "project:a")}


def test_teaching_it_here_too_still_asks_about_its_dismissal_here() -> None:
    client, row = signed_in(), known(scope="project:a")
    row.dismiss(by=ANNA, why="wrong", at=AT)
    known(scope="project:b")
    page = teach(client, NET30, scope="project:a", looked="project:a", resolve="here")
    assert (page.status_code, "This was dismissed" in page.content.decode()) == (409, True)


def test_while_one_types_the_doubles_of_other_scopes_are_shown() -> None:
    client = signed_in()
    known(scope="project:b")
    shown = client.post("/memories/teach/look/", {"content": NET60, "scope": "project:a"}, headers=HTMX).content
    assert b"Update this in project:b" in b" ".join(shown.split())


def test_both_may_be_kept() -> None:
    known()
    teach(signed_in(), NET60, resolve="separate")
    assert Memory.objects.live().count() == 2


def test_what_was_dismissed_is_restored_or_left() -> None:
    client, row = signed_in(), known()
    row.dismiss(by=ANNA, why="wrong", at=AT)
    shown = teach(client, NET30).content.decode()
    assert "This was dismissed" in shown
    assert "Leave it dismissed" in shown
    teach(client, NET30, resolve="restore")
    assert Memory.objects.get().status == "confirmed"


def test_what_is_wrong_is_said_at_its_field() -> None:
    page = teach(signed_in(), "abc", scope="no such scope!")
    shown = page.content.decode()
    assert page.status_code == 400
    assert 'id="wrong-content"' in shown
    assert 'id="wrong-scope"' in shown
    assert not Memory.objects.exists()


def test_while_one_types_category_key_and_doubles_are_shown_and_nothing_is_written() -> None:
    client = signed_in()
    known()
    before = Memory.objects.values().get()
    fragment = client.post("/memories/teach/look/", {"content": NET60}, headers=HTMX).content.decode()
    assert '<option value="fact" selected>' in fragment
    assert 'value="acme-pays-on-net-60-terms"' in fragment
    assert "A similar memory exists" in fragment
    assert "<html" not in fragment
    assert "<html" in client.post("/memories/teach/look/", {"content": NET60}).content.decode()
    assert Memory.objects.values().get() == before


def test_looking_needs_the_same_queries_however_much_is_known(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    known()
    with django_assert_num_queries(9):
        client.post("/memories/teach/look/", {"content": NET60}, headers=HTMX)
    for days in range(61, 66):
        known(f"Acme pays on net-{days} terms", f"k{days}")
    with django_assert_num_queries(9):
        client.post("/memories/teach/look/", {"content": NET60}, headers=HTMX)


def test_what_lies_above_the_teacher_is_taken_and_not_shown() -> None:
    make_memory(NET30, key="acme-terms", category="fact", sensitivity=Sensitivity.HYPER)
    page = teach(signed_in(), NET60, key="acme-terms")
    assert page.redirect_chain == [("/memories/teach/", 302)]
    assert NET30 not in page.content.decode()


def test_who_may_not_review_does_not_teach() -> None:
    viewer = signed_in("vera", group="viewer")
    assert viewer.get("/memories/teach/").status_code == 403
    assert teach(viewer, NET30).status_code == 403
    assert "/memories/teach/" not in viewer.get("/memories/").content.decode()
    assert "/memories/teach/" in signed_in().get("/memories/").content.decode()


def test_what_changes_behaviour_is_announced_with_where_to_take_it_back() -> None:
    client, said = signed_in(), "Never send proposals on Fridays"
    for _ in range(3):
        page = teach(client, said, key="no-fridays").content.decode()
    assert "Memory adapted: I&#x27;m now following the preference: Never send proposals on Fridays" in page
    assert "Review, revert or forget it here, or among the adaptations." in page
    assert "http://" not in page[page.index('id="toast"') :]
    assert re.search(r">\s*Revert\s*<", page)
