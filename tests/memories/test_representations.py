"""What the API shows of a memory is computed when it is read: a track record has no second copy."""

from datetime import timedelta
from typing import Any

import pytest

from memories.models import Memory, Performance
from tests.make import AT, caller, make_memory

pytestmark = pytest.mark.django_db


def make_plan(**record: Any) -> Memory:
    payload = {"plan_id": "p", "nodes": [{"id": "find"}], "metrics": {"execution_count": 99}}
    plan = make_memory("Refund an order", type="plan_graph", status="confirmed", payload=payload)
    if record:
        Performance.objects.create(memory=plan, **record)
    return plan


def metrics(plan: Memory) -> dict[str, Any]:
    shown: dict[str, Any] = caller().get(f"/api/v1/memories/{plan.pk}").json()["payload"]["metrics"]
    return shown


def test_the_metrics_of_a_plan_are_its_record() -> None:
    record = {"successes": 3, "failures": 1, "partials": 2, "latency_total_ms": 600, "latency_count": 3}
    assert metrics(make_plan(**record, last_used_at=AT)) == {
        "execution_count": 6,
        "failure_rate": 0.25,
        "avg_latency_ms": 200,
        "last_executed_at": "2026-03-01T12:00:00Z",
    }


def test_a_plan_that_nobody_has_carried_out_has_no_rate() -> None:
    nothing = {"execution_count": 0, "failure_rate": None, "avg_latency_ms": None, "last_executed_at": None}
    assert metrics(make_plan()) == metrics(make_plan(partials=0)) == nothing


def test_a_tool_call_has_a_line_in_the_timeline_that_says_which() -> None:
    told = {"source": "ci", "tool_name": "go_build", "args": {"path": "."}, "timestamp": "2026-03-01T14:00:00+02:00"}
    added = caller().post("/api/v1/tool-outputs", told, format="json").json()
    line = {"t": "2026-03-01T12:00:00Z", "event_kind": "tool_call", "summary": "tool_call: go_build"}
    for shown in (added, caller().get(f"/api/v1/memories/{added['id']}").json()):
        [entry] = shown["payload"]["timeline"]
        assert entry == {**line, "ref": entry["ref"]}


def test_what_has_a_summary_keeps_it_in_the_timeline() -> None:
    told = {"source": "ci", "event_kind": "tool_call", "ref": "t1", "summary": "Built it"}
    added = caller().post("/api/v1/events", told, format="json").json()
    assert added["payload"]["timeline"][0]["summary"] == "Built it"


def test_the_lifecycle_names_its_curve_and_begins_with_the_creation() -> None:
    memory = make_memory(status="confirmed")
    lifecycle = caller().get(f"/api/v1/memories/{memory.pk}").json()["lifecycle"]
    assert (lifecycle["curve"], lifecycle["last_reinforced_at"]) == ("exponential", "2026-03-01T12:00:00Z")
    Memory.objects.filter(pk=memory.pk).reinforce(at=AT + timedelta(days=2))
    lifecycle = caller().get(f"/api/v1/memories/{memory.pk}").json()["lifecycle"]
    assert lifecycle["last_reinforced_at"] == "2026-03-03T12:00:00Z"
