"""What an agent is doing right now: what it says in words, and who may read of it."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.api import json_bodies
from memories.models import AuditEntry, Memory, Tombstone, nominating
from memories.people import trust_of
from memories.values.choices import Sensitivity
from memories.values.field_types import LONGEST_TEXT
from memos_site import review
from tests.make import ANNA, AT, caller, make_memory, make_person

pytestmark = pytest.mark.django_db
KEY = "AKIA IOSF ODNN 7EXA MPLE"
STATE = {"source": "ci", "thread_id": "t1", "state": "planning"}


def said(**fields: Any) -> str:
    answer = caller().post("/api/v1/working-states", STATE | fields, format="json")
    assert answer.status_code == 201, answer.content
    return str(answer.json()["content"])


@pytest.mark.parametrize("blank", [{"context_summary": "  "}, {"next_actions": [" ", ""]}, {}])
def test_a_state_without_words_says_what_it_is(blank: dict[str, Any]) -> None:
    assert said(**blank) == "t1 is planning"


def test_its_words_are_the_summary_else_the_next_actions() -> None:
    assert said(context_summary=" writing tests ", next_actions=["read"]) == "writing tests"
    assert said(thread_id="t2", context_summary=" ", next_actions=["read", " ", "write"]) == "read; write"


def test_long_actions_are_no_longer_than_a_memory_may_be() -> None:
    assert len(said(next_actions=["x" * 60_000, "y" * 60_000])) == LONGEST_TEXT


def test_what_rises_takes_its_history_along() -> None:
    agent = caller(clearance=3)
    first = agent.post("/api/v1/working-states", STATE, format="json").json()
    agent.post("/api/v1/working-states", STATE | {"sensitivity": "high"}, format="json")
    assert Memory.objects.get().sensitivity == 3
    assert set(AuditEntry.objects.about("memory", first["id"]).values_list("sensitivity", flat=True)) == {3}
    assert caller().get(f"/api/v1/memories/{first['id']}/history").status_code == 404


def test_one_that_holds_a_credential_is_flagged_and_high_and_its_agent_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_bodies, "_may_hold_secrets", lambda *_: False)  # stored as of former versions
    agent, other = caller(), caller()
    agent.post("/api/v1/working-states", STATE | {"next_actions": ["log in"]}, format="json")
    told = agent.post("/api/v1/working-states", STATE | {"next_actions": [f"log in with {KEY}"]}, format="json")
    memory = Memory.objects.get()
    assert (memory.flags, memory.sensitivity, "id" in told.json()) == (["secret"], Sensitivity.HIGH, False)
    assert agent.get(f"/api/v1/memories/{memory.pk}").status_code == 404
    for writer, thread_state in ((agent, "executing"), (other, "done")):
        writer.post("/api/v1/working-states", STATE | {"state": thread_state}, format="json")
    memory.refresh_from_db()
    assert (memory.payload["state"], memory.flags, memory.sensitivity) == ("executing", ["secret"], Sensitivity.HIGH)


def test_it_says_who_has_reported_it_and_when() -> None:
    for source, moment in (
        ("ci", "2026-03-01T10:00:00Z"),
        ("dev", "2026-03-01T11:00:00Z"),
        ("ci", "2026-03-01T12:00:00Z"),
    ):
        caller().post("/api/v1/working-states", STATE | {"source": source, "timestamp": moment}, format="json")
    told = caller().get("/api/v1/working-states/t1").json()["provenance"]["sources"]
    expected = [("dev", "2026-03-01T11:00:00Z"), ("ci", "2026-03-01T12:00:00Z")]
    assert [(one["kind"], one["ref"], one["created_by"], one["timestamp"]) for one in told] == [
        ("working", "t1", *each) for each in expected
    ]


def test_a_typed_statement_without_a_category_is_a_fact() -> None:
    payload = {"subject": "billing", "predicate": "uses", "object": "Stripe"}
    typed = {"type": "semantic", "source": "ci", "payload": payload}
    answer = caller().post("/api/v1/memories", typed, format="json")
    assert (answer.status_code, answer.json()["memory"]["category"]) == (201, "fact")


PLACE, OTHER = "project:q1", "project:q2"
SAYS = {"context_summary": "The invoice is out. Acme pays on net-30 terms; call them then."}


def reported(**fields: Any) -> Memory:
    by = fields.pop("by", None) or caller()
    answer = by.post("/api/v1/working-states", STATE | SAYS | fields, format="json")
    assert answer.status_code in (200, 201), answer.content
    return Memory.objects.get(pk=answer.json()["id"])


def dismissed(scope: str = PLACE, content: str = "Acme pays on net-30 terms") -> Tombstone:
    make_memory(content, scope=scope, category="fact").dismiss(by=ANNA, why="wrong", at=AT)
    return Tombstone.objects.get(scope=scope)


def withheld(memory: Memory) -> list[str]:
    return Memory.objects.get(pk=memory.pk).withheld_from


@pytest.mark.parametrize("words", [SAYS, {"context_summary": "writing", "next_actions": ["Acme pays on net-30 terms"]}])
def test_one_that_says_what_is_dismissed_is_withheld_there(words: dict[str, Any]) -> None:
    dismissed()
    assert withheld(reported(scope=PLACE, **words)) == [PLACE]
    assert withheld(reported(scope="", **words)) == [PLACE]
    assert withheld(reported(scope=OTHER, **words)) == []
    assert withheld(reported(scope=PLACE, context_summary="Acme pays on net-60 terms", next_actions=[])) == []


def test_one_that_said_so_before_is_withheld_from_the_dismissal_until_it_is_lifted() -> None:
    here, everywhere, other = (reported(scope=scope) for scope in (PLACE, "", OTHER))
    stone = dismissed()
    assert [withheld(row) for row in (here, everywhere, other)] == [[PLACE], [PLACE], []]
    review.lift(trust_of(make_person()), stone.pk, at=AT)
    assert [withheld(row) for row in (here, everywhere, other)] == [[], [], []]
    dismissed("global")
    assert [withheld(row) for row in (here, everywhere, other)] == [["global"]] * 3


@pytest.mark.parametrize("scope", [PLACE, "global"])
def test_it_is_offered_by_no_door_and_read_by_its_own_agent_alone(scope: str) -> None:
    own = caller(scopes=[PLACE])
    row = reported(scope=PLACE, by=own)
    other = caller(scopes=[PLACE])

    def told(client: APIClient) -> list[bool]:
        query = {"query": "When does Acme pay?", "types": ["working"], "include_candidates": True}
        answers = [
            client.post("/api/v1/search", query, format="json"),
            client.post("/api/v1/tools/memory_query", {"text": "When does Acme pay?"}, format="json"),
            client.get("/api/v1/memories?type=working"),
            client.get(f"/api/v1/memories/{row.pk}"),
            client.get("/api/v1/working-states/t1"),
        ]
        return ["net-30" in answer.content.decode() for answer in answers]

    assert told(other) == [True] * 5
    dismissed(scope)
    assert told(other) == [False] * 5
    assert told(own) == [False] * 4 + [True]


def test_many_that_say_so_are_all_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nominating, "MOST_NOMINATED", 2)
    rows = [reported(scope=PLACE, thread_id=f"t{n}") for n in range(5)]
    dismissed()
    assert [withheld(row) for row in rows] == [[PLACE]] * 5
