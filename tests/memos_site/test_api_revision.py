"""Revision through the API: what each verb answers, what it refuses, and how it is undone."""

from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from memories.models import Agent, Memory, Relation, Tombstone
from tests.make import ANNA, AT, bearing, caller, make_agent, make_memory, make_run, make_skill

pytestmark = pytest.mark.django_db
BASE = "/api/v1/memories"
NEW = {
    "content": "Acme pays on net-60 terms",
    "payload": {"evidence": [{"source_type": "mail", "source_id": "m-1", "timestamp": "2026-03-01T12:00:00Z"}]},
}
BODIES: dict[str, dict[str, Any]] = {
    "supersede": {"memory": NEW},
    "fork": {"memory": NEW},
    "contest": {"ref": "paid after 58 days"},
    "retract": {},
}


@pytest.fixture
def bot() -> tuple[Agent, APIClient]:
    agent, token = make_agent("P01", clearance=1)
    return agent, bearing(token)


@pytest.fixture
def judge() -> APIClient:
    return caller(name="judge", permissions=["read", "review"])


def mine(agent: Agent, content: str = "Acme pays on net-30 terms", **facts: Any) -> Memory:
    return make_memory(content, **{"created_by": agent.name, "created_by_id": agent.trust.actor.identity} | facts)


def revise(client: APIClient, path: str, status: int, headers: Any = None, **body: Any) -> Any:
    body = {name: value for name, value in ({"rationale": "because"} | body).items() if value is not None}
    answer = client.post(f"{BASE}/{path}", body, format="json", headers=headers or {})
    assert answer.status_code == status, answer.content
    return answer.json()


def test_supersede_answers_the_new_memory_and_both_can_be_read(bot: tuple[Agent, APIClient]) -> None:
    agent, client = bot
    old = mine(agent, key="acme-terms")
    new = revise(client, f"{old.pk}/supersede", 201, memory=NEW)
    assert (new["content"], new["key"], new["status"]) == (NEW["content"], "acme-terms", "candidate")
    shown = client.get(f"{BASE}/{old.pk}?include=relations,history").json()
    assert (shown["status"], shown["payload"]["revision"]["superseded_by"]) == ("superseded", new["id"])
    relation = {"source": new["id"], "predicate": "supersedes", "target": str(old.pk), "weight": 1.0}
    for memory_id in (new["id"], str(old.pk)):
        assert client.get(f"{BASE}/{memory_id}/relations").json()["results"] == [relation]
    assert (shown["history"][-1]["batch"], shown["history"][-1]["rationale"]) == (new["batch"], "because")
    assert client.get(f"{BASE}/{new['id']}/evidence").json()["results"][0]["kind"] == "created"


def test_who_corrects_its_own_confirmed_fact_finds_the_new_words_at_once(bot: tuple[Agent, APIClient]) -> None:
    _agent, client = bot
    said = {"key": "acme-terms", "category": "fact", "content": "Acme pays on net-30 terms", "source": "P01"}
    body = {**said, "confidence": 70}
    old = client.post(BASE, body, format="json").json()["memory"]
    assert old["status"] == "confirmed"
    new = revise(client, f"{old['id']}/supersede", 201, memory=NEW)
    assert (new["status"], new["confidence"]) == ("confirmed", 70)
    found = client.post("/api/v1/search", {"query": "on which terms does Acme pay?"}, format="json").json()["results"]
    assert [one["memory"]["id"] for one in found] == [new["id"]]


@pytest.mark.parametrize(
    ("verb", "status", "old", "new"),
    [
        ("supersede", 201, "superseded", "candidate"),
        ("fork", 201, "candidate", "candidate"),
        ("contest", 200, "contested", "contested"),
        ("retract", 200, "retracted", "retracted"),
    ],
)
def test_every_verb_answers_how_it_stands_and_is_undone_by_its_batch(
    bot: tuple[Agent, APIClient], judge: APIClient, verb: str, status: int, old: str, new: str
) -> None:
    agent, client = bot
    memory = mine(agent)
    shown = revise(client, f"{memory.pk}/{verb}", status, **BODIES[verb])
    memory.refresh_from_db()
    assert (memory.status, shown["status"]) == (old, new)
    assert judge.post(f"/api/v1/audit/{shown['batch']}/undo").status_code == 200
    memory.refresh_from_db()
    assert (memory.status, Memory.objects.live().count(), Relation.objects.count()) == ("candidate", 1, 0)


@pytest.mark.parametrize("ref", [{}, {"ref": ""}, {"ref": "  "}, {"ref": None}])
def test_a_contest_without_a_reference_has_no_relation_and_no_evidence(
    bot: tuple[Agent, APIClient], ref: dict[str, Any]
) -> None:
    agent, client = bot
    memory = mine(agent, status="confirmed")
    body = {"rationale": "I doubt it", **ref}
    shown = client.post(f"{BASE}/{memory.pk}/contest", body, format="json").json()
    assert (shown["status"], Relation.objects.count(), memory.evidence.count()) == ("contested", 0, 0)
    other = make_memory("another's")
    proposed = client.post(f"{BASE}/{other.pk}/contest", body, format="json")
    assert (proposed.status_code, other.proposals.get().change) == (202, {"verb": "contest", "rationale": "I doubt it"})


