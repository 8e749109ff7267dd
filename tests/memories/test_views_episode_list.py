"""The list of episodes: its filters and facets, single events folded; and the page of a single event."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from memories.intake import episodes
from memories.intake.reports import events
from memories.models import Episode, Memory
from memories.values.trust import everything
from tests.make import AT, answer, call, make_run, user
from tests.memories.test_views_memory_list import facet_counts
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def report(ref: str, *, source: str = "triage", at: datetime = AT, **about: Any) -> Memory:
    """A single event of a plugin, as an episode of its own."""
    fields = {"source": source, "event_kind": "plugin_run", "ref": ref, "timestamp": at.isoformat()}
    checked = events.check(events.EventReport, {**fields, "context": about or {"company": "Acme"}})
    episodes.record_events([checked], trust=everything(), at=at)
    return Memory.objects.order_by("-created_at", "-pk").first()  # type: ignore[return-value]


def titles(page: str) -> list[str]:
    return [" ".join(name.split()) for name in re.findall(r'data-does="open"[^>]*>([^<]*)</a>', page)]


def test_single_events_of_one_source_are_folded_where_the_latest_stands() -> None:
    for number in range(4):
        report(f"mail-{number}", at=AT + timedelta(days=2 * number))
        make_run(title=f"Run {number}", id=f"r{number}", at=AT + timedelta(days=2 * number + 1), outcome="success")
    report("deploy-1", source="ci")
    page = signed_in().get("/episodes/").content.decode()
    assert "4 single events of triage" in page
    assert titles(page) == ["Run 3", "Run 2", "Run 1", "Run 0", "Plugin run: deploy-1"]
    assert page.index("Run 3") < page.index("4 single events") < page.index("Run 2")


def test_facets_count_outcomes_sources_and_tools() -> None:
    make_run(id="a", outcome="success", scope="project:a")
    make_run(id="b", outcome="failure", messages=[user("hi"), call("pay", to="Rome"), answer("no")])
    make_run(id="c", source="other", messages=[user("hi")])
    client = signed_in()
    counts = facet_counts(client.get("/episodes/").content.decode())
    expected = {"success": "1", "failure": "1", "unknown": "1", "search": "1", "pay": "1", "other": "1"}
    assert {name: counts.get(name) for name in expected} == expected
    chosen = facet_counts(client.get("/episodes/", {"outcome": "failure"}).content.decode())
    assert chosen["success"] == "1", "what another outcome would leave"
    assert "search" not in chosen


def test_episodes_are_narrowed_to_days() -> None:
    for day in (1, 2, 3):
        make_run(id=f"r{day}", title=f"Of day {day}", at=datetime(2026, 3, day, 23, 30, tzinfo=UTC))
    client = signed_in()
    for query, expected in (
        ({"from": "2026-03-02"}, ["Of day 3", "Of day 2"]),
        ({"to": "2026-03-02"}, ["Of day 2", "Of day 1"]),
        ({"from": "2026-03-02", "to": "2026-03-02"}, ["Of day 2"]),
        ({"from": "yesterday"}, ["Of day 3", "Of day 2", "Of day 1"]),
    ):
        assert titles(client.get("/episodes/", query).content.decode()) == expected, query


def test_a_single_event_shows_what_it_reported_and_what_its_source_reported_around_it() -> None:
    for number in range(9):
        report(f"mail-{number}", at=AT + timedelta(days=number), company=f"Company {number}")
    report("elsewhere", source="ci")
    row = Memory.objects.get(content__contains="mail-4")
    page = signed_in().get(f"/episodes/{row.pk}/").content.decode()
    assert "plugin run" in page and "Company 4" in page
    around = page.split('id="around"')[1].split("</ol>")[0]
    assert re.findall(r"mail-\d", around) == [f"mail-{number}" for number in range(8, -1, -1)]
    assert "elsewhere" not in around
    assert around.count("<a href") == 8


def test_the_words_of_a_single_event_are_words_and_no_keys() -> None:
    report("mail-1", run_hour=8, user_edited=True)
    row = report("mail-2", run_hour=9, user_edited=False)
    page = " ".join(signed_in().get(f"/episodes/{row.pk}/").content.decode().split())
    assert "<h1>Plugin run: mail-2</h1>" in page.replace("> ", ">").replace(" <", "<")
    assert "run hour: 8, user edited: yes" in page and "<dd>no</dd>" in page
    texts = re.sub(r"<[^>]*>", "", page)
    assert "plugin_run" not in texts and "run_hour" not in texts
    assert "unknown" not in page, "one event has no outcome"


def test_a_page_with_a_thread_a_graph_and_a_single_event_needs_at_most_twelve_queries(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    make_run(id="other", thread_id="t-1")
    one = make_run(id="one", thread_id="t-1", messages=[call("search", to="Rome")])
    with django_assert_num_queries(11):
        page = client.get(f"/episodes/{one.pk}/").content.decode()
    assert "Other episodes of its thread" in page
    assert '<svg class="graph"' in page


def test_the_graph_marks_what_failed_and_says_the_steps_as_a_table() -> None:
    pairs = [("find", "3 found"), ("pay", "Error: no card"), ("find", "2 found"), ("pay", "paid")]
    messages = [user("hi")]
    for number, (tool, result) in enumerate(pairs):
        messages += [call(tool, id=f"c{number}"), answer(result, id=f"c{number}")]
    run = make_run(messages=messages)
    page = signed_in().get(f"/episodes/{run.pk}/").content.decode()
    graph = page.split('<svg class="graph"')[1].split("</svg>")[0]
    assert graph.count("<rect") == 2 and graph.count('class="step"') == 2
    assert "1 failed" in " ".join(graph.split())
    table = re.findall(r"<code>(\w+)</code></td>\s*<td><code>(\w+)</code></td>\s*<td class=\"number\">(\d)", page)
    assert table == [("find", "pay", "2"), ("pay", "find", "1")]


def test_runs_that_probably_failed_are_a_view_of_the_list() -> None:
    client = signed_in()
    make_run(id="a", title="Unlike all")
    assert "Probably failed" not in client.get("/episodes/").content.decode()
    likely, said = make_run(id="b", title="Like the failures"), make_run(id="c", title="Said so", outcome="failure")
    Episode.objects.filter(pk__in=[likely.pk, said.pk]).update(verdict="high", risk=0.9)
    page = " ".join(client.get("/episodes/").content.decode().split())
    shown = r'<a href="(\?view=probably-failed)"> Probably failed <span class="count">1</span>'
    found = re.search(shown, page)
    assert found
    page = client.get("/episodes/" + found[1]).content.decode()
    assert titles(page) == ["Like the failures"]
    assert 'All <span class="count">3' in " ".join(page.split())
