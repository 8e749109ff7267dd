"""DELETE with its receipt, erase, and the moves of salience, as a caller meets them."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from memories.models import AuditEntry, Evidence, Memory, Relation, Tombstone
from memories.values.choices import ActorKind, DeletionPolicy, Sensitivity, Status, Type
from memories.values.trust import Actor
from tests.make import AT, ask, bearing, make_agent, make_memory, make_person, make_run

pytestmark = pytest.mark.django_db
AGENT = Actor(ActorKind.AGENT, "P01")
JSON: Any = {"content_type": "application/json"}
API = "/api/v1/memories"


@pytest.fixture
def mine() -> Any:
    """An agent, and what makes a memory its own."""
    agent, token = make_agent("P01")
    return bearing(token), {"created_by_id": f"agent:{agent.pk}"}


@pytest.fixture
def person(client: Client) -> Any:
    client.force_login(make_person(group="administrator"))
    return client


def test_delete_answers_a_receipt_and_history_outlives_it(mine: Any) -> None:
    client, own = mine
    memory = make_memory(**own)
    memory.audit("create", by=AGENT, at=AT, after={"content": memory.content}).save(force_insert=True)
    preview = client.delete(f"{API}/{memory.pk}?dry_run=1")
    answer = client.delete(f"{API}/{memory.pk}")
    assert answer.status_code == preview.status_code == 200
    assert answer.json() == preview.json() == receipt(memory)
    assert client.get(f"{API}/{memory.pk}").status_code == 404
    assert client.get(f"{API}/{memory.pk}/evidence").status_code == 404
    history = client.get(f"{API}/{memory.pk}/history")
    assert [entry["action"] for entry in history.json()["results"]] == ["create", "delete"]
    assert "net-30" not in history.content.decode()
    assert client.delete(f"{API}/{memory.pk}").status_code == 404


def receipt(memory: Memory, **counts: int) -> dict[str, Any]:
    names = ("adaptations_reverted", "relations", "evidence", "events", "skills_withdrawn")
    return {"memory": str(memory.pk), **dict.fromkeys(names, 0), **counts}


def test_what_is_not_ones_own_is_a_403_and_never_a_409(mine: Any, person: Any) -> None:
    client, own = mine
    assert client.delete(f"{API}/{make_memory().pk}").status_code == 403
    never = make_memory(**own, deletion_policy=DeletionPolicy.NEVER)
    for caller in (client, person):
        assert caller.delete(f"{API}/{never.pk}").status_code == 409
    assert Memory.objects.count() == 2


def test_dry_run_takes_a_yes_or_a_no(mine: Any) -> None:
    client, own = mine
    memory = make_memory(**own)
    assert client.delete(f"{API}/{memory.pk}?dry_run=perhaps").json()["errors"][0]["pointer"] == "/dry_run"
    assert client.delete(f"{API}/{memory.pk}?include=history").json()["errors"][0]["code"] == "unknown_parameter"
    assert client.delete(f"{API}/{memory.pk}?dry_run=false").status_code == 200


@pytest.mark.parametrize("query", ["dry_run", "dry_run=", "dry_run=true,true", "dry_run=true&dry_run=false"])
def test_a_dry_run_that_says_neither_yes_nor_no_forgets_nothing(mine: Any, query: str) -> None:
    client, own = mine
    memory = make_memory(**own)
    assert client.delete(f"{API}/{memory.pk}?{query}").json()["errors"][0]["pointer"] == "/dry_run"
    assert client.delete(f"{API}/{memory.pk}?dry_run=true&dry_run=true").json() == receipt(memory)
    assert Memory.objects.filter(pk=memory.pk).exists()


def test_an_episode_goes_with_its_events(mine: Any) -> None:
    client, own = mine
    episode = make_run()
    Memory.objects.update(**own)
    assert client.delete(f"{API}/{episode.pk}").json() == receipt(episode, events=2)
    assert client.get(f"/api/v1/episodes/{episode.pk}/events").status_code == 404


def test_only_an_administrator_erases(mine: Any, person: Any) -> None:
    client, own = mine
    memory = make_memory(key="acme", **own)
    memory.audit("create", by=AGENT, at=AT).save(force_insert=True)
    reviewing = bearing(make_agent(permissions=["read", "review"])[1])
    reviewer = Client()
    reviewer.force_login(make_person("ben"))
    for caller in (client, reviewing, reviewer):
        assert caller.post(f"{API}/{memory.pk}/erase", **JSON).status_code == 403
    assert person.post(f"{API}/{memory.pk}/erase?dry_run=1", **JSON).json() == receipt(memory)
    assert person.post(f"{API}/{memory.pk}/erase", **JSON).json() == receipt(memory)
    for path in ("", "/history"):
        assert person.get(f"{API}/{memory.pk}{path}").status_code == 404
    assert person.post(f"{API}/{memory.pk}/erase", **JSON).status_code == 404
    assert not Tombstone.objects.exists()


def test_reinforce_and_penalize_move_salience_and_nothing_else(mine: Any) -> None:
    client, _ = mine
    memory = make_memory(salience=0.95, salience_at=timezone.now() + timedelta(days=1))
    before: dict[str, Any] = dict(Memory.objects.values().get())
    assert client.post(f"{API}/{memory.pk}/reinforce").json()["salience"] == 1.0
    Memory.objects.update(salience=0.8, salience_at=timezone.now() + timedelta(days=1))
    after = client.post(f"{API}/{memory.pk}/penalize", {"amount": 0.25}, format="json")
    assert after.json()["salience"] == pytest.approx(0.55, abs=1e-6)
    moved = ("salience", "salience_at", "reinforced_at", "fades_at")
    now: dict[str, Any] = dict(Memory.objects.values().get())
    assert {name for name in now if now[name] != before[name]} <= set(moved)
    assert not AuditEntry.objects.about("memory", memory.pk).exists()


def test_the_amount_may_be_said(mine: Any) -> None:
    client, _ = mine
    memory = make_memory(salience=0.2, salience_at=timezone.now() + timedelta(days=1), min_salience=0.1)
    assert move(client, memory, "reinforce", 0.3).json()["salience"] == pytest.approx(0.5)
    assert move(client, memory, "penalize", 10**400).json()["salience"] == 0.1
    assert move(client, memory, "reinforce", 5).json()["salience"] == 1.0


@pytest.mark.parametrize("verb", ["reinforce", "penalize"])
def test_a_rationale_is_taken_and_an_actor_ignored(mine: Any, verb: str) -> None:
    memory, client = make_memory(salience=0.5), mine[0]
    said = {"amount": 0.1, "rationale": "it helped", "actor": {"name": "somebody else"}}
    assert client.post(f"{API}/{memory.pk}/{verb}", said, format="json").status_code == 200
    assert not AuditEntry.objects.about("memory", memory.pk).exists()
    for wrong, pointer in (
        ({"rationale": 7}, "/rationale"),
        ({"rationale": "x" * 2001}, "/rationale"),
        ({"a": 1}, "/a"),
    ):
        refused = client.post(f"{API}/{memory.pk}/{verb}", {"amount": 0.1, **wrong}, format="json")
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, pointer)


def test_an_agent_is_told_why_it_may_not_forget_what_it_made_and_who_can(mine: Any) -> None:
    client, own = mine
    kept = {
        "it is applied": make_memory(key="a", status="applied", **own),
        "a person has decided about it": make_memory(status="confirmed", hold="floor", **own),
        "other agents confirmed it too": make_memory(**own),
        "an agent may forget only what is its own": make_memory(created_by_id="somebody"),
    }
    Evidence.objects.create(
        memory=kept["other agents confirmed it too"],
        occasion="request:1",
        kind="reinforced",
        at=AT,
        made_by_id="b",
        made_by="b",
    )
    for why, memory in kept.items():
        refused = client.delete(f"{API}/{memory.pk}")
        assert (refused.status_code, refused.json()["detail"].startswith(why)) == (403, True)
        assert "a person or a token with the permission review can forget" in refused.json()["detail"]
    assert client.delete(f"{API}/by-key/a").json()["detail"].startswith("it is applied")
    assert bearing(make_agent(permissions=["read", "review"])[1]).delete(f"{API}/by-key/a").status_code == 200


def move(client: APIClient, memory: Memory, verb: str, amount: Any) -> Any:
    return client.post(f"{API}/{memory.pk}/{verb}", {"amount": amount}, format="json")


@pytest.mark.parametrize("verb", ["reinforce", "penalize"])
@pytest.mark.parametrize("amount", ["-0.1", "NaN", "Infinity", "-Infinity", '"0.1"', "true", "[]", "1e999"])
def test_an_amount_that_is_none_is_a_400_and_writes_nothing(mine: Any, verb: str, amount: str) -> None:
    memory = make_memory(salience=0.8)
    before = Memory.objects.values().get()
    answer = ask(mine[0], "POST", f"{API}/{memory.pk}/{verb}", f'{{"amount": {amount}}}'.encode())
    assert answer.status_code == 400
    assert Memory.objects.values().get() == before


def test_a_penalty_without_an_amount_names_it(mine: Any) -> None:
    answer = mine[0].post(f"{API}/{make_memory().pk}/penalize", {}, format="json")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/amount")


def test_what_is_closed_has_no_salience_to_move(mine: Any) -> None:
    memory = make_memory(status=Status.RETRACTED)
    assert move(mine[0], memory, "penalize", 0.1).status_code == 409


def test_experience_of_others_cannot_be_made_to_fade(mine: Any) -> None:
    client, own = mine
    foreign = make_memory(type=Type.WORKING, status=Status.CONFIRMED)
    assert move(client, foreign, "penalize", 1).status_code == 403
    assert move(client, foreign, "reinforce", 1).status_code == 200
    Memory.objects.update(**own)
    assert move(client, foreign, "penalize", 1).status_code == 200


def test_what_may_not_be_seen_or_written_is_not_moved() -> None:
    scoped = bearing(make_agent(scopes=["project:a"], clearance=Sensitivity.LOW)[1])
    for facts, status in (({"sensitivity": 4}, 404), ({"scope": "project:b"}, 404), ({"scope": ""}, 403)):
        assert move(scoped, make_memory(**facts), "reinforce", 0.1).status_code == status


def test_past_its_ttl_a_memory_is_gone_from_every_read_before_any_job(mine: Any, person: Any) -> None:
    client, own = mine
    gone = timezone.now() - timedelta(seconds=1)
    facts: dict[str, Any] = {"status": Status.CONFIRMED, "expires_at": gone, "key": "acme"}
    memory, other = make_memory(**own, **facts), make_memory(status=Status.CONFIRMED)
    Relation.objects.create(source=other, target=memory, predicate="related_to")
    Evidence.objects.create(memory=memory, occasion="request:1", at=AT, kind="created")
    make_memory("waits", expires_at=gone)
    listed = client.get(f"{API}?status=candidate,confirmed").json()["results"]
    assert [row["id"] for row in listed] == [str(other.pk)]
    for path in ("", "/evidence", "/relations"):
        assert client.get(f"{API}/{memory.pk}{path}").status_code == 404
    assert client.get(f"{API}/{other.pk}/relations").json()["results"] == []
    assert person.get("/api/v1/inbox").json()["results"] == []
    assert client.delete(f"{API}/{memory.pk}").status_code == 404
    for verb in ("reinforce", "penalize"):
        assert move(client, memory, verb, 0.1).status_code == 404


def test_a_key_is_forgotten_and_one_that_nobody_has_gets_suggestions(mine: Any) -> None:
    client, own = mine
    for key in ("acme-vip-discount", "acme-terms", "zebra"):
        make_memory(key=key, **own)
    unknown = client.delete(f"{API}/by-key/acme-vip?scope=")
    assert (unknown.status_code, unknown.json()["suggestions"]) == (404, ["acme-vip-discount", "acme-terms"])
    known = Memory.objects.get(key="zebra")
    assert client.delete(f"{API}/by-key/zebra?dry_run=1").json() == receipt(known)
    assert client.delete(f"{API}/by-key/zebra").json() == receipt(known)
    assert client.delete(f"{API}/by-key/zebra").status_code == 404
    assert not Memory.objects.filter(key="zebra").exists()


def test_a_key_names_what_is_live_before_what_was_closed(mine: Any) -> None:
    client, own = mine
    make_memory("was", key="acme", status=Status.SUPERSEDED, updated_at=timezone.now(), **own)
    live = make_memory("is", key="acme", **own)
    assert client.delete(f"{API}/by-key/acme").json()["memory"] == str(live.pk)
    assert client.delete(f"{API}/by-key/acme").status_code == 200


def test_past_its_ttl_a_memory_is_gone_from_every_page(person: Any) -> None:
    gone: dict[str, Any] = {"expires_at": timezone.now() - timedelta(seconds=1)}
    memory, episode = make_memory("it was so", **gone), make_run(title="it was so")
    make_memory("planning", type=Type.WORKING, status=Status.CONFIRMED, thread_id="t1", **gone)
    Memory.objects.update(**gone)
    for path in ("/memories/", "/episodes/", "/"):
        assert "it was so" not in person.get(path).content.decode()
    pages = [f"/memories/{memory.pk}/", f"/memories/{memory.pk}/evidence/", f"/episodes/{episode.pk}/"]
    for path in (*pages, f"/episodes/{episode.pk}/1/text/", "/api/v1/working-states/t1", f"{API}/by-key/acme"):
        assert person.get(path).status_code == 404, path
