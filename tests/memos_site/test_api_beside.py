"""Edits, proposals, tombstones, adaptations, batches and the trail through the API."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from memories.models import Adaptation, Memory, Proposal, Tombstone
from tests.deciding import make_applied, propose
from tests.make import ANNA, AT, bearing, caller, make_agent, make_memory, post

pytestmark = pytest.mark.django_db


def patch(client: APIClient, memory: Memory, status: int = 200, match: str | None = None, **body: Any) -> Any:
    headers = {"If-Match": match} if match else {}
    answer = client.patch(f"/api/v1/memories/{memory.pk}", body, format="json", headers=headers)
    assert answer.status_code == status, answer.content
    return answer


def test_an_edit_needs_the_version_that_it_names_and_answers_the_next(judge: APIClient) -> None:
    memory = make_memory(key="acme-terms", scope="project:a")
    shown = judge.get(f"/api/v1/memories/{memory.pk}")
    answer = patch(judge, memory, match=shown["ETag"], content="Acme pays on net-60 terms", why="new contract")
    assert (answer["ETag"], answer.json()["content"]) == ('"2"', "Acme pays on net-60 terms")
    assert answer.json()["batch"]
    refused = patch(judge, memory, 412, match=shown["ETag"], content="otherwise").json()
    assert (refused["code"], refused["detail"]) == ("precondition_failed", "it has version 2 now")
    assert patch(judge, memory, match="*", content="Acme pays on net-60 terms").json()["batch"] is None
    for said in ('"x"', "2", 'W/"2"'):
        patch(judge, memory, 412, match=said, content="otherwise")


def test_a_decision_too_may_name_the_version_it_is_about(judge: APIClient) -> None:
    memory = make_memory()
    for version, status in (("7", 412), ("1", 200)):
        headers = {"If-Match": f'"{version}"'}
        answer = judge.post(f"/api/v1/memories/{memory.pk}/promote", headers=headers)
        assert answer.status_code == status
    assert answer["ETag"] == '"2"'


def test_a_snooze_of_a_version_that_was_snoozed_since_is_refused(judge: APIClient) -> None:
    address, until = f"/api/v1/memories/{make_memory().pk}/snooze", {"until": "2999-01-01T09:00:00Z"}
    first, second = (judge.post(address, until, format="json", headers={"If-Match": '"1"'}) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 412)
    assert Memory.objects.get().version == 2


@pytest.mark.parametrize("verb", ["accept", "reject"])
def test_a_decision_on_a_proposal_may_name_the_version_of_its_memory(judge: APIClient, verb: str) -> None:
    address = f"/api/v1/proposals/{propose(make_memory(status='confirmed')).pk}/{verb}"
    assert judge.post(address, headers={"If-Match": '"7"'}).json()["code"] == "precondition_failed"
    assert Proposal.objects.open().exists()
    assert judge.post(address, headers={"If-Match": '"1"'}).status_code == 200


def test_an_agent_changes_its_own_and_proposes_what_is_not() -> None:
    agent, token = make_agent("P01")
    own = make_memory(created_by="P01", created_by_id=agent.trust.actor.identity)
    other = make_memory("Acme is a customer")
    client = bearing(token)
    assert patch(client, own, tags=["billing"]).json()["tags"] == ["billing"]
    proposed = patch(client, other, 202, content="Acme is no customer any more").json()
    assert (proposed["content"], proposed["version"]) == ("Acme is a customer", 1)
    asked = client.get(f"/api/v1/proposals/{proposed['proposal']}").json()
    assert (asked["decision"], asked["memory"], asked["made_by"]) == (None, str(other.pk), "P01")
    assert asked["change"] == {"verb": "edit", "content": "Acme is no customer any more"}
    assert patch(caller(permissions=["read"]), other, 403, tags=["x"]).json()["code"] == "not_allowed"


def test_a_wrong_edit_names_its_fields_and_changes_nothing(judge: APIClient) -> None:
    memory = make_memory()
    refused = patch(judge, memory, 400, category="rule", content="").json()
    assert {wrong["pointer"] for wrong in refused["errors"]} == {"/category", "/content"}
    assert Memory.objects.get().version == 1


@pytest.mark.parametrize(
    ("verb", "facts", "body", "after"),
    [
        ("demote", {"status": "applied"}, {}, ("candidate", "fixed")),
        ("demote", {"status": "applied"}, {"to": "confirmed"}, ("confirmed", "fixed")),
        ("pin", {}, {"pinned": True}, ("candidate", "")),
        ("snooze", {}, {"until": "2999-01-01T09:00:00Z"}, ("candidate", "")),
    ],
)
def test_each_verb_answers_the_memory_with_a_batch_that_undoes_it(
    judge: APIClient, verb: str, facts: Any, body: Any, after: tuple[str, str]
) -> None:
    memory = make_memory(**facts)
    before = Memory.objects.values().get()
    shown = post(judge, f"memories/{memory.pk}/{verb}", **body)
    assert Memory.objects.values_list("status", "hold").get() == after
    assert shown["version"] == 2
    post(judge, f"audit/{shown['batch']}/undo")
    moved = {"version", "updated_at", "salience", "fades_at", "salience_at"}
    assert {k: v for k, v in Memory.objects.values().get().items() if k not in moved} == {
        k: v for k, v in before.items() if k not in moved
    }


@pytest.mark.parametrize(
    ("verb", "body", "pointer"),
    [
        ("promote", {"to": "candidate"}, "/to"),
        ("demote", {"to": "applied"}, "/to"),
        ("pin", {"pinned": "yes"}, "/pinned"),
        ("snooze", {}, "/until"),
        ("snooze", {"until": "2020-01-01T00:00:00Z"}, "/until"),
        ("snooze", {"until": "tomorrow"}, "/until"),
        ("dismiss", {"reason": 7}, "/reason"),
    ],
)
def test_a_verb_names_what_it_cannot_take(judge: APIClient, verb: str, body: Any, pointer: str) -> None:
    refused = post(judge, f"memories/{make_memory().pk}/{verb}", 400, **body)
    assert refused["errors"][0]["pointer"] == pointer
    assert Memory.objects.get().version == 1


def test_a_proposal_is_accepted_or_rejected_once(judge: APIClient) -> None:
    memory = make_memory(status="confirmed")
    shown = post(judge, f"proposals/{propose(memory).pk}/accept", why="the contract says so")
    assert (shown["decision"], shown["decided_by"]) == ("accepted", "judge")
    assert Memory.objects.get().content == "Acme pays on net-60 terms"
    assert "is accepted by judge" in post(judge, f"proposals/{shown['id']}/reject", 409)["detail"]
    post(judge, f"audit/{shown['batch']}/undo")
    assert Memory.objects.get().content == memory.content
    assert post(judge, f"proposals/{shown['id']}/reject")["decision"] == "rejected"


def test_the_inbox_shows_proposals_among_what_waits(judge: APIClient) -> None:
    make_memory("a candidate")
    proposal = propose(make_memory("believed", status="confirmed"))
    shown = judge.get("/api/v1/inbox").json()["results"]
    assert [item["kind"] for item in shown] == ["revision", "semantic"]
    assert shown[0]["proposal"]["id"] == str(proposal.pk)
    assert shown[0]["why"] == "anna may not do this alone. “new contract”"
    first = judge.get("/api/v1/inbox?limit=1").json()
    [second] = judge.get(first["next"]).json()["results"]
    assert second["memory"]["id"] == shown[1]["memory"]["id"]
    assert [item["kind"] for item in judge.get("/api/v1/inbox?kind=revision").json()["results"]] == ["revision"]


def test_tombstones_are_listed_with_their_hits_and_lifted(judge: APIClient) -> None:
    memory = make_memory(key="acme-terms", scope="project:a")
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    Tombstone.objects.all().hit(at=AT)
    [shown] = judge.get("/api/v1/tombstones?active=true&scope=project:a").json()["results"]
    assert (shown["key"], shown["reason"], shown["hits"], shown["blocks"]) == ("acme-terms", "wrong", 1, True)
    assert post(judge, f"tombstones/{shown['id']}/lift")["lifted_at"]
    assert judge.get("/api/v1/tombstones?active=true").json()["results"] == []
    post(judge, f"tombstones/{shown['id']}/lift", 409)


def test_adaptations_are_listed_and_reverted(judge: APIClient) -> None:
    memory = make_applied()
    [shown] = judge.get("/api/v1/adaptations?active=true").json()["results"]
    assert (shown["memory_id"], shown["plugin"], shown["revert_reason"]) == (str(memory.pk), "P01", None)
    reverted = post(judge, f"adaptations/{shown['id']}/revert", keep_memory=True)
    assert reverted["revert_reason"] == "user_revert"
    assert judge.get("/api/v1/adaptations?active=true").json()["results"] == []
    assert judge.get("/api/v1/adaptations?active=false").json()["results"] == [
        {name: value for name, value in reverted.items() if name != "batch"}
    ]
    post(judge, f"audit/{reverted['batch']}/undo")
    assert Adaptation.objects.active().exists()


def test_many_are_decided_by_their_ids_or_by_a_filter(judge: APIClient) -> None:
    ids = [str(make_memory(f"claim {n}", scope="project:a").pk) for n in range(3)]
    done = post(judge, "memories/bulk", action="promote", ids=[*ids[:2], str(uuid4())])
    assert done["done"] == ids[:2]
    assert [one["code"] for one in done["failed"]] == ["not_found"]
    asked = {"scope": "project:a", "kind": "semantic"}
    done = post(judge, "memories/bulk", action="dismiss", filter=asked, as_of="2999-01-01T00:00:00Z", why="noise")
    assert done["done"] == ids[2:]
    assert post(judge, f"audit/{done['batch']}/undo")["undone"] == ids[2:]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"action": "explode", "ids": [str(uuid4())]}, "/action"),
        ({"action": "promote"}, "/ids"),
        ({"action": "promote", "ids": ["x"]}, "/ids/0"),
        ({"action": "promote", "filter": {}}, "/as_of"),
        ({"action": "promote", "filter": {"colour": "red"}, "as_of": "2999-01-01T00:00:00Z"}, "/filter/colour"),
        ({"action": "promote", "filter": {"kind": "revision"}, "as_of": "2999-01-01T00:00:00Z"}, "/filter/kind"),
        ({"action": "promote", "filter": 7, "as_of": "2999-01-01T00:00:00Z"}, "/filter"),
        ({"action": "promote", "filter": {}, "ids": [str(uuid4())]}, "/filter"),
    ],
)
def test_a_batch_names_what_it_cannot_take(judge: APIClient, body: Any, pointer: str) -> None:
    assert post(judge, "memories/bulk", 400, **body)["errors"][0]["pointer"] == pointer


def test_the_trail_of_everything_by_batch_action_and_actor(judge: APIClient) -> None:
    memory = make_memory()
    batch = post(judge, f"memories/{memory.pk}/promote")["batch"]
    memory.refresh_from_db()
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    for query in (f"batch={batch}", "action=promote", "actor=judge", f"subject={memory.pk}&action=promote"):
        [entry] = judge.get(f"/api/v1/audit?{query}").json()["results"]
        assert (entry["action"], entry["actor"], entry["subject"]["id"]) == ("promote", "judge", str(memory.pk))
    assert judge.get("/api/v1/audit?batch=x").status_code == 400


def test_without_review_nothing_of_this_is_decided() -> None:
    memory = make_applied()
    proposal, adaptation = propose(memory), Adaptation.objects.get()
    make_memory("gone").dismiss(by=ANNA, why="wrong", at=AT)
    client = caller(permissions=["read", "ingest", "report", "skills"])
    paths = [
        *(f"memories/{memory.pk}/{verb}" for verb in ("demote", "pin", "snooze")),
        *(f"proposals/{proposal.pk}/{verb}" for verb in ("accept", "reject")),
        f"tombstones/{Tombstone.objects.get().pk}/lift",
        f"adaptations/{adaptation.pk}/revert",
        "memories/bulk",
    ]
    for path in paths:
        post(client, path, 403)
    assert client.get("/api/v1/tombstones").status_code == 403
    assert Proposal.objects.open().exists()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["newer", "older"]),
        ("decision=open", ["newer"]),
        ("decision=rejected", ["older"]),
        ("decision=open,rejected", ["newer", "older"]),
        ("decision=accepted", []),
        ("kind=revision", ["newer", "older"]),
        ("kind=failing,merge", []),
        ("made_by=anna", ["newer", "older"]),
        ("made_by=P01", []),
        ("scope=project:a", ["newer"]),
    ],
)
def test_proposals_are_listed_newest_first(judge: APIClient, query: str, found: list[str]) -> None:
    older, newer = (propose(make_memory(scope=scope)) for scope in ("", "project:a"))
    Proposal.objects.filter(pk=newer.pk).update(opened_at=AT + timedelta(days=1))
    older.decide(Proposal.Decision.REJECTED, by=ANNA, at=AT)
    names = {str(older.pk): "older", str(newer.pk): "newer"}
    rows = judge.get(f"/api/v1/proposals?{query}").json()["results"]
    assert [names[row["id"]] for row in rows] == found
    assert [row["id"] for row in judge.get(f"/api/v1/proposals?memory={newer.memory_id}").json()["results"]] == [
        str(newer.pk)
    ]


def test_a_proposal_that_may_not_be_seen_is_in_no_list(judge: APIClient) -> None:
    propose(make_memory(scope="project:b"))
    shown = propose(make_memory(scope="project:a"))
    rows = caller(permissions=["read"], scopes=["project:a"]).get("/api/v1/proposals").json()["results"]
    assert [row["id"] for row in rows] == [str(shown.pk)]
    assert caller(permissions=["ingest"]).get("/api/v1/proposals").status_code == 403
    assert judge.get("/api/v1/proposals?memory=x").json()["errors"][0]["code"] == "not_an_id"
