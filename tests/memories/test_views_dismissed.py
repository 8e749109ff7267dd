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
    assert "blocked 3 times" in page


def test_what_is_lifted_moves_to_the_other_tab() -> None:
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
    assert "None was lifted" in client.get(PAGE, {"lifted": 1}).content.decode()
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
    with django_assert_num_queries(8):
        client.get(PAGE)
    for n in range(10):
        dismissed(f"claim {n}")
    with django_assert_num_queries(8):
        client.get(PAGE)


def test_a_lift_is_undone_to_the_microsecond() -> None:
    dismissed("Acme pays late")
    stone, trust, at = Tombstone.objects.get(), trust_of(make_person()), AT.replace(microsecond=123_456)
    batch = review.lift(trust, stone.pk, at=at)
    assert not Tombstone.objects.standing().exists()
    review.undo(trust, batch, at=at)
    assert Tombstone.objects.standing().get() == stone
