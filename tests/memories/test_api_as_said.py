"""What a report says is kept: tags of what joins, a deletion policy, a source; JSON in a text is what it says."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from memories.models import AuditEntry, Event, Memory
from tests.make import answer, bearing, call, caller, make_agent, make_memory
from tests.memories.test_api_reports import WHOLE, report

pytestmark = pytest.mark.django_db
CALL = "tool-outputs"
NOTE = {"key": "acme-terms", "category": "fact", "content": "Acme pays on net-30 terms", "source": "ci"}


def policy(memory: dict[str, Any]) -> str:
    return str(memory["lifecycle"]["deletion_policy"])


def test_what_joins_an_episode_brings_its_tags(agent: APIClient) -> None:
    first = report(agent, "events", thread_id="t1", tags=["a"])
    joined = report(agent, CALL, thread_id="t1", tags=["b", "a"])
    assert (joined["tags"], joined["version"]) == (["a", "b"], first["version"] + 1)
    named = report(agent, "events", episode_id=first["id"], tags=["c"])
    again = report(agent, "events", episode_id=first["id"], tags=["c"])
    ended = report(agent, "outcomes", target_record_id=first["id"], tags=["d"])
    row = Memory.objects.get()
    assert (named["version"], row.tags) == (again["version"], ["a", "b", "c", "d"])
    assert (row.version, ended["tags"]) == (ended["version"], row.tags)


def test_tags_of_one_batch_meet_in_its_episode(agent: APIClient) -> None:
    items = [{"kind": "event", **WHOLE["events"], "thread_id": "t1", "tags": [tag]} for tag in "abca"]
    assert agent.post("/api/v1/batch", {"items": items}, format="json").status_code == 200
    assert Memory.objects.get().tags == ["a", "b", "c"]


def test_tags_for_many_episodes_cost_no_more_statements_than_for_one(agent: APIClient) -> None:
    def batch(threads: int, tag: str) -> int:
        items = [{"kind": "event", **WHOLE["events"], "thread_id": f"t{n}", "tags": [tag]} for n in range(threads)]
        with CaptureQueriesContext(connection) as asked:
            assert agent.post("/api/v1/batch", {"items": items}, format="json").status_code == 200
        return len(asked)

    batch(5, "a")
    assert batch(1, "b") == batch(5, "c")
    assert [sorted(tags) for tags in Memory.objects.order_by("thread_id").values_list("tags", flat=True)] == [
        ["a", "b", "c"],
        *[["a", "c"]] * 4,
    ]


def test_an_episode_has_a_hundred_tags_at_most(agent: APIClient) -> None:
    full = report(agent, "events", thread_id="t1", tags=[f"t{n}" for n in range(100)])
    joined = report(agent, "events", thread_id="t1", tags=["one more"])
    assert (joined["tags"], joined["version"]) == (full["tags"], full["version"])


@pytest.mark.parametrize("said", ["manual_only", "never", "auto_prune"])
@pytest.mark.parametrize("kind", ["events", CALL, "observations", "working-states"])
def test_a_report_says_how_what_it_makes_may_be_deleted(agent: APIClient, kind: str, said: str) -> None:
    assert policy(report(agent, kind, deletion_policy=said)) == said
    refused = report(agent, kind, deletion_policy="sometimes")
    assert (refused["http"], refused["errors"][0]["pointer"]) == (400, "/deletion_policy")


def test_what_is_there_keeps_its_deletion_policy(agent: APIClient) -> None:
    report(agent, "events", thread_id="t1", deletion_policy="manual_only")
    assert policy(report(agent, "events", thread_id="t1", deletion_policy="auto_prune")) == "manual_only"


def test_a_conversation_and_a_store_say_it_too(agent: APIClient) -> None:
    body = {"messages": [call("t"), answer("x")], "deletion_policy": "never", "outcome": "success", "source": "ci"}
    episode = agent.post("/api/v1/conversations", body, format="json").json()["episode"]
    assert (policy(episode), episode["payload"]["environment"]) == ("never", {})
    assert episode["provenance"]["sources"][-1]["created_by"] == "ci"
    stored = agent.post("/api/v1/memories", NOTE | {"deletion_policy": "never"}, format="json").json()
    assert (policy(stored["memory"]), stored["ignored_fields"]) == ("never", [])
    again = agent.post("/api/v1/memories", NOTE | {"deletion_policy": "auto_prune"}, format="json").json()
    assert (policy(again["memory"]), again["ignored_fields"]) == ("never", ["deletion_policy"])


def test_only_a_reviewer_changes_a_deletion_policy_and_it_is_undone() -> None:
    agent, token = make_agent()
    memory = make_memory(created_by=agent.name, created_by_id=agent.trust.actor.identity)
    path = f"/api/v1/memories/{memory.pk}"
    refused = bearing(token).patch(path, {"deletion_policy": "never"}, format="json")
    assert (refused.status_code, refused.json()["detail"]) == (403, "only a reviewer sets a deletion policy")
    assert bearing(token).patch(path, {"deletion_policy": "auto_prune"}, format="json").status_code == 200
    judge = caller(permissions=["read", "review"])
    edited = judge.patch(path, {"deletion_policy": "never"}, format="json").json()
    assert (policy(edited), edited["version"]) == ("never", 2)
    entry = AuditEntry.objects.about("memory", memory.pk).get(action="revise")
    assert (entry.before, entry.after) == ({"deletion_policy": "auto_prune"}, {"deletion_policy": "never"})
    assert judge.delete(path).status_code == 409
    judge.post(f"/api/v1/audit/{edited['batch']}/undo")
    assert judge.delete(path).status_code == 200


@pytest.mark.parametrize("status", ["dismissed", "superseded", "retracted"])
def test_of_a_closed_memory_the_sensitivity_and_deletion_policy_are_edited_and_nothing_else(status: str) -> None:
    agent, token = make_agent()
    mine = {"created_by": agent.name, "created_by_id": agent.trust.actor.identity}
    own, foreign = make_memory(status=status, deletion_policy="never", **mine), make_memory("other", status=status)
    path, judge, owner = f"/api/v1/memories/{own.pk}", caller(permissions=["read", "review"]), bearing(token)
    raised = owner.patch(path, {"sensitivity": "medium"}, format="json")
    assert (raised.status_code, raised.json()["sensitivity"], raised.json()["status"]) == (200, "medium", status)
    assert owner.patch(path, {"sensitivity": "low"}, format="json").status_code == 403
    assert owner.patch(f"/api/v1/memories/{foreign.pk}", {"sensitivity": "medium"}, format="json").status_code == 409
    for more in ({"tags": ["x"]}, {"content": "y", "sensitivity": "low"}):
        assert judge.patch(path, more, format="json").status_code == 409
    assert judge.patch(path, {"sensitivity": "low", "deletion_policy": "auto_prune"}, format="json").status_code == 200
    assert judge.delete(path).status_code == 200


def test_a_person_who_teaches_again_may_set_it() -> None:
    teacher = caller(permissions=["read", "review"])
    lesson = {"content": "Never send proposals on Fridays"}
    for said, stands in (({}, "auto_prune"), ({"deletion_policy": "never"}, "never"), ({}, "never")):
        taught = teacher.post("/api/v1/memories/teach", lesson | said, format="json").json()
        assert policy(taught["memory"]) == stands


@pytest.mark.parametrize("said", ['"Go"', '"\\"Go\\""'])
def test_an_object_in_quotes_is_the_object(agent: APIClient, said: str) -> None:
    go = report(agent, "observations")
    again = report(agent, "observations", object=said)
    assert (again["id"], again["http"], again["confidence"]) == (go["id"], 200, 85)
    typed = {
        "type": "semantic",
        "category": "fact",
        "source": "ci",
        "payload": {"subject": "user", "predicate": "prefers_language"},
    }
    typed["payload"]["object"] = said  # type: ignore[index]
    stored = agent.post("/api/v1/memories", typed, format="json").json()
    assert (stored["memory"]["id"], stored["reinforced"]) == (go["id"], True)


@pytest.mark.parametrize("said", ['"Go', 'say "Go"', '"', '"a" and "b"', "5", '{"a": 1}', '"\\ud800"'])
def test_any_other_text_is_an_object_as_it_is(agent: APIClient, said: str) -> None:
    assert report(agent, "observations", object=said)["payload"]["object"] == said


def test_what_was_stored_under_the_key_of_the_quoted_object_is_met_again(agent: APIClient) -> None:
    go = report(agent, "observations")
    payload = {**go["payload"], "object": '"Go"'}
    Memory.objects.update(key="user.prefers_language#f3f4fc54", payload=payload, content='user prefers_language "Go"')
    again = report(agent, "observations")
    assert (again["id"], again["http"], again["confidence"]) == (go["id"], 200, 85)


def test_arguments_and_results_in_a_text_are_the_objects_they_say_and_the_answer_tells(agent: APIClient) -> None:
    stored = report(agent, CALL, args='{"pattern": "main"}', result=' {"hits": [1]}')
    [node] = stored["payload"]["tool_graph"]
    assert (node["args"], node["result"]) == ({"pattern": "main"}, {"hits": [1]})
    assert stored["notice"] == "args and result: JSON text of an object, kept as that object"
    assert stored["content"] == 'rg {"pattern": "main"}'
    only = report(agent, CALL, args={"a": 1}, result='{"b": 2}')
    assert only["notice"].startswith("result: JSON text")
    batch = agent.post(
        "/api/v1/batch", {"items": [{"kind": "tool_output", **WHOLE[CALL], "args": "{}"}]}, format="json"
    )
    assert batch.json()["results"][0]["memory"]["notice"].startswith("args: JSON text")


@pytest.mark.parametrize("said", ["{main", "[1, 2]", "main {}", '{"a": NaN}', '{"a": 1} and more', "", '"{}"'])
def test_any_other_text_stays_a_text_and_nothing_is_told(agent: APIClient, said: str) -> None:
    stored = report(agent, CALL, args={"a": 1}, result=said)
    assert (Event.objects.get().result, "notice" in stored) == (said, False)


def test_an_outcome_keeps_the_source_that_said_it_and_the_trail_the_agent() -> None:
    agent, token = make_agent()
    client = bearing(token)
    episode = report(client, "events")["id"]
    ended = report(client, "outcomes", target_record_id=episode, source="nightly" + "-" * 400)
    source = ended["provenance"]["sources"][-1]
    assert (ended["http"], source["kind"], source["created_by"]) == (200, "outcome", "nightly" + "-" * 400)
    assert AuditEntry.objects.get(action="outcome").actor == agent.name


def test_an_observation_is_called_that_in_the_provenance(agent: APIClient) -> None:
    [source] = report(agent, "observations")["provenance"]["sources"]
    assert (source["kind"], source["created_by"]) == ("observation", "ci")