def test_merge_answers_the_one_that_they_became(bot: tuple[Agent, APIClient]) -> None:
    agent, client = bot
    ids = [str(mine(agent, name, tags=[name]).pk) for name in ("a", "b", "c")]
    shown = revise(client, "merge", 201, ids=ids, memory={"content": "abc"})
    assert (shown["tags"], set(Memory.objects.filter(pk__in=ids).values_list("status", flat=True))) == (
        ["a", "b", "c"],
        {"superseded"},
    )
    predicates = [row["predicate"] for row in client.get(f"{BASE}/{ids[0]}/relations").json()["results"]]
    assert predicates == ["merged_into"]
    assert revise(client, "merge", 404, ids=[shown["id"], str(uuid4())], memory={"content": "x"})


@pytest.mark.parametrize("verb", list(BODIES))
def test_of_what_is_anothers_a_proposal_is_answered(bot: tuple[Agent, APIClient], verb: str) -> None:
    memory = make_memory(status="confirmed")
    shown = revise(bot[1], f"{memory.pk}/{verb}", 202, **BODIES[verb])
    proposal = memory.proposals.get()
    assert (shown["id"], shown["status"], shown["proposal"]) == (str(memory.pk), "confirmed", str(proposal.pk))


def test_of_what_one_agent_proposes_for_a_memory_the_last_word_is_asked_about(bot: tuple[Agent, APIClient]) -> None:
    memory, other = make_memory(status="confirmed"), bearing(make_agent("P02", clearance=1)[1])
    revise(other, f"{memory.pk}/supersede", 202, memory=NEW)
    for n in range(5):
        revise(bot[1], f"{memory.pk}/retract", 202, rationale=f"because of {n}")
    asked = [(proposal.made_by, proposal.why) for proposal in memory.proposals.open().order_by("opened_at")]
    assert asked == [("P02", "because"), ("P01", "because of 4")]
    assert memory.proposals.count() == 6


@pytest.mark.parametrize("verb", list(BODIES))
def test_a_revision_says_why(bot: tuple[Agent, APIClient], verb: str) -> None:
    memory = mine(bot[0])
    for rationale in (None, "", "  ", "x" * 2001):
        refused = revise(bot[1], f"{memory.pk}/{verb}", 400, **{**BODIES[verb], "rationale": rationale})
        assert [error["pointer"] for error in refused["errors"]] == ["/rationale"]
    assert Memory.objects.get().version == 1


def test_the_texts_that_were_agreed(bot: tuple[Agent, APIClient], judge: APIClient) -> None:
    episode, memory, skill = make_run(), mine(bot[0]), make_skill()
    immutable = "episodic memory is immutable and cannot be revised"
    for verb, body in BODIES.items():
        assert revise(bot[1], f"{episode.pk}/{verb}", 409, **body)["detail"] == immutable
    refused = revise(bot[1], f"{memory.pk}/supersede", 400, memory={"content": "x"})
    assert refused["detail"] == "semantic revision requires evidence"
    assert "propose a version" in revise(judge, f"{skill.pk}/supersede", 409, memory={"content": "x"})["detail"]
    category = {"memory": {**NEW, "category": "rule"}}
    assert revise(bot[1], f"{memory.pk}/supersede", 400, **category)["detail"] == (
        "Invalid category: must be one of preference, pattern, fact, contact, workflow"
    )


def test_what_cannot_be_seen_is_404_another_scope_403_and_what_is_retracted_409(bot: tuple[Agent, APIClient]) -> None:
    agent, client = bot
    secret, retracted = mine(agent, sensitivity=3), mine(agent, status="retracted")
    for verb, body in BODIES.items():
        revise(client, f"{secret.pk}/{verb}", 404, **body)
        revise(client, f"{uuid4()}/{verb}", 404, **body)
    revise(client, f"{mine(agent).pk}/supersede", 403, memory={**NEW, "scope": "project:beta"})
    refused = revise(client, f"{retracted.pk}/contest", 409, ref="x")
    assert {"retracted", "contested"} <= set(refused["detail"].replace(":", "").split())


def test_a_reader_revises_nothing() -> None:
    memory = make_memory()
    for verb, body in BODIES.items():
        revise(caller(permissions=["read"]), f"{memory.pk}/{verb}", 403, **body)


def test_the_same_request_twice_is_done_once(bot: tuple[Agent, APIClient]) -> None:
    memory = mine(bot[0])
    first, again = (
        revise(bot[1], f"{memory.pk}/fork", 201, memory=NEW, headers={"Idempotency-Key": "k1"}) for _ in range(2)
    )
    assert first == again
    assert Memory.objects.count() == 2


def test_a_suppressed_try_is_counted_also_with_an_idempotency_key(bot: tuple[Agent, APIClient]) -> None:
    make_memory(str(NEW["content"]), category="fact").dismiss(by=ANNA, why="wrong", at=AT)
    memory = mine(bot[0])
    refused = revise(bot[1], f"{memory.pk}/supersede", 409, memory=NEW, headers={"Idempotency-Key": "k1"})
    assert (refused["code"], Tombstone.objects.get().hits) == ("dismissed", 1)
    assert Memory.objects.get(pk=memory.pk).version == 1


def test_what_is_superseded_or_retracted_is_not_listed_by_default(bot: tuple[Agent, APIClient]) -> None:
    agent, client = bot
    old, gone = mine(agent, status="confirmed"), mine(agent, "gone", status="confirmed")
    new = revise(client, f"{old.pk}/supersede", 201, memory={**NEW, "confidence": 140})
    revise(client, f"{gone.pk}/retract", 200)
    assert [row["id"] for row in client.get(BASE).json()["results"]] == [new["id"]]
    assert new["confidence"] == 100
    assert client.get(f"{BASE}/{gone.pk}").json()["status"] == "retracted"
