"""`as_of` over the API for episodes, working states, many at once, and beyond what is looked at."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from tests.make import ANNA, post
from tests.memos_site.looking_back import Days, get, make, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def days() -> Days:
    return Days()


def test_an_episode_has_the_events_and_the_outcome_of_then(reviewing_agent: APIClient) -> None:
    body = {"source": "shop", "event_kind": "note", "thread_id": "t-1"}
    first = post(reviewing_agent, "events", 201, ref="1", summary="The parcel arrived broken", **body)["id"]
    between = text(timezone.now())
    post(reviewing_agent, "events", 200, ref="2", summary="A giraffe was delivered instead", **body)
    post(reviewing_agent, "outcomes", 200, source="shop", target_record_id=first, outcome_status="failure")
    failed = text(timezone.now())
    post(reviewing_agent, "outcomes", 200, source="shop", target_record_id=first, outcome_status="success")
    for address in (f"memories/{first}", "memories"):
        seen = [
            get(reviewing_agent, address, as_of=at, **({"type": "episodic"} if address == "memories" else {}))
            for at in (between, failed)
        ]
        payloads = [one["results"][0]["payload"] if "results" in one else one["payload"] for one in seen]
        assert [(one["event_count"], one["outcome"], bool(one["closed_at"])) for one in payloads] == [
            (1, None, False),
            (2, "failure", True),
        ]
    then = get(reviewing_agent, f"memories/{first}", as_of=between)
    assert [entry["ref"] for entry in then["payload"]["timeline"]] == ["1"]
    assert [source["ref"] for source in then["provenance"]["sources"]] == ["1"]
    for at, told in ((between, False), (failed, True)):
        found = post(reviewing_agent, "search", query="giraffe", types=["episodic"], as_of=at)["results"]
        assert any(passage["ref"] == "2" for one in found for passage in one["passages"]) == told
    assert get(reviewing_agent, "memories", q="giraffe", type="episodic", as_of=between)["results"] == []
    assert len(get(reviewing_agent, "memories", q="giraffe", type="episodic", as_of=failed)["results"]) == 1


def test_a_working_state_answers_with_the_state_of_then(reviewing_agent: APIClient) -> None:
    body = {"source": "shop", "thread_id": "t-1"}
    made = post(
        reviewing_agent, "working-states", 201, state="planning", context_summary="Ask Acme for the invoice", **body
    )
    planning = text(timezone.now())
    post(reviewing_agent, "working-states", 200, state="done", context_summary="Acme has sent it", **body)
    shown = get(reviewing_agent, f"memories/{made['id']}", as_of=planning)
    assert (shown["content"], shown["payload"]["state"]) == ("Ask Acme for the invoice", "planning")
    assert get(reviewing_agent, f"memories/{made['id']}")["payload"]["state"] == "done"


def test_what_a_bulk_decision_and_its_undo_did_is_seen_at_each_step(reviewing_agent: APIClient, days: Days) -> None:
    rows = [make(f"Fact number {n}", days) for n in range(3)]
    ids, instants = [str(row.pk) for row in rows], [text(timezone.now())]
    batch = post(reviewing_agent, "memories/bulk", action="dismiss", ids=ids, why="noise")["batch"]
    instants.append(text(timezone.now()))
    post(reviewing_agent, f"audit/{batch}/undo")
    instants.append(text(timezone.now()))
    assert [len(get(reviewing_agent, "memories", as_of=at)["results"]) for at in instants] == [3, 0, 3]
    assert [len(get(reviewing_agent, "memories", as_of=at, status="dismissed")["results"]) for at in instants] == [
        0,
        3,
        0,
    ]


def test_beyond_the_bound_the_answer_says_that_former_words_are_missing(
    reviewing_agent: APIClient, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [make(f"Acme settles invoice {n}", days) for n in range(3)]
    then = text(days.now)
    for row in rows:
        row.edit({"content": "Nothing of that"}, by=ANNA, at=days.next())
    monkeypatch.setattr("memories.search.former_words.MOST_REWORDED", 2)
    answer = post(reviewing_agent, "search", query="invoice", as_of=then)
    assert (len(answer["results"]), answer["degraded"]) == (2, ["former_words"])
    assert post(reviewing_agent, "context", task="invoice", as_of=then)["degraded"] == ["former_words"]
    assert get(reviewing_agent, "memories", 400, q="invoice", as_of=then)["errors"][0]["pointer"] == "/q"
    assert post(reviewing_agent, "search", query="invoice", categories=["contact"], as_of=then)["degraded"] == []
    assert get(reviewing_agent, "memories", 400, stale="true", as_of=then)["errors"][0]["pointer"] == "/stale"


def test_imported_history_is_known_as_of_when_it_happened_and_tells_when_it_came_in(reviewing_agent: APIClient) -> None:
    said = [
        {"role": "user", "content": "The giraffe arrived broken", "timestamp": "2024-03-01T10:00:00Z"},
        {"role": "assistant", "content": "I have sent another one", "timestamp": "2024-03-01T10:05:00Z"},
    ]
    body = {"messages": said, "outcome": "success", "source": "desk"}
    stored = post(reviewing_agent, "conversations", 201, **body)["episode"]
    payload = stored["payload"]
    assert [payload[name] for name in ("closed_at", "outcome_at")] == ["2024-03-01T10:05:00Z"] * 2
    assert abs(datetime.fromisoformat(payload["recorded_at"]) - timezone.now()) < timedelta(minutes=5)
    for at, known in (("2024-03-01T10:04:59Z", False), ("2024-03-02T00:00:00Z", True)):
        found = post(reviewing_agent, "search", query="giraffe", types=["episodic"], as_of=at)["results"]
        assert [one["memory"]["id"] for one in found] == [stored["id"]] * known
        listed = get(reviewing_agent, "memories", type="episodic", as_of=at)["results"]
        assert [(one["payload"]["event_count"], one["payload"]["outcome"]) for one in listed] == [
            (2, "success")
        ] * known
    assert get(reviewing_agent, "memories", type="episodic")["results"][0]["salience"] > 0.9, (
        "it fades from when it came in"
    )
