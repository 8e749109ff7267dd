"""The list of what was dismissed: why, by whom, how often it was said again, and taken back."""

import pytest
from pytest_django import DjangoAssertNumQueries

from memories.models import Memory, Tombstone
from memories.people import trust_of
from memories.values.choices import Sensitivity
from memos_site import review
from tests.deciding import LATER
from tests.make import AT, make_memory, make_person
from tests.memories.storing import agent, store
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/dismissed/"


def dismissed(content: str, why: str = "wrong", **facts: object) -> Memory:
    memory = make_memory(content, **facts)
    memory.dismiss(by=agent().actor, why=why, at=AT)
    return memory


def test_it_says_what_was_dismissed_why_by_whom_and_how_often_it_came_again() -> None:
    trust = agent("mail-assistant")
    memory = store("Acme pays on net-30 terms", trust=trust).memory
    assert memory is not None
    memory.dismiss(by=trust.actor, why="stale", at=AT)
    for _ in range(3):
        store("Acme pays on net-30 terms", trust=trust)
    page = signed_in().get(PAGE).content.decode()
    assert "Acme pays on net-30 terms" in page
    assert "stale" in page
    assert "mail-assistant" in page
    assert "kept out 3 times" in page


def test_what_is_allowed_again_moves_to_the_other_tab() -> None:
    dismissed("Acme pays late")
    client, stone = signed_in(), Tombstone.objects.get()
    assert f"/tombstones/{stone.pk}/lift/" in client.get(PAGE).content.decode()
    answer = client.post(f"/tombstones/{stone.pk}/lift/", {"decision": "lift", "next": PAGE}, follow=True)
    assert "Nothing is dismissed" in answer.content.decode()
    assert "Acme pays late" in client.get(PAGE, {"lifted": 1}).content.decode()


def test_what_an_undo_brought_back_is_not_among_what_was_lifted() -> None:
    trust, client = trust_of(make_person("berta")), signed_in()
    first, second = make_memory("Acme pays late"), make_memory("Beta pays at once")
    mistake = review.decide(trust, first.pk, "dismiss", at=AT, why="noise")
    review.undo(trust, mistake.batch, at=LATER)
    assert "Nothing was allowed again" in client.get(PAGE, {"lifted": 1}).content.decode()
    review.decide(trust, second.pk, "dismiss", at=AT, why="noise")
    review.decide(trust, second.pk, "restore", at=LATER)
    page = client.get(PAGE, {"lifted": 1}).content.decode()
    assert "Beta pays at once" in page
    assert "Acme pays late" not in page


def test_what_is_forgotten_or_above_the_reader_has_no_words() -> None:
    forgotten, hidden = dismissed("a forgotten claim"), dismissed("a hidden claim")
    Memory.objects.filter(pk=hidden.pk).update(sensitivity=Sensitivity.HIGH)
    forgotten.delete()
    page = signed_in().get(PAGE).content.decode()
    assert "a forgotten claim" not in page
    assert "a hidden claim" not in page
    assert page.count("only that it was there") == 2


def test_a_viewer_reads_it_and_lifts_nothing() -> None:
    dismissed("Acme pays late")
    page = signed_in("victor", group="viewer").get(PAGE).content.decode()
    assert "Acme pays late" in page
    assert "/lift/" not in page


def test_it_needs_the_same_queries_for_one_row_and_for_many(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    client = signed_in()
    dismissed("claim")
    with django_assert_num_queries(7):
        client.get(PAGE)
    for n in range(10):
        dismissed(f"claim {n}")
    with django_assert_num_queries(7):
        client.get(PAGE)


def test_a_lift_is_undone_to_the_microsecond() -> None:
    dismissed("Acme pays late")
    stone, trust, at = Tombstone.objects.get(), trust_of(make_person()), AT.replace(microsecond=123_456)
    batch = review.lift(trust, stone.pk, at=at)
    assert not Tombstone.objects.standing().exists()
    review.undo(trust, batch, at=at)
    assert Tombstone.objects.standing().get() == stone


def shown(query: str) -> list[str]:
    page = signed_in(f"reader{Tombstone.objects.count()}{abs(hash(query))}").get(PAGE + query).content.decode()
    return [name for name in ("late", "early", "never") if f"Acme pays {name}" in page]


def test_it_is_narrowed_by_reason_person_return_and_words() -> None:
    late, early = dismissed("Acme pays late", "wrong: it is net-30"), dismissed("Acme pays early", "stale")
    dismissed("Acme pays never", "somebody made it up", key="acme-never")
    Tombstone.objects.filter(memory_id=late.pk).update(hits=4)
    Tombstone.objects.filter(memory_id=early.pk).update(hits=9, by="ben")
    assert shown("?why=wrong") == ["late"]
    assert shown("?by=ben") == ["early"]
    assert shown("?returned=not_since") == ["never"]
    assert shown("?q=never") == ["never"]
    page = signed_in().get(f"{PAGE}?sort=returned")
    assert [stone.hits for stone, _memory in page.context["rows"]] == [9, 4, 0]
    counts = {facet.name: {one.value: one.count for one in facet.values} for facet in page.context["facets"]}
    assert counts["why"] == {"wrong": 1, "stale": 1}
    assert counts["returned"] == {"said_again": 2, "not_since": 1}


def test_the_search_does_not_find_words_above_the_reader() -> None:
    hidden = dismissed("Acme pays never", key="acme-never")
    Memory.objects.filter(pk=hidden.pk).update(sensitivity=Sensitivity.HIGH)
    answer = signed_in().get(f"{PAGE}?q=never")
    assert answer.context["counts"] == {"list": 0, "first": 0, "second": 0}


def test_the_file_has_the_rows_that_are_shown_and_no_words_of_claims() -> None:
    dismissed("Acme pays late", "=1+1")
    dismissed("Acme pays early", "stale")
    client = signed_in()
    csv = b"".join(client.get(f"{PAGE}dismissed.csv?by=agent").streaming_content).decode()  # type: ignore[attr-defined]
    assert csv.count("\r\n") == 1
    csv = b"".join(client.get(f"{PAGE}dismissed.csv").streaming_content).decode()  # type: ignore[attr-defined]
    assert "'=1+1" in csv
    assert "Acme" not in csv
    assert client.get(f"{PAGE}dismissed.exe").status_code == 404
