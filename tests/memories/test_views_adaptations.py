"""The list of adaptations: narrowed, counted within bounds, with the uses since each began, and as a file."""

import json

import pytest
from django.test import Client

from memories.models import Adaptation, Memory
from memories.values.choices import RevertReason, Status
from memories.web import facets
from tests.deciding import LATER, make_applied
from tests.make import ANNA, AT
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/adaptations/"


@pytest.fixture
def client() -> Client:
    return signed_in()


def test_uses_are_counted_from_when_it_was_applied_until_it_was_reverted(client: Client) -> None:
    memory = make_applied(times_used=7)
    Memory.objects.update(times_used=10)
    assert "3 ×" in client.get(PAGE).content.decode()
    Adaptation.objects.filter(memory=memory).revert(why=RevertReason.USER_REVERT, by=ANNA, at=LATER)
    Memory.objects.update(times_used=50)
    assert "3 ×" in client.get(f"{PAGE}?past=1").content.decode()
    memory.refresh_from_db()
    Adaptation.objects.open(memory, by=ANNA, at=LATER, again=True)
    assert Adaptation.objects.get().uses == 43


def test_one_from_before_uses_were_counted_apart_shows_all_uses_of_its_memory(client: Client) -> None:
    make_applied(times_used=7)
    Adaptation.objects.update(used_before=None)
    page = client.get(PAGE).content.decode()
    assert "7 ×" in page
    assert "in all" in page


def test_it_is_narrowed_by_agent_kind_scope_and_words(client: Client) -> None:
    make_applied("Reply in German", source="mailer", scope="project:shop", key="reply-german")
    make_applied("Ship on Fridays", source="packer", category="workflow")
    make_applied("Reply in Italian", source="packer", sensitivity=4, key="reply-italian")
    for query, n in (("plugin=mailer", 1), ("category=workflow", 1), ("scope=project:shop", 1), ("q=german", 1)):
        assert client.get(f"{PAGE}?{query}").content.decode().count("data-row") == n, query
    for query in ("q=italian", "plugin=nobody", "past=1&revert_reason=expired"):
        answer = client.get(f"{PAGE}?{query}")
        assert not answer.context["page"].rows, query
        assert "Nothing matches this filter" in answer.content.decode(), query
    counts = {one.name: {v.value: v.count for v in one.values} for one in client.get(PAGE).context["facets"]}
    assert counts["plugin"] == {"mailer": 1, "packer": 1}


def test_the_tabs_count_no_further_than_their_bound(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facets, "MOST_COUNTED", 2)
    for n in range(4):
        make_applied(f"Reply in language {n}")
    active, past = client.get(PAGE).context["tabs"]
    assert (active.count, active.is_cut, past.count) == (2, True, 0)
    assert '<span class="count">2+</span>' in client.get(PAGE).content.decode()


def test_oldest_first_is_paged_on(client: Client) -> None:
    for n in range(51):
        make_applied(f"Reply in language {n}")
    first = client.get(f"{PAGE}?sort=oldest")
    assert first.context["page"].rows[0].content == "Reply in language 0"
    cursor = first.context["page"].next.encode()
    second = client.get(PAGE, {"sort": "oldest", "cursor": cursor}).context["page"].rows
    assert [row.content for row in second] == ["Reply in language 50"]


def test_the_file_has_the_rows_of_the_list(client: Client) -> None:
    make_applied("Reply in German", source="mailer")
    make_applied("Reply in Italian", source="=cmd()")
    make_applied("Reply in Greek", sensitivity=4)
    answer = client.get(f"{PAGE}adaptations.jsonl?plugin=mailer")
    [row] = map(json.loads, b"".join(answer.streaming_content).splitlines())  # type: ignore[attr-defined]
    assert (row["plugin"], row["uses"], row["applied_at"]) == ("mailer", 0, "2026-03-01T12:00:00Z")
    csv = b"".join(client.get(f"{PAGE}adaptations.csv").streaming_content).decode()  # type: ignore[attr-defined]
    assert "'=cmd()" in csv
    assert "Greek" not in csv


def test_what_outlived_its_memory_is_told_without_a_link(client: Client) -> None:
    make_applied("Reply in German")
    Memory.objects.update(status=Status.CONFIRMED)
    Adaptation.objects.active().revert(why=RevertReason.FORGOTTEN, by=ANNA, at=AT)
    Adaptation.objects.update(memory=None)
    page = client.get(f"{PAGE}?past=1").content.decode()
    assert "its memory was forgotten" in page
    assert 'href="#"' not in page


def test_a_long_key_and_scope_are_cut_and_told_whole_in_their_titles(client: Client) -> None:
    make_applied("Reply in German", key="k" * 200, scope="s" * 100)
    page = client.get(PAGE).content.decode()
    assert f'title="{"k" * 200}"' in page
    assert f">{'k' * 200}<" not in page
