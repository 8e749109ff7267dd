"""Claims through the API: stored, taught, whole typed memories, found by key, listed."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from memories.models import Memory, Proposal
from memories.values.choices import Sensitivity
from tests.make import ANNA, AT, answer_of, bearing, caller, make_agent, make_memory, make_person, make_run

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
NOTE: Json = {"key": "acme-terms", "category": "fact", "content": "Acme pays on net-30 terms", "source": "P01"}
PLAN: Json = {
    "plan_id": "refund",
    "intent": "Refund an order",
    "nodes": [{"id": "find"}, {"id": "pay", "op": "refund"}],
    "edges": [{"from": "find", "to": "pay", "kind": "data"}],
}


def store(client: APIClient, body: Json, path: str = "memories") -> Json:
    return answer_of(client, path, **body)


def typed(type: str, payload: Json, **more: Any) -> Json:
    category = {"category": "fact"} if type == "semantic" else {}
    return {"type": type, "payload": payload, "source": "P01", **category, **more}


def test_a_store_answers_201_when_it_is_new_and_200_when_it_was_heard_before() -> None:
    client = caller()
    first, again = store(client, NOTE), store(client, NOTE)
    assert (first["http"], again["http"]) == (201, 200)
    assert {name: first[name] for name in first if name not in ("memory", "http")} == {
        "created": True,
        "reinforced": False,
        "suppressed": False,
        "forgotten": False,
        "reset": False,
        "proposal": None,
        "ignored_fields": [],
        "notice": None,
    }
    assert (first["memory"]["confidence"], first["memory"]["status"], first["memory"]["origin"]) == (
        20,
        "candidate",
        "stored",
    )
    assert (again["reinforced"], again["memory"]["confidence"]) == (True, 35)


def test_an_unknown_category_is_refused_in_these_words() -> None:
    refused = store(caller(), {**NOTE, "category": "rule"})
    assert refused["http"] == 400
    assert refused["detail"] == ("Invalid category: must be one of preference, pattern, fact, contact, workflow")
    assert refused["errors"][0]["pointer"] == "/category"
    assert not Memory.objects.exists()


@pytest.mark.parametrize("blank", [None, "", "  "])
@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("key", "key is required for memory candidates"),
        ("category", "category is required for memory candidates"),
        ("content", "content is required for memory candidates"),
        ("source", "candidate source is required"),
    ],
)
def test_what_a_note_needs_is_named(field: str, said: str, blank: str | None) -> None:
    refused = store(caller(), {**NOTE, field: blank})
    assert (refused["http"], refused["detail"]) == (400, said)


def test_a_suppressed_store_shows_the_memory_as_it_stands() -> None:
    client = caller()
    Memory.objects.get(pk=store(client, NOTE)["memory"]["id"]).dismiss(by=ANNA, why="wrong", at=AT)
    answer = store(client, NOTE)
    assert (answer["http"], answer["suppressed"], answer["memory"]["status"]) == (200, True, "dismissed")


def test_a_claim_that_is_not_changed_by_a_machine_is_answered_with_the_proposal() -> None:
    make_memory(NOTE["content"], key="acme-terms", category="fact", status="confirmed", confidence=90)
    answer = store(caller(), {**NOTE, "content": "Acme pays on net-60 terms"})
    assert (answer["http"], answer["reinforced"], answer["memory"]["content"]) == (202, False, NOTE["content"])
    assert answer["proposal"] == str(Proposal.objects.get().pk)


def test_a_store_that_meets_a_row_above_the_caller_is_accepted_and_nothing_is_told() -> None:
    make_memory("Acme pays late", key="acme-terms", category="fact", sensitivity=Sensitivity.HIGH)
    answer = store(caller(), NOTE)
    assert answer == {
        "http": 202,
        "memory": None,
        "created": False,
        "reinforced": False,
        "suppressed": False,
        "notice": "accepted",
    }
    assert Memory.objects.get().content == "Acme pays late"


def test_an_own_new_row_above_ones_clearance_is_answered_and_not_read_back() -> None:
    client = caller(clearance=Sensitivity.LOW)
    answer = store(client, {**NOTE, "sensitivity": "high"})
    assert (answer["http"], answer["memory"]["sensitivity"]) == (201, "high")
    assert client.get(f"/api/v1/memories/{answer['memory']['id']}").status_code == 404
    assert client.get("/api/v1/memories/by-key/acme-terms").status_code == 404


@pytest.mark.parametrize("scope", ["beta", "", "global"])
def test_a_token_stores_only_into_its_scopes(scope: str) -> None:
    assert store(caller(scopes=["alpha"]), {**NOTE, "scope": scope})["http"] == 403


def test_what_is_learned_in_an_episode_has_its_scope_and_sensitivity() -> None:
    episode = make_run(scope="alpha", sensitivity="medium")
    answer = store(caller(), {**NOTE, "episode_id": str(episode.pk)})
    assert (answer["memory"]["scope"], answer["memory"]["sensitivity"]) == ("alpha", "medium")


def test_a_triple_has_a_made_key_and_its_words() -> None:
    said = typed("semantic", {"subject": "Acme", "predicate": "pays within", "object": "30 days"}, category="fact")
    client = caller()
    memory = store(client, said)["memory"]
    assert memory["content"] == "Acme pays within 30 days"
    assert memory["key"].startswith("Acme.pays within#")
    assert (memory["type"], memory["status"], memory["payload"]["object"]) == ("semantic", "candidate", "30 days")
    again = store(client, said)
    assert (again["memory"]["id"], again["reinforced"]) == (memory["id"], True)


def test_a_timeboxed_fact_is_listed_only_within_its_time() -> None:
    window = {"mode": "timeboxed", "end": "2020-01-01T00:00:00Z"}
    payload = {"subject": "Acme", "predicate": "is closed", "validity": window}
    client = caller()
    assert store(client, typed("semantic", payload, confidence=90))["memory"]["status"] == "confirmed"
    assert client.get("/api/v1/memories").json()["results"] == []


def test_competences_and_plans_are_candidates_and_never_climb_by_number() -> None:
    client = caller()
    skill = store(
        client, typed("competence", {"skill_name": "refund", "performance": {"success_count": 9}}, confidence=100)
    )
    assert (skill["memory"]["status"], skill["memory"]["payload"]["performance"]["success_count"]) == ("candidate", 0)
    assert skill["ignored_fields"] == ["payload.performance"]
    plan = store(client, typed("plan_graph", {**PLAN, "plan_id": "p1"}, confidence=100))
    assert (plan["memory"]["status"], plan["memory"]["content"]) == ("candidate", "Refund an order")
    assert plan["memory"]["payload"]["edges"] == [{"from": "find", "to": "pay", "kind": "data"}]


def test_another_plan_under_the_key_is_proposed_and_the_same_changes_nothing() -> None:
    client = caller()
    first = store(client, typed("plan_graph", PLAN))["memory"]
    same = store(client, typed("plan_graph", PLAN))
    assert (same["http"], same["memory"]["version"], same["proposal"]) == (200, first["version"], None)
    other = store(client, typed("plan_graph", {**PLAN, "intent": "Refund it twice"}))
    assert other["http"] == 202
    assert Proposal.objects.get().change["verb"] == "supersede"


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"edges": [{"from": "find", "to": "gone"}]}, "/payload/edges/0/to"),
        ({"edges": [{"from": "pay", "to": "pay"}]}, "/payload/edges/0/to"),
        ({"edges": [{"from": "find", "to": "pay"}, {"from": "pay", "to": "find"}]}, "/payload/edges"),
        ({"nodes": [{"id": "find"}, {"id": "find"}], "edges": []}, "/payload/nodes/1/id"),
        ({"nodes": []}, "/payload/nodes"),
        ({"kind": "competence"}, "/payload/kind"),
        ({"plan_id": None}, "/payload/plan_id"),
        ({"nodes": [{"id": 7.5}]}, "/payload/nodes/0/id"),
        ({"steps": []}, "/payload/steps"),
    ],
)
def test_a_plan_that_is_no_graph_to_walk_is_refused_with_the_place(change: Json, pointer: str) -> None:
    refused = store(caller(), typed("plan_graph", PLAN | change))
    assert (refused["http"], refused["errors"][0]["pointer"]) == (400, pointer)
    assert not Memory.objects.exists()


@pytest.mark.parametrize(("type", "where"), [("working", "working-states"), ("episodic", "conversations")])
def test_experience_has_its_own_endpoints(type: str, where: str) -> None:
    refused = store(caller(), typed(type, {}))
    assert (refused["http"], refused["errors"][0]["pointer"]) == (400, "/type")
    assert where in refused["detail"]


def test_teaching_a_double_is_a_409_with_candidates(reviewing_agent: APIClient) -> None:
    client = reviewing_agent
    first = store(client, {"content": NOTE["content"], "key": "acme-terms"}, "memories/teach")
    assert (first["http"], first["memory"]["status"], first["memory"]["times_confirmed"]) == (201, "confirmed", 1)
    asked = store(client, {"content": "Acme pays on net-60 terms"}, "memories/teach")
    assert (asked["http"], asked["code"], asked["candidates"][0]["key"]) == (409, "near_duplicate", "acme-terms")
    [known] = asked["candidates"]
    assert (known["confidence"], known["scope"], known["updated_at"]) == (100, "", first["memory"]["updated_at"])
    both = {"content": "Acme pays on net-60 terms", "key": "acme-terms", "resolve": "separate"}
    assert store(client, both, "memories/teach")["memory"]["key"] == "acme-terms-v2"


def test_teaching_too_little_is_a_400_and_without_review_a_403(reviewing_agent: APIClient) -> None:
    refused = store(reviewing_agent, {"content": "abc"}, "memories/teach")
    assert (refused["http"], refused["detail"]) == (400, "content: needs at least 5 characters")
    assert store(caller(), {"content": "Anna likes tea"}, "memories/teach")["http"] == 403


def test_a_person_teaches_with_her_session() -> None:
    client = Client()
    client.force_login(make_person())
    answer = client.post("/api/v1/memories/teach", {"content": "Anna likes tea"}, content_type="application/json")
    assert (answer.status_code, answer.json()["memory"]["source"]) == (201, "User")


def test_by_key_answers_the_live_memory_else_the_latest_closed_one() -> None:
    old = make_memory("first", key="acme/terms", status="dismissed")
    agent, token = make_agent()
    client = bearing(token)
    found = client.get("/api/v1/memories/by-key/acme/terms")
    assert (found.json()["id"], found["ETag"]) == (str(old.pk), '"1"')
    live = make_memory("second", key="acme/terms")
    assert client.get("/api/v1/memories/by-key/acme/terms?include=history").json()["history"] == []
    row = Memory.objects.get(pk=live.pk)
    assert (row.times_used, Memory.objects.get(pk=old.pk).times_used) == (1, 1)
    assert client.get("/api/v1/memories/by-key/acme/terms?scope=beta").status_code == 404
    assert agent.name


def test_by_company_the_most_certain_come_first_ten_at_a_time() -> None:
    for number in range(12):
        make_memory(f"claim {number}", company_id="acme", status="confirmed", confidence=50 + number)
    page = caller().get("/api/v1/memories?company_id=acme").json()
    assert [row["confidence"] for row in page["results"]] == list(range(61, 51, -1))
    assert page["next"]


def test_the_list_is_filtered_by_words_salience_and_staleness() -> None:
    client = caller()
    store(client, {**NOTE, "confidence": 90})
    make_memory("Faint", key="faint-one", status="confirmed", salience=0.1, idle_since=AT)

    def listed(query: str) -> list[str]:
        return [row["key"] for row in client.get(f"/api/v1/memories?{query}").json()["results"]]

    assert listed("q=paying terms") == ["acme-terms"]
    assert listed("q=faint-o") == ["faint-one"]
    assert listed("min_salience=0.9") == ["acme-terms"]
    assert listed("stale=true") == ["faint-one"]
    assert client.get("/api/v1/memories?min_salience=2").status_code == 400


def test_the_same_idempotency_key_stores_once() -> None:
    client = caller()
    sent = [client.post("/api/v1/memories", NOTE, format="json", headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert [answer.status_code for answer in sent] == [201, 201]
    assert Memory.objects.get().times_confirmed == 0
