"""`as_of` over the API: what was live at an instant, in the words it had then, for whom may see it today and then."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from memories.api.search import SearchAnswer
from memories.models import Injection, Memory
from memories.values.choices import Sensitivity
from memos_site.api.context import ContextAnswer
from tests.make import ANNA, caller, post
from tests.memories.revising import EVIDENCE
from tests.memos_site.looking_back import Days, Json, get, make, path_of, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def days() -> Days:
    return Days()


def everywhere(client: APIClient, row: Memory, at: datetime, question: str) -> list[Json]:
    """The memory as each of the five reads shows it, {} where it does not."""
    as_of = text(at)
    one = client.get(f"/api/v1/memories/{row.pk}", {"as_of": as_of})
    keyed = client.get(f"/api/v1/memories/by-key/{row.key}", {"as_of": as_of, "scope": row.scope}) if row.key else one
    listed = get(client, "memories", as_of=as_of)["results"]
    answer = client.post("/api/v1/search", {"query": question, "as_of": as_of}, format="json")
    SearchAnswer.model_validate_json(answer.content)
    found = [one["memory"] for one in answer.json()["results"]]
    asked = client.post("/api/v1/context", {"task": question, "as_of": as_of}, format="json")
    ContextAnswer.model_validate_json(asked.content)
    given = [item | {"id": item["memory_id"]} for item in asked.json()["items"]]
    single = [answer.json() if answer.status_code == 200 else {} for answer in (one, keyed)]
    return [*single, *({one["id"]: one for one in rows}.get(str(row.pk), {}) for rows in (listed, found, given))]


def contents(shown: list[Json]) -> set[str | None]:
    return {one.get("content") for one in shown}


def test_between_two_edits_every_read_answers_in_the_first_words(reviewing_agent: APIClient, days: Days) -> None:
    row = make("Acme settles invoices within thirty days", days, key="acme-terms")
    for content in ("Acme pays its bills after six weeks", "Globex handles everything"):
        row.edit({"content": content}, by=ANNA, at=days.next())
    edits = [days.first + timedelta(days=n, hours=1) for n in (1, 2, 3)]
    assert contents(everywhere(reviewing_agent, row, edits[0], "when are invoices settled")) == {
        "Acme settles invoices within thirty days"
    }
    assert contents(everywhere(reviewing_agent, row, edits[1], "when are bills paid")) == {
        "Acme pays its bills after six weeks"
    }
    assert contents(everywhere(reviewing_agent, row, edits[2], "who handles everything")) == {
        "Globex handles everything"
    }
    assert contents(everywhere(reviewing_agent, row, days.first, "when are invoices settled")) == {None}


def test_words_that_came_later_find_nothing_then(reviewing_agent: APIClient, days: Days) -> None:
    row = make("Acme settles invoices within thirty days", days)
    row.edit({"content": "Quarterly newsletters bore everybody"}, by=ANNA, at=days.next())
    then = text(days.now - timedelta(hours=1))
    assert post(reviewing_agent, "search", query="quarterly newsletters", as_of=then)["results"] == []
    assert get(reviewing_agent, "memories", q="newsletters", as_of=then)["results"] == []
    [found] = get(reviewing_agent, "memories", q="invoices", as_of=then)["results"]
    assert found["content"] == "Acme settles invoices within thirty days"
    assert get(reviewing_agent, "memories", q="invoices")["results"] == []


def test_former_words_are_found_by_their_meaning_and_in_chinese(reviewing_agent: APIClient, days: Days) -> None:
    meant = make("The physician recommended rest after the surgery", days)
    spoken = make("退款需要主管批准", days)
    for row in (meant, spoken):
        row.edit({"content": "Nothing of that"}, by=ANNA, at=days.next())
    then = text(days.now - timedelta(days=1, hours=1))
    question = "what did the doctor advise following the operation"
    [first, *_] = post(reviewing_agent, "search", query=question, as_of=then)["results"]
    assert first["memory"]["id"] == str(meant.pk)
    [first, *_] = post(reviewing_agent, "search", query="退款", as_of=then)["results"]
    assert first["memory"]["content"] == "退款需要主管批准"
    assert [one["id"] for one in get(reviewing_agent, "memories", q="退款", as_of=then)["results"]] == [str(spoken.pk)]


def test_a_passage_of_former_words_is_shown_in_these(reviewing_agent: APIClient, days: Days) -> None:
    row = make("Acme settles invoices within thirty days", days)
    row.edit({"content": "Nothing of that"}, by=ANNA, at=days.next())
    then = text(days.now - timedelta(hours=1))
    [found] = post(reviewing_agent, "search", query="invoices", unit="passage", as_of=then)["results"]
    assert found["passages"][0]["text"] == "Acme settles invoices within thirty days"
    assert found["memory"]["content"] == "Acme settles invoices within thirty days"


def test_what_was_forgotten_is_not_shown_as_of_any_time(reviewing_agent: APIClient, days: Days) -> None:
    row = make("Acme settles invoices within thirty days", days, key="acme-terms")
    row.edit({"content": "Acme settles invoices within sixty days"}, by=ANNA, at=days.next())
    instants = [days.first + timedelta(days=n, hours=1) for n in range(3)]
    assert reviewing_agent.delete(f"/api/v1/memories/{row.pk}").status_code == 200
    assert [contents(everywhere(reviewing_agent, row, at, "invoices")) for at in instants] == [{None}] * 3


@pytest.mark.parametrize("verb", ["dismiss", "retract", "contest", "demote", "expire"])
def test_what_was_live_then_is_shown_whatever_became_of_it(reviewing_agent: APIClient, days: Days, verb: str) -> None:
    row = make("Acme settles invoices within thirty days", days, key="acme-terms")
    at = days.next()
    change = {"dismiss": "dismissed", "retract": "retracted", "contest": "contested", "demote": "candidate"}
    if verb == "expire":
        row.edit({"expires_at": at + timedelta(hours=1)}, by=ANNA, at=at)
    else:
        row.revise(verb, {"status": change[verb]}, by=ANNA, why="", at=at)
    shown = everywhere(reviewing_agent, row, at - timedelta(hours=1), "invoices")
    assert {(one["content"], one["status"], one["confidence"]) for one in shown} == {
        ("Acme settles invoices within thirty days", "confirmed", 70)
    }
    later = everywhere(reviewing_agent, row, at + timedelta(hours=2), "invoices")
    assert later[2:] == [{}, {}, {}]
    assert [one.get("status") for one in later[:2]] == [None if verb == "expire" else change[verb]] * 2


def test_a_statement_for_a_time_is_shown_within_it(reviewing_agent: APIClient, days: Days) -> None:
    start = days.first + timedelta(days=4)
    row = make("The office is closed for invoices", days, valid_from=start, valid_to=start + timedelta(days=2))
    found = [everywhere(reviewing_agent, row, start + timedelta(days=n), "office invoices")[2:] for n in (-1, 1, 3)]
    assert [len([one for one in shown if one]) for shown in found] == [0, 3, 0]


def test_tags_category_and_payload_are_those_of_then_and_so_are_the_filters(
    reviewing_agent: APIClient, days: Days
) -> None:
    row = make("Acme settles invoices", days, tags=["old"], category="fact", payload={"kind": "semantic", "object": 30})
    change = {"tags": ["new"], "category": "pattern", "payload": {"kind": "semantic", "object": 60}}
    row.edit(change, by=ANNA, at=days.next())
    then = text(days.now - timedelta(hours=1))
    [shown] = get(reviewing_agent, "memories", as_of=then, tag="old", category="fact")["results"]
    assert (shown["tags"], shown["category"], shown["payload"]["object"]) == (["old"], "fact", 30)
    assert get(reviewing_agent, "memories", as_of=then, tag="new")["results"] == []
    assert post(reviewing_agent, "search", query="invoices", tags=["new"], as_of=then)["results"] == []
    assert (
        len(post(reviewing_agent, "search", query="invoices", tags=["old"], categories=["fact"], as_of=then)["results"])
        == 1
    )
    assert len(post(reviewing_agent, "search", tags=["old"], as_of=then)["results"]) == 1


@pytest.mark.parametrize(("then", "today"), [(Sensitivity.LOW, Sensitivity.HIGH), (Sensitivity.HIGH, Sensitivity.LOW)])
def test_nobody_sees_what_is_above_it_today_or_was_above_it_then(
    reviewing_agent: APIClient, days: Days, then: Sensitivity, today: Sensitivity
) -> None:
    row = make("Acme settles invoices within thirty days", days, key="acme-terms", sensitivity=then)
    row.edit({"sensitivity": today}, by=ANNA, at=days.next())
    before = days.now - timedelta(hours=1)
    assert everywhere(reviewing_agent, row, before, "invoices") == [{}] * 5
    assert all(everywhere(caller(clearance=Sensitivity.HIGH), row, before, "invoices"))
    body = {"query": "invoices", "as_of": text(before), "include_redacted": True}
    stubs = [one["memory"] for one in post(reviewing_agent, "search", **body)["results"]]
    stubs += get(reviewing_agent, "memories", as_of=text(before), include_redacted="true")["results"]
    assert all(one["redacted"] and "content" not in one for one in stubs)


def test_another_scope_is_not_seen_as_of_any_time(days: Days) -> None:
    row = make("Acme settles invoices within thirty days", days, scope="project:beta", key="acme-terms")
    row.edit({"content": "Acme settles invoices late"}, by=ANNA, at=days.next())
    alpha, beta = (caller(scopes=[f"project:{name}"]) for name in ("alpha", "beta"))
    before = days.now - timedelta(hours=1)
    assert everywhere(alpha, row, before, "invoices") == [{}] * 5
    assert all(everywhere(beta, row, before, "invoices"))


def test_looking_back_counts_nothing_as_used(reviewing_agent: APIClient, days: Days) -> None:
    row = make("Acme settles invoices within thirty days", days, key="acme-terms", source="P01")
    everywhere(reviewing_agent, row, days.now, "invoices")
    get(reviewing_agent, "memories", source="P01", as_of=text(days.now))
    row.refresh_from_db()
    assert (row.times_used, row.last_used_at, Injection.objects.count()) == (0, None, 0)


@pytest.mark.parametrize("value", ["2999-01-01T00:00:00Z", "yesterday", "2026-03-01", "2026-03-01T12:00:00", ""])
def test_an_instant_that_has_not_come_or_is_none_is_refused_by_name(
    reviewing_agent: APIClient, days: Days, value: str
) -> None:
    row = make("Acme settles invoices", days, key="acme-terms")
    reads = [f"memories/{row.pk}", "memories/by-key/acme-terms", "memories"]
    refused = [get(reviewing_agent, path, 400, as_of=value) for path in reads]
    refused += [post(reviewing_agent, path, 400, as_of=value) for path in ("search", "retrieve", "context")]
    assert {answer["errors"][0]["pointer"] for answer in refused} == {"/as_of"}
    words = "is in the future" if value.startswith("2999") else "must be an RFC 3339 time"
    assert all(words in answer["errors"][0]["detail"] for answer in refused)


def test_history_leads_to_the_state_that_a_decision_was_made_on(reviewing_agent: APIClient, days: Days) -> None:
    row = make("Acme settles invoices within thirty days", days)
    row.audit("create", by=ANNA, at=row.created_at).save(force_insert=True)
    row.edit({"content": "Acme settles invoices within sixty days"}, by=ANNA, at=days.next())
    row.dismiss(by=ANNA, why="wrong", at=days.next())
    created, edited, dismissed = get(reviewing_agent, f"memories/{row.pk}/history")["results"]
    assert created["state"] is None
    assert get(reviewing_agent, path_of(edited["state"]))["content"] == "Acme settles invoices within thirty days"
    found = get(reviewing_agent, path_of(dismissed["state"]))
    assert (found["content"], found["status"]) == ("Acme settles invoices within sixty days", "confirmed")
    assert (found["as_of"]["reconstructed"], found["as_of"]["today"]) == ("exact", ["times_used", "last_used_at"])
    [listed, *_] = get(reviewing_agent, "audit", subject=str(row.pk))["results"]
    assert listed["state"] == dismissed["state"]
    Memory.objects.all().delete()
    assert {entry["state"] for entry in get(reviewing_agent, f"memories/{row.pk}/history")["results"]} == {None}


def test_trails_come_along_as_they_were(reviewing_agent: APIClient, days: Days) -> None:
    row = make("Acme settles invoices within thirty days", days)
    for n in range(3):
        row.edit({"content": f"Acme settles invoices within {n} days"}, by=ANNA, at=days.next())
    then = text(days.now - timedelta(hours=1))
    shown = get(reviewing_agent, f"memories/{row.pk}", as_of=then, include="history,evidence,relations")
    assert [entry["action"] for entry in shown["history"]] == ["revise", "revise"]


def test_pages_of_a_list_go_on_as_of_the_same_instant(reviewing_agent: APIClient, days: Days) -> None:
    rows = [make(f"Fact number {n}", days) for n in range(5)]
    then = text(days.now)
    for row in rows:
        row.dismiss(by=ANNA, why="wrong", at=days.next())
    seen, page = [], get(reviewing_agent, "memories", as_of=then, limit=2, ordering="-confidence")
    while True:
        seen += [one["content"] for one in page["results"]]
        if not page["next"]:
            break
        page = get(reviewing_agent, path_of(page["next"]))
    assert sorted(seen) == [f"Fact number {n}" for n in range(5)]


def test_a_chain_of_corrections_answers_with_the_link_of_then(reviewing_agent: APIClient, days: Days) -> None:
    body = {"category": "fact", "source": "P01", "key": "acme-terms"}
    made = [post(reviewing_agent, "memories", 201, content="Acme pays on net-30 terms", **body)["memory"]["id"]]
    instants = [timezone.now()]
    for number in (45, 60):
        memory = {"content": f"Acme pays on net-{number} terms", "payload": EVIDENCE}
        new = post(reviewing_agent, f"memories/{made[-1]}/supersede", 201, memory=memory, rationale="new contract")
        made.append(new["id"])
        instants.append(timezone.now())
    keyed = [get(reviewing_agent, "memories/by-key/acme-terms", as_of=text(at))["id"] for at in instants]
    assert keyed == made
    listed = [
        get(reviewing_agent, "memories", status="candidate,confirmed", as_of=text(at))["results"] for at in instants
    ]
    assert [[one["id"] for one in rows] for rows in listed] == [[one] for one in made]
    assert reviewing_agent.delete(f"/api/v1/memories/{made[1]}").status_code == 200
    assert get(reviewing_agent, "memories", status="candidate,confirmed", as_of=text(instants[1]))["results"] == []
    assert get(reviewing_agent, "memories/by-key/acme-terms", as_of=text(instants[0]))["id"] == made[0]
