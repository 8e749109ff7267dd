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
