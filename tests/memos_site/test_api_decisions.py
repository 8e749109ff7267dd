"""Decisions through the API: who has `review` promotes, dismisses, restores and undoes; a faster one is named."""

from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from memories.models import AuditEntry, Memory
from skills.models import Skill, SkillVersion
from tests.make import ANNA, AT, caller, make_memory, make_run, make_skill, make_version

pytestmark = pytest.mark.django_db


def decide(client: APIClient, memory: Memory, verb: str, status: int = 200, **body: Any) -> Any:
    answer = client.post(f"/api/v1/memories/{memory.pk}/{verb}", body, format="json")
    assert answer.status_code == status, answer.content
    return answer.json()


def undo(client: APIClient, batch: str, status: int = 200) -> Any:
    answer = client.post(f"/api/v1/audit/{batch}/undo")
    assert answer.status_code == status, answer.content
    return answer.json()


@pytest.mark.parametrize(
    ("verb", "body", "status", "confidence"),
    [
        ("promote", {}, "confirmed", 60),
        ("promote", {"to": "applied", "why": "seen it"}, "applied", 80),
        ("dismiss", {"reason": "wrong"}, "dismissed", 20),
        ("dismiss", {"why": "it is stale"}, "dismissed", 20),
    ],
)
def test_a_decision_answers_the_memory_as_it_now_stands(
    judge: APIClient, verb: str, body: Any, status: str, confidence: int
) -> None:
    memory = make_memory()
    shown = decide(judge, memory, verb, **body)
    assert (shown["id"], shown["status"], shown["confidence"]) == (str(memory.pk), status, confidence)
    entry = AuditEntry.objects.exclude(subject_kind="agent").get()
    assert (entry.actor, entry.actor_kind, entry.action) == ("judge", "agent", verb)
    assert (str(entry.batch_id), entry.rationale) == (shown["batch"], body.get("reason", body.get("why", "")))


def test_a_restored_memory_waits_again(judge: APIClient) -> None:
    assert decide(judge, make_memory(status="dismissed"), "restore")["status"] == "candidate"


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": "  "}])
def test_a_dismissal_says_why(judge: APIClient, body: Any) -> None:
    refused = decide(judge, make_memory(), "dismiss", 400, **body)
    assert refused["errors"][0]["pointer"] == "/reason"


def test_of_two_decisions_the_second_is_told_the_state_and_who(judge: APIClient) -> None:
    memory = make_memory()
    decide(judge, memory, "dismiss", reason="wrong")
    refused = decide(caller(permissions=["review"]), memory, "promote", 409)
    assert (
        refused["detail"]
        == "cannot promote a memory that is dismissed (dismiss by judge): it does not become confirmed"
    )
    assert AuditEntry.objects.exclude(subject_kind="agent").count() == 1


def test_undo_and_undo_of_undo(judge: APIClient) -> None:
    memory = make_memory()
    batch = decide(judge, memory, "promote")["batch"]
    undone = undo(judge, batch)
    assert (undone["undone"], undone["refused"]) == ([str(memory.pk)], [])
    assert Memory.objects.values_list("status", "confidence", "hold").get() == ("candidate", 20, "")
    redone = undo(judge, undone["batch"])
    assert Memory.objects.values_list("status", "confidence", "hold").get() == ("confirmed", 60, "floor")
    undo(judge, batch, 409)
    undo(judge, redone["batch"])
    assert Memory.objects.get().status == "candidate"


def test_undo_after_a_later_decision_is_refused(judge: APIClient) -> None:
    memory = make_memory()
    batch = decide(judge, memory, "promote")["batch"]
    decide(judge, memory, "dismiss", reason="wrong")
    assert "changed since and is dismissed now (dismiss by judge)" in undo(judge, batch, 409)["detail"]


def test_a_reason_that_many_refusals_share_is_told_once(judge: APIClient) -> None:
    body = {"action": "dismiss", "ids": [str(make_memory(text).pk) for text in ("tea", "coffee")], "why": "wrong"}
    batch = judge.post("/api/v1/memories/bulk", body, format="json").json()["batch"]
    undo(judge, batch)
    assert undo(judge, batch, 409)["detail"] == "cannot undo: it was undone before; to redo it, undo that undo"


def test_what_only_happened_cannot_be_undone(judge: APIClient) -> None:
    make_run()
    make_skill(published=False)
    for entry in AuditEntry.objects.exclude(subject_kind="agent"):
        undo(judge, str(entry.batch_id), 409)


