"""A store whose disk is full, so that its database takes no writes: it answers what is read, and says what is wrong."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from rest_framework.test import APIClient

from memories.models import Agent, Memory
from memos_site.platform.supervision.broker import CrashSafeBroker
from tests.make import AT, caller, make_memory, make_run, make_skill, run
from tests.pages import signed_in

pytestmark = pytest.mark.django_db(transaction=True)
SWITCH = "SET default_transaction_read_only = "
PAGES = (
    *(
        "/",
        "/decided/",
        "/memories/",
        "/dismissed/",
        "/episodes/",
        "/skills/",
        "/adaptations/",
        "/insights/",
        "/agents/",
    ),
    *(
        "/import/",
        "/runs/",
        "/profile/",
        "/search/?q=net-30",
        "/memories/teach/",
        "/health/ready",
        "/memories/export.csv",
    ),
)
GETS = ("me", "memories", "memories?q=net-30", "audit", "metrics", "insights", "skills", "episodes", "runs", "agents")
QUESTIONS: dict[str, dict[str, Any]] = {
    "search": {"query": "net-30 terms"},
    "context": {"task": "When does Acme pay?", "source": "test"},
    "guidance": {"task": "Where is my order?", "thread_id": "t-1"},
    "tools/search": {"query": "net-30 terms"},
}


@pytest.fixture
def read_only() -> Iterator[None]:
    """Begun by the test, as soon as there is something to read."""
    yield
    connection.cursor().execute(f"{SWITCH} off")


def fill() -> Memory:
    make_run(thread_id="t-0", outcome="success")
    make_skill()
    return make_memory(status="confirmed")


def reads(agent: APIClient, person: Client, memory: Memory) -> dict[str, int]:
    """The status of every answer."""
    pages = {path: person.get(path) for path in (*PAGES, f"/memories/{memory.pk}/")}
    gets = {path: agent.get(f"/api/v1/{path}") for path in (*GETS, f"memories/{memory.pk}")}
    asked = {path: agent.post(f"/api/v1/{path}", body, format="json") for path, body in QUESTIONS.items()}
    answers: dict[str, Any] = {**pages, **gets, **asked, "figures": agent.get("/metrics")}
    return {path: answer.status_code for path, answer in answers.items()}


@pytest.mark.usefixtures("read_only")
def test_what_is_read_is_answered_though_its_uses_and_calls_cannot_be_recorded() -> None:
    memory, person = fill(), signed_in(group="administrator")
    agent = caller(permissions=["read", "ingest", "review"], requests_per_minute=1000)
    before = reads(agent, person, memory)
    assert {path: status for path, status in before.items() if status != 200} == {}
    Agent.objects.update(last_used_at=AT)  # another process has not seen this token for long
    connection.cursor().execute(f"{SWITCH} on")
    assert reads(agent, person, memory) == before
    assert person.get("/health/ready").json()["degraded"] == ["writes"]


@pytest.mark.usefixtures("read_only")
def test_what_would_be_stored_is_a_503_that_says_why_and_when_to_come_again() -> None:
    memory, agent, person = fill(), caller(permissions=["read", "ingest", "review"]), signed_in()
    connection.cursor().execute(f"{SWITCH} on")
    answers: list[Any] = [
        agent.post("/api/v1/conversations", run(), format="json"),
        agent.patch(f"/api/v1/memories/{memory.pk}", {"content": "Acme pays late"}, format="json"),
        agent.post("/api/v1/runs", {"kind": "consolidate"}, format="json"),
    ]
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(503, "disk_full")] * 3
    assert all("the disk is full" in answer.json()["detail"] and int(answer["Retry-After"]) > 0 for answer in answers)
    person.raise_request_exception = False
    page = person.post("/memories/teach/", {"content": "Acme pays late", "category": "fact"})
    assert (page.status_code, "disk is full" in page.content.decode()) == (503, True)


@pytest.mark.usefixtures("read_only")
def test_a_worker_waits_for_space_and_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memos_site.platform.supervision.broker.PAUSE", 0)

    def beat() -> None:
        Agent.objects.create(name="written")

    connection.cursor().execute(f"{SWITCH} on")
    assert CrashSafeBroker(beat).dequeue() is None
