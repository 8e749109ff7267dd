"""The list of adaptations: narrowed, counted within bounds, with the uses since each began, and as a file.

The list of what was dismissed: why, by whom, how often it was said again, and taken back.
"""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories.models import Adaptation, Memory, Tombstone
from memories.people import trust_of
from memories.values.choices import RevertReason, Sensitivity, Status
from memories.web import facets
from memos_site import review
from tests.deciding import LATER, make_applied
from tests.make import ANNA, AT, make_memory, make_person
from tests.memories.storing import agent, store
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/adaptations/"


def test_uses_are_counted_from_when_it_was_applied_until_it_was_reverted(reviewer: Client) -> None:
    memory = make_applied(times_used=7)
    Memory.objects.update(times_used=10)
    assert "3 ×" in reviewer.get(PAGE).content.decode()
    Adaptation.objects.filter(memory=memory).revert(why=RevertReason.USER_REVERT, by=ANNA, at=LATER)
    Memory.objects.update(times_used=50)
    assert "3 ×" in reviewer.get(f"{PAGE}?past=1").content.decode()
    memory.refresh_from_db()
    Adaptation.objects.open(memory, by=ANNA, at=LATER, again=True)
    assert Adaptation.objects.get().uses == 43


def test_one_from_before_uses_were_counted_apart_shows_all_uses_of_its_memory(reviewer: Client) -> None:
    make_applied(times_used=7)
    Adaptation.objects.update(used_before=None)
    page = reviewer.get(PAGE).content.decode()
    assert "7 ×" in page
    assert "in all" in page


def test_it_is_narrowed_by_agent_kind_scope_and_words(reviewer: Client) -> None:
    make_applied("Reply in German", source="mailer", scope="project:shop", key="reply-german")
    make_applied("Ship on Fridays", source="packer", category="workflow")
    make_applied("Reply in Italian", source="packer", sensitivity=4, key="reply-italian")
    for query, n in (("plugin=mailer", 1), ("category=workflow", 1), ("scope=project:shop", 1), ("q=german", 1)):
        assert reviewer.get(f"{PAGE}?{query}").content.decode().count("data-row") == n, query
    for query in ("q=italian", "plugin=nobody", "past=1&revert_reason=expired"):
        answer = reviewer.get(f"{PAGE}?{query}")
        assert not answer.context["page"].rows, query
        assert "Nothing matches this filter" in answer.content.decode(), query
    counts = {one.name: {v.value: v.count for v in one.values} for one in reviewer.get(PAGE).context["facets"]}
    assert counts["plugin"] == {"mailer": 1, "packer": 1}


def test_the_tabs_count_no_further_than_their_bound(reviewer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facets, "MOST_COUNTED", 2)
    for n in range(4):
        make_applied(f"Reply in language {n}")
    active, past = reviewer.get(PAGE).context["tabs"]
    assert (active.count, active.is_cut, past.count) == (2, True, 0)
    assert '<span class="count">2+</span>' in reviewer.get(PAGE).content.decode()


def test_oldest_first_is_paged_on(reviewer: Client) -> None:
    for n in range(51):
        make_applied(f"Reply in language {n}")
    first = reviewer.get(f"{PAGE}?sort=oldest")
    assert first.context["page"].rows[0].content == "Reply in language 0"
    cursor = first.context["page"].next.encode()
    second = reviewer.get(PAGE, {"sort": "oldest", "cursor": cursor}).context["page"].rows
    assert [row.content for row in second] == ["Reply in language 50"]


def test_what_outlived_its_memory_is_told_without_a_link(reviewer: Client) -> None:
    make_applied("Reply in German")
    Memory.objects.update(status=Status.CONFIRMED)
    Adaptation.objects.active().revert(why=RevertReason.FORGOTTEN, by=ANNA, at=AT)
    Adaptation.objects.update(memory=None)
    page = reviewer.get(f"{PAGE}?past=1").content.decode()
    assert "its memory was forgotten" in page
    assert 'href="#"' not in page


def test_a_long_scope_is_cut_and_told_whole_in_its_title_and_no_key_of_programs_is_shown(reviewer: Client) -> None:
    make_applied("Reply in German", key="k" * 200, scope="s" * 100)
    page = reviewer.get(PAGE).content.decode()
    assert f'<span title="{"s" * 100}">{"s" * 39}…</span>' in page
    assert "kkk" not in page


