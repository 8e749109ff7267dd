"""Successful runs become plans: shared by node sequence and edges, counted once, without anybody's values."""

from datetime import timedelta
from typing import Any

import pytest

from consolidation.consolidation_run import consolidate
from consolidation.models import PlannedRun, PlanShape, Run
from memories.intake import evidence
from memories.intake.reports.payloads import PlanGraph, check_graph
from memories.lifecycle import removal
from memories.models import Episode, Memory
from memories.values.choices import ActorKind, Origin, Status
from memories.values.trust import Actor
from tests.consolidation.experience import NOON, consolidated, run
from tests.make import answer, call, caller, user

pytestmark = pytest.mark.django_db
PERSON = Actor(ActorKind.PERSON, "Rita")
SCOPE = "project:acme"


def refund(number: int, outcome: str = "success", *, reason: str = "broken", **fields: Any) -> Memory:
    """A stored run: an order is looked up, its payment, and that is refunded."""
    order, payment = f"order-{number:04}", f"pay-{number:04}"
    messages = [
        user(f"refund {order}"),
        call("get_order", "c1", order_id=order),
        answer({"order": order, "payment": payment}, "c1"),
        call("get_payment", "c2", payment_id=payment),
        answer({"amount": 1000 + number}, "c2"),
        call("refund", "c3", payment_id=payment, amount=1000 + number, reason=reason),
        answer("done", "c3"),
    ]
    return run([], outcome, messages=messages, minutes=number, **fields)


def digested() -> Any:
    return consolidated(at=NOON + timedelta(days=1))


def memories(**where: Any) -> list[Memory]:
    rows = Memory.objects.filter(type="plan_graph", **where).select_related("performance")
    return list(rows.order_by("pk"))


def test_a_success_of_three_calls_becomes_a_plan_whose_data_edges_follow_the_values() -> None:
    refund(1)
    assert digested().counters["plans_created"] == 1
    (plan,) = memories()
    assert plan.payload["edges"] == [
        {"from": "n1", "to": "n2", "kind": "data"},
        {"from": "n1", "to": "n3", "kind": "data"},
        {"from": "n2", "to": "n3", "kind": "data"},
    ]
    assert [(node["id"], node["op"]) for node in plan.payload["nodes"]] == [
        ("n1", "get_order"),
        ("n2", "get_payment"),
        ("n3", "refund"),
    ]
    assert plan.payload["nodes"][2]["params"] == {
        "payment_id": {"from": ["n1"]},
        "amount": {"from": ["n2"]},
        "reason": {"input": "reason"},
    }
    assert plan.payload["inputs_schema"]["properties"] == {"order_id": {"type": "string"}, "reason": {"type": "string"}}
    assert (plan.status, plan.confidence, plan.origin) == (Status.CANDIDATE, 70, Origin.CONSOLIDATED)
    assert plan.content == "get_order → get_payment → refund"
    check_graph(PlanGraph.model_validate(plan.payload))


def test_the_same_shape_again_is_an_execution_of_the_same_plan_and_failures_count_too() -> None:
    refund(1)
    digested()
    refund(2)
    refund(3, "failure")
    digested()
    (plan,) = memories()
    client = caller(scopes=[SCOPE])
    payload = client.get(f"/api/v1/memories/{plan.pk}").json()["payload"]
    assert payload["metrics"]["execution_count"] == 3
    assert payload["metrics"]["failure_rate"] == pytest.approx(1 / 3)
    listed = client.get("/api/v1/memories", {"type": "plan_graph", "status": "candidate"}).json()
    assert [row["id"] for row in listed["results"]] == [str(plan.pk)]


def test_a_failure_alone_makes_no_plan_but_counts_when_a_success_follows() -> None:
    refund(1, "failure")
    digested()
    assert memories() == []
    refund(2)
    digested()
    (plan,) = memories()
    assert (plan.performance.successes, plan.performance.failures) == (1, 1)


def test_other_steps_or_other_edges_are_another_plan_and_two_calls_are_none() -> None:
    refund(1)
    run(["get_order", "get_payment", "refund"], minutes=2)  # the same calls, and nothing flows
    run(["get_order", "refund"], minutes=3)
    digested()
    assert sorted(len(plan.payload["edges"]) for plan in memories()) == [0, 3]


def return_of(number: int, orders: int, *, again: bool = False) -> Memory:
    """A stored run: so many orders of a customer are looked up, and one is returned."""
    ids = [f"order-{number}-{n}" for n in range(orders)]
    messages = [user("send it back"), call("get_user", "u", user_id=f"user-{number}"), answer({"orders": ids}, "u")]
    for n, order in enumerate(["order-none", *ids] if again else ids):
        found = {"order": order} if order in ids else {"error": "not found"}
        messages += [call("get_order", f"o{n}", order_id=order, with_items=True), answer(found, f"o{n}")]
    messages += [call("return_order", "r", order_id=ids[-1]), answer("done", "r")]
    return run([], messages=messages, minutes=number, thread_id=f"case-{number}")