def test_an_unknown_batch_or_memory_is_404(judge: APIClient) -> None:
    undo(judge, str(uuid4()), 404)
    for verb in ("promote", "dismiss", "restore"):
        assert judge.post(f"/api/v1/memories/{uuid4()}/{verb}").status_code == 404


def test_promoting_a_skill_publishes_its_version_and_undo_takes_it_back(judge: APIClient) -> None:
    skill = make_skill(published=False)
    batch = decide(judge, skill.memory, "promote")["batch"]
    assert SkillVersion.objects.get().status == "published"
    assert Memory.objects.get().payload["skill"]["version"] == 1
    undone = undo(judge, batch)
    assert (SkillVersion.objects.get().status, Memory.objects.get().status) == ("proposed", "candidate")
    assert "skill" not in Memory.objects.get().payload
    undo(judge, undone["batch"])
    assert (SkillVersion.objects.get().status, Memory.objects.get().status) == ("published", "confirmed")


def test_a_new_version_of_a_published_skill_replaces_it_and_undo_brings_the_old_one_back(judge: APIClient) -> None:
    skill = make_skill()
    make_version(skill, description="Books a flight in two steps")
    batch = decide(judge, skill.memory, "promote")["batch"]
    assert statuses(skill) == {1: "retired", 2: "published"}
    undo(judge, batch)
    assert statuses(skill) == {1: "published", 2: "proposed"}


def statuses(skill: Skill) -> dict[int, str]:
    return dict(SkillVersion.objects.filter(skill=skill).values_list("number", "status"))


NEW_VERSION = "Uploaded. Agents use version 1 until this one is published."


def test_the_inbox_holds_what_waits_and_says_why(judge: APIClient) -> None:
    candidate, contested = make_memory("a"), make_memory("b", status="contested")
    for status in ("confirmed", "applied", "dismissed", "superseded", "retracted"):
        make_memory(status=status)
    make_run()
    updated = make_skill()
    make_version(updated, description="Otherwise")
    items = judge.get("/api/v1/inbox").json()["results"]
    about = {item.get("memory", {}).get("id") or item["version"]["memory_id"]: item for item in items}
    assert {pk: (item["kind"], item["why"]) for pk, item in about.items()} == {
        str(candidate.pk): (
            "semantic",
            "Reported by P01; nothing else supports it yet. Confirmed automatically once it is reported 3 more times.",
        ),
        str(contested.pk): ("semantic", "It is contested: is it still true?"),
        str(updated.pk): ("version", NEW_VERSION),
    }
    assert about[str(updated.pk)]["version"]["number"] == 2


def test_the_inbox_of_one_kind_or_scope(judge: APIClient) -> None:
    make_memory(scope="project:a")
    make_skill(published=False)
    for query, number in (("kind=competence", 1), ("kind=semantic", 1), ("scope=project:a", 1), ("kind=plan_graph", 0)):
        assert len(judge.get(f"/api/v1/inbox?{query}").json()["results"]) == number
    for query in ("kind=banana", "kind=semantic,competence"):
        assert judge.get(f"/api/v1/inbox?{query}").status_code == 400


def test_an_agent_without_review_changes_nothing() -> None:
    memory = make_memory()
    entry = memory.promote(by=ANNA, at=AT)
    client = caller(permissions=["read", "ingest", "report", "skills"])
    for path in (f"memories/{memory.pk}/dismiss", f"memories/{memory.pk}/restore", f"audit/{entry.batch_id}/undo"):
        assert client.post(f"/api/v1/{path}", {"reason": "wrong"}, format="json").status_code == 403
    assert Memory.objects.get().version == 2


def test_a_proposed_version_is_rejected_with_a_reason(judge: APIClient) -> None:
    skill = make_skill()
    make_version(skill, description="Books two flights")
    path = "/api/v1/skills/book_flight/versions/2/reject"
    assert caller(permissions=["read"]).post(path, {"reason": "wrong"}, format="json").status_code == 403
    refused = judge.post(path, {}, format="json")
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/reason")
    shown = judge.post(f"{path}?scope=", {"reason": "wrong", "why": "one is enough"}, format="json").json()
    assert (shown["number"], shown["status"]) == (2, "rejected")
    assert AuditEntry.objects.filter(batch_id=shown["batch"], rationale="wrong: one is enough").count() == 2
    again = judge.post(path, {"reason": "wrong"}, format="json")
    assert (again.status_code, again.json()["detail"]) == (409, "cannot reject version 2: it is rejected")
    assert judge.post(path.replace("2", "9"), {"reason": "wrong"}, format="json").status_code == 404
    undo(judge, shown["batch"])
    assert skill.versions.get(number=2).status == "proposed"