DISMISSED = "/dismissed/"


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
    page = signed_in().get(DISMISSED).content.decode()
    assert "Acme pays on net-30 terms" in page
    assert "stale" in page
    assert "mail-assistant" in page
    assert "kept out 3 times" in page


def test_what_is_allowed_again_moves_to_the_other_tab() -> None:
    dismissed("Acme pays late")
    client, stone = signed_in(), Tombstone.objects.get()
    assert f"/tombstones/{stone.pk}/lift/" in client.get(DISMISSED).content.decode()
    answer = client.post(f"/tombstones/{stone.pk}/lift/", {"decision": "lift", "next": DISMISSED}, follow=True)
    assert "Nothing is dismissed" in answer.content.decode()
    assert "Acme pays late" in client.get(DISMISSED, {"lifted": 1}).content.decode()


def test_what_an_undo_brought_back_is_not_among_what_was_lifted() -> None:
    trust, client = trust_of(make_person("berta")), signed_in()
    first, second = make_memory("Acme pays late"), make_memory("Beta pays at once")
    mistake = review.decide(trust, first.pk, "dismiss", at=AT, why="noise")
    review.undo(trust, mistake.batch, at=LATER)
    assert "Nothing was allowed again" in client.get(DISMISSED, {"lifted": 1}).content.decode()
    review.decide(trust, second.pk, "dismiss", at=AT, why="noise")
    review.decide(trust, second.pk, "restore", at=LATER)
    page = client.get(DISMISSED, {"lifted": 1}).content.decode()
    assert "Beta pays at once" in page
    assert "Acme pays late" not in page


def test_what_is_forgotten_or_above_the_reader_has_no_words() -> None:
    forgotten, hidden = dismissed("a forgotten claim"), dismissed("a hidden claim")
    Memory.objects.filter(pk=hidden.pk).update(sensitivity=Sensitivity.HIGH)
    forgotten.delete()
    page = signed_in().get(DISMISSED).content.decode()
    assert "a forgotten claim" not in page
    assert "a hidden claim" not in page
    assert page.count("only the record that it existed") == 2


def test_a_viewer_reads_it_and_lifts_nothing() -> None:
    dismissed("Acme pays late")
    page = signed_in("victor", group="viewer").get(DISMISSED).content.decode()
    assert "Acme pays late" in page
    assert "/lift/" not in page


def test_it_needs_the_same_queries_for_one_row_and_for_many(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    client = signed_in()
    dismissed("claim")
    with django_assert_num_queries(7):
        client.get(DISMISSED)
    for n in range(10):
        dismissed(f"claim {n}")
    with django_assert_num_queries(7):
        client.get(DISMISSED)


def test_a_lift_is_undone_to_the_microsecond() -> None:
    dismissed("Acme pays late")
    stone, trust, at = Tombstone.objects.get(), trust_of(make_person()), AT.replace(microsecond=123_456)
    batch = review.lift(trust, stone.pk, at=at)
    assert not Tombstone.objects.standing().exists()
    review.undo(trust, batch, at=at)
    assert Tombstone.objects.standing().get() == stone


def shown(query: str) -> list[str]:
    page = signed_in(f"reader{Tombstone.objects.count()}{abs(hash(query))}").get(DISMISSED + query).content.decode()
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
    page = signed_in().get(f"{DISMISSED}?sort=returned")
    assert [stone.hits for stone, _memory in page.context["rows"]] == [9, 4, 0]
    counts = {facet.name: {one.value: one.count for one in facet.values} for facet in page.context["facets"]}
    assert counts["why"] == {"wrong": 1, "stale": 1}
    assert counts["returned"] == {"said_again": 2, "not_since": 1}


def test_the_search_does_not_find_words_above_the_reader() -> None:
    hidden = dismissed("Acme pays never", key="acme-never")
    Memory.objects.filter(pk=hidden.pk).update(sensitivity=Sensitivity.HIGH)
    answer = signed_in().get(f"{DISMISSED}?q=never")
    assert answer.context["counts"] == {"list": 0, "first": 0, "second": 0}
