"""A secret that is stored in an event, a tool's output or a conversation: flagged, at least high, its run goes on."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from memories.api import json_bodies
from memories.intake.reports.drafts import EventDraft, holds_secret
from memories.models import AuditEntry, Episode, Event, Memory
from memories.scanning import credentials
from memories.values.choices import Sensitivity
from tests.make import Json, answer, bearing, call, make_agent, make_run, run, user

pytestmark = pytest.mark.django_db
KEY = "AKIA IOSF ODNN 7EXA MPLE"
CARD = "4111 1111 1111 1111"
EVENT: Json = {"source": "ci", "event_kind": "deploy", "ref": "b7"}
TOOL: Json = {"source": "ci", "tool_name": "env"}


@pytest.fixture(autouse=True)
def stored_as_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """As former versions could be told to, and as what a person sends is."""
    monkeypatch.setattr(json_bodies, "_may_hold_secrets", lambda *_: False)


def send(client: APIClient, path: str, body: Json) -> Any:
    return client.post(f"/api/v1/{path}", body, format="json")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("events", {**EVENT, "summary": f"uses {KEY}"}),
        ("events", {**EVENT, "context": {"card": CARD}}),
        ("events", {**EVENT, "ref": "ghp_" + "a1B2" * 9}),
        ("tool-outputs", {**TOOL, "args": {"env": {"DB_PASSWORD": "hunter2!"}}}),
        ("tool-outputs", {**TOOL, "result": [f"it is {CARD}"]}),
        ("tool-outputs", {**TOOL, "result": {"card": 4111111111111111}}),
        ("conversations", run(messages=[user(f"My card is {CARD}")])),
        ("conversations", run(messages=[call("pay", card=CARD), answer("paid")])),
        ("conversations", run(messages=[call("env"), answer(f"key {KEY}")])),
        ("conversations", run(messages=[{"role": "system", "content": f"Use {KEY}"}, user("hi")])),
        ("conversations", run(title=f"Card {CARD}")),
        ("conversations", run(customer={"card": CARD})),
    ],
)
def test_what_holds_a_secret_is_flagged_and_high(agent: APIClient, path: str, body: Json) -> None:
    first = send(agent, path, body)
    memory = Memory.objects.get()
    assert (first.status_code, memory.flags, memory.sensitivity) == (201, ["secret"], Sensitivity.HIGH)
    assert agent.get(f"/api/v1/memories/{memory.pk}").status_code == 404
    beside = "title" in body or "customer" in body
    assert [event.flags for event in Event.objects.all() if "secret" in event.flags] == ([] if beside else [["secret"]])


def test_what_only_looks_like_one_stays_as_it_was_said(agent: APIClient) -> None:
    send(agent, "tool-outputs", {**TOOL, "result": {"order": "W4111111111111111", "rate": 4111111111111111.5}})
    memory = Memory.objects.get()
    assert (memory.flags, memory.sensitivity) == ([], Sensitivity.LOW)


def test_a_higher_sensitivity_than_that_of_a_secret_stays() -> None:
    assert make_run(messages=[user(CARD)], sensitivity="hyper").sensitivity == Sensitivity.HYPER


def test_a_secret_that_joins_an_episode_raises_it_with_its_trail(agent: APIClient) -> None:
    first = send(agent, "events", {**EVENT, "thread_id": "t1"}).json()
    joined = send(agent, "events", {**EVENT, "thread_id": "t1", "summary": f"uses {KEY}"})
    assert (joined.status_code, joined.json()["memory"]) == (202, None)
    memory = Memory.objects.get(pk=first["id"])
    assert (memory.sensitivity, memory.flags, memory.version) == (Sensitivity.HIGH, ["secret"], 2)
    assert set(memory.passages.values_list("sensitivity", flat=True)) == {Sensitivity.HIGH}
    entries = AuditEntry.objects.about("memory", memory.pk)
    assert [(entry.action, entry.sensitivity) for entry in entries] == [("create", 3), ("revise", 3)]
    assert entries[1].after == {"sensitivity": 3}


def test_an_agent_goes_on_in_its_episode_that_a_secret_raised_and_is_told_nothing(agent: APIClient) -> None:
    episode = send(agent, "events", {**EVENT, "summary": f"uses {KEY}"}).json()["id"]
    further = {**EVENT, "episode_id": episode, "summary": "done"}
    assert send(agent, "events", further).json()["memory"] is None
    ended = {"source": "ci", "target_record_id": episode, "outcome_status": "success"}
    answered = send(agent, "outcomes", ended)
    assert (answered.status_code, answered.json()["memory"]) == (202, None)
    row = Episode.objects.get(pk=episode)
    assert (row.event_count, row.outcome) == (2, "success")
    stranger = bearing(make_agent()[1])
    refused = [send(stranger, path, body).status_code for path, body in (("events", further), ("outcomes", ended))]
    assert refused == [404, 404]


def test_the_outcome_of_an_own_conversation_with_a_secret_comes_later(agent: APIClient) -> None:
    said = run(id="r1", messages=[user(CARD)])
    send(agent, "conversations", said)
    again = send(agent, "conversations", {**said, "outcome": "failure"})
    assert (again.status_code, again.json()["episode"]) == (202, None)
    assert Episode.objects.get().outcome == "failure"
    other = send(agent, "conversations", {**said, "messages": [user("other")], "outcome": "success"})
    assert (other.status_code, Episode.objects.get().outcome) == (202, "failure")


def test_many_episodes_that_rise_cost_as_many_statements_as_one(agent: APIClient) -> None:
    for n in range(20):
        send(agent, "events", {**EVENT, "thread_id": f"t{n}"})

    def statements(threads: range) -> int:
        items = [{"kind": "event", **EVENT, "thread_id": f"t{n}", "summary": KEY} for n in threads]
        with CaptureQueriesContext(connection) as queries:
            assert send(agent, "batch", {"items": items}).status_code == 200
        return len(queries)

    assert statements(range(1)) == statements(range(1, 20))
    assert set(Memory.objects.values_list("sensitivity", flat=True)) == {Sensitivity.HIGH}


PIECES = [
    *(
        "A",
        " ",
        "\n",
        "\\",
        '"',
        "-",
        "_",
        ".",
        "7",
        "is ",
        ": ",
        "://",
        "a:b3c@",
        "(",
        "password",
        "bearer ",
        "密码",
        "是",
    ),
    *(KEY, CARD, CARD[:9], CARD[9:], "hunter2!", "ghp_" + "a1B2" * 9, "AKIA" + "A2" * 8, "-----BEGIN PRIVATE KEY-----"),
]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=5).map("".join), max_size=5))
def test_secrets_of_many_events_are_those_of_each_alone(texts: list[str]) -> None:
    drafts = [EventDraft("message", text=text) for text in texts]
    alone = [credentials.is_in(text) for text in texts]
    assert holds_secret(drafts) == any(alone)
    assert [draft.holds_secret for draft in drafts] == alone
