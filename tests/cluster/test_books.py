"""The books of the trial find what is lost and what is doubled: its own agents, and faults that are planted."""

import json
from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from consolidation.consolidation_run import consolidate
from consolidation.models import Run
from memories.models import IdempotencyKey
from tests.cluster import books
from tests.cluster.load import Client, Ledger
from tests.cluster.whole import AGENT
from tests.make import bytes_of, make_agent
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
PERMISSIONS = [word for word in AGENT if word != "--permission"]


class Here:
    """The tables of this process."""

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []


class Agent(Client):
    """An agent of the trial, whose calls are answered in this process."""

    def _try(self, method: str, path: str, headers: dict[str, str], more: dict[str, Any]) -> httpx.Response | None:
        address, caller = f"/api/v1/{path}", APIClient(headers=headers)
        if "files" in more:
            files = {field: SimpleUploadedFile(name, content) for field, (name, content) in more["files"].items()}
            answer = caller.post(address, more["data"] | files, format="multipart")
        else:
            answer = caller.generic(method, address, json.dumps(more.get("json", {})), "application/json")
        return httpx.Response(answer.status_code, headers=dict(answer.headers), content=bytes_of(answer))


def agent_of(tokens: tuple[str, str]) -> Agent:
    cluster = SimpleNamespace(agent=tokens[0], reviewer=tokens[1], hosts=[None])
    return Agent(0, 1, cast("Any", cluster), cast("Any", None))


@shared_rows
def day() -> tuple[tuple[str, str], Ledger]:
    """Who has done each kind of work twice, and what came of it is learned."""
    tokens = (make_agent(permissions=PERMISSIONS)[1], make_agent(permissions=[*PERMISSIONS, "review"])[1])
    agent = agent_of(tokens)
    for work in (
        agent.event,
        agent.store,
        agent.observation,
        agent.conversation,
        agent.decision,
        agent.skill,
        agent.use,
    ):
        work("a")
        work("b")
    for name in "cdef":
        agent.conversation(name)
    consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=timezone.now() + timedelta(hours=1))
    agent.http.close()
    return tokens, agent.ledger


@pytest.fixture
def agent(day: tuple[tuple[str, str], Ledger]) -> Iterator[Agent]:
    agent = agent_of(day[0])
    agent.ledger = day[1]
    yield agent
    agent.http.close()


LOST = {
    "event": "DELETE FROM memories_event WHERE kind = 'step' AND ref = 'a'",
    "claim": "UPDATE memories_memory SET key = 'other' WHERE key = 'claim-a'",
    "conversation": "UPDATE memories_episode SET external_id = NULL WHERE external_id = 'run-a'",
    "use": "UPDATE skills_skilluse SET note = '' WHERE note = 'a'",
    "skill": "UPDATE skills_skillversion SET status = 'archived'",
}
DOUBLED = {
    "event": "UPDATE memories_event SET ref = 'a' WHERE ref = 'b' AND kind = 'step'",
    "claim": "UPDATE memories_memory SET key = 'claim-a', scope = 'project:cluster-1' WHERE key = 'claim-b'",
    "use": "UPDATE skills_skilluse SET note = 'a' WHERE note = 'b'",
}

ONE = "(SELECT id FROM memories_evidence WHERE memory_id = m.memory_id LIMIT 1)"
UNEQUAL = {
    "skills": f"DELETE FROM memories_evidence USING consolidation_pattern m WHERE memories_evidence.id = {ONE}",
    "facts": "UPDATE consolidation_argumentfact SET memory_id = NULL",
    "facts, uses": "UPDATE consolidation_argumentuse SET counted = false",
    "plans": f"DELETE FROM memories_evidence USING consolidation_planshape m WHERE memories_evidence.id = {ONE}",
}


def test_books_of_an_undisturbed_day_are_in_order(agent: Agent) -> None:
    assert books.faults(Here(), agent.ledger) == []


@pytest.mark.parametrize("kind", LOST)
def test_what_is_lost_is_found(agent: Agent, kind: str) -> None:
    Here().sql(LOST[kind])
    assert any(line.startswith(f"{kind} lost") for line in books.faults(Here(), agent.ledger))


@pytest.mark.parametrize("kind", DOUBLED)
def test_what_is_doubled_is_found(agent: Agent, kind: str) -> None:
    Here().sql(DOUBLED[kind])
    agent.ledger.acknowledged[kind] = {
        name: what for name, what in agent.ledger.acknowledged[kind].items() if not name.endswith("b")
    }
    assert any(line.startswith(f"{kind} doubled") for line in books.faults(Here(), agent.ledger))


def test_an_episode_and_a_use_that_are_counted_twice_are_found(agent: Agent) -> None:
    Here().sql("UPDATE consolidation_pattern SET successes = successes + 1")
    Here().sql("UPDATE memories_performance SET successes = successes + 1")
    found = books.faults(Here(), agent.ledger)
    assert any("conversations of project:cluster-0" in line for line in found)
    assert any(line.startswith("uses of skills") for line in found)


@pytest.mark.parametrize("what", UNEQUAL)
def test_what_was_learned_of_a_run_twice_or_not_is_found(agent: Agent, what: str) -> None:
    Here().sql(UNEQUAL[what])
    assert [
        line
        for line in books.faults(Here(), agent.ledger)
        if f"6 conversations of project:cluster-0, but {what}" in line
    ]


def test_work_that_is_done_again_for_the_same_key_is_found(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.cluster.load.REPEATED", 1.0)
    agent.observation("c")
    assert books.faults(Here(), agent.ledger) == []
    monkeypatch.setattr("memories.api.idempotency.once", lambda request, trust, work: work())
    with pytest.raises(Exception, match="was done again"):
        agent.event("c")
    [line] = books.faults(Here(), agent.ledger)
    assert line.startswith("event doubled: ['c']")
    assert IdempotencyKey.objects.exists()