def test_calls_of_one_tool_in_a_row_are_one_step_however_many_they_are() -> None:
    return_of(1, 1)
    return_of(2, 4)
    digested()
    return_of(3, 2)
    digested()

    (plan,) = memories()

    assert plan.content == "get_user → get_order → return_order"
    assert [node.get("repeat") for node in plan.payload["nodes"]] == [
        None,
        {"least": 1, "most": 4, "per": ["order_id"]},
        None,
    ]
    assert plan.payload["nodes"][1]["params"]["order_id"] == {"from": ["n1"]}
    assert {(edge["from"], edge["to"]) for edge in plan.payload["edges"]} == {("n1", "n2"), ("n1", "n3")}
    assert PlanShape.objects.get().cases == 3
    check_graph(PlanGraph.model_validate(plan.payload))


def test_another_attempt_after_an_error_is_no_repetition() -> None:
    return_of(1, 1, again=True)
    digested()

    assert "repeat" not in memories()[0].payload["nodes"][1]


def test_calls_of_a_single_tool_are_no_plan() -> None:
    run(["search", "search", "search"])
    digested()

    assert memories() == []


def test_declared_dependencies_are_control_edges() -> None:
    client = caller(scopes=[SCOPE])
    for n, tool in enumerate(("build", "test", "deploy"), start=1):
        body = {"source": "ci", "tool_name": tool, "thread_id": "t1", "scope": SCOPE, "args": {"to": "x"}}
        more = {"depends_on": [f"n{n - 1}"]} if n > 1 else {}
        assert client.post("/api/v1/tool-outputs", {**body, **more}, format="json").status_code < 300
    episode = Episode.objects.get()
    done = {"source": "ci", "target_record_id": str(episode.pk), "outcome_status": "success"}
    assert client.post("/api/v1/outcomes", done, format="json").status_code < 300
    digested()
    assert [edge["kind"] for edge in memories()[0].payload["edges"]] == ["control", "control"]


def test_a_run_counts_once_and_a_later_outcome_moves_the_counts() -> None:
    episode = refund(1)
    refund(2)
    digested()
    Episode.objects.filter(pk=episode.pk).update(digested_at=None, outcome="failure")
    digested()
    Episode.objects.filter(pk=episode.pk).update(digested_at=None)
    digested()
    (plan,) = memories()
    assert (plan.performance.successes, plan.performance.failures) == (1, 1)
    assert (plan.evidence.count(), PlannedRun.objects.count(), PlanShape.objects.get().cases) == (2, 2, 1)


def test_a_value_that_three_runs_of_two_cases_share_stands_in_the_plan_and_no_other() -> None:
    for n in range(1, 3):
        refund(n)
    digested()
    assert memories()[0].payload["nodes"][2]["params"]["reason"] == {"input": "reason"}
    refund(3)
    digested()
    assert memories()[0].payload["nodes"][2]["params"]["reason"] == "broken"
    refund(4, reason="lost")
    digested()
    assert memories()[0].payload["nodes"][2]["params"]["reason"] == {"input": "reason"}


def test_ids_names_and_secrets_of_a_run_stand_nowhere_in_plan_or_counts() -> None:
    secret = "sk-abcdefghijklmnopqrstuvwx1234"
    for n in range(1, 5):
        calls = [("login", {"api_key": secret, "first_name": "Sarah"}), ("list", {}), ("stop", {})]
        said = [m for i, (t, a) in enumerate(calls) for m in (call(t, f"c{i}", **a), answer("ok", f"c{i}"))]
        run([], messages=[user("go"), *said], minutes=n)
    digested()
    kept = str(memories()[0].payload) + str(list(PlanShape.objects.values())) + str(list(PlannedRun.objects.values()))
    assert "login" in kept
    assert secret not in kept
    assert "Sarah" not in kept


def test_a_dismissed_plan_stays_dismissed_by_its_shape_at_every_level() -> None:
    refund(1)
    digested()
    memories()[0].dismiss(by=PERSON, why="no", at=NOON)
    refund(2)
    refund(3, sensitivity="high")
    assert digested().counters["suppressed"] == 2
    assert [plan.status for plan in memories()] == [Status.DISMISSED]


def test_an_episode_that_is_forgotten_leaves_the_counts_as_they_are() -> None:
    episode = refund(1)
    refund(2)
    digested()
    removal.remove([episode.pk])
    refund(3)
    digested()
    assert memories()[0].performance.uses == 3


def test_plans_of_another_scope_or_level_are_plans_of_their_own() -> None:
    refund(1)
    refund(2, scope="project:b")
    refund(3, sensitivity="high")
    digested()
    assert [(plan.scope, plan.sensitivity) for plan in memories()] == [(SCOPE, 1), (SCOPE, 3), ("project:b", 1)]


def test_a_worker_that_dies_while_it_writes_a_plan_loses_nothing_and_doubles_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refund(1)
    refund(2)

    def die(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(evidence, "count_founders", die)
        with pytest.raises(KeyboardInterrupt):
            consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=NOON + timedelta(days=1))
    assert memories() == []
    digested()
    (plan,) = memories()
    assert (plan.performance.successes, plan.evidence.count()) == (2, 2)
    assert digested().counters["episodes_read"] == 0
    assert plan.evidence.count() == 2


def test_a_long_search_for_a_way_is_no_plan() -> None:
    run(["look"] * 31)
    digested()
    assert memories() == []
