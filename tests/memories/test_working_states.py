"""What an agent is doing right now: what it says in words, and who may read of it."""

from typing import Any

import pytest

from memories.models import AuditEntry, Memory
from memories.values.field_types import LONGEST_TEXT
from tests.make import caller

pytestmark = pytest.mark.django_db
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
