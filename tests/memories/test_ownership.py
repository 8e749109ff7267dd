"""Whose a row is says an identity that nobody else has, and not the name, which others may share."""

import pytest

from memories.lifecycle.ownership import is_own
from memories.models import Evidence, Memory, Tombstone
from memories.values.choices import ActorKind
from memories.values.trust import SYSTEM, Actor, Trust
from tests.make import ANNA, AT, bearing, caller, make_agent, make_memory, make_run

pytestmark = pytest.mark.django_db
OBSERVED = {"source": "ci", "subject": "user", "predicate": "prefers_language"}
KINDS = ("observations", "events", "working-states")


def test_whatever_a_token_brings_in_is_its_own() -> None:
    agent, token = make_agent()
    bodies = ({**OBSERVED, "object": "Go"}, {"event_kind": "a", "ref": "b"}, {"thread_id": "t", "state": "done"})
    for kind, body in zip(KINDS, bodies, strict=True):
        assert bearing(token).post(f"/api/v1/{kind}", {"source": "ci", **body}, format="json").status_code == 201
    assert set(Memory.objects.values_list("created_by_id", flat=True)) == {f"agent:{agent.pk}"}
    assert all(is_own(memory, agent.trust) for memory in Memory.objects.all())


@pytest.mark.parametrize("owner", [ANNA, SYSTEM, Actor(ActorKind.SYSTEM, "import")], ids=lambda actor: actor.name)
def test_an_agent_with_the_name_of_somebody_else_owns_nothing_of_theirs(owner: Actor) -> None:
    episode = make_run(trust=Trust(owner))
    agent, token = make_agent(owner.name)
    assert not is_own(episode, agent.trust)
    ended = {"source": "ci", "target_record_id": episode.pk, "outcome_status": "failure"}
    assert bearing(token).post("/api/v1/outcomes", ended, format="json").status_code == 403


def test_evidence_of_another_of_the_same_name_makes_it_shared() -> None:
    agent, _ = make_agent("anna")
    memory = make_memory(created_by="anna", created_by_id=agent.trust.actor.identity)
    assert is_own(memory, agent.trust)
    other = {"made_by": "anna", "made_by_id": "person:1"}
    Evidence.objects.create(memory=memory, occasion="x", kind="reinforced", at=AT, **other)
    assert not is_own(memory, agent.trust)


def test_a_token_may_have_a_limit_of_its_own() -> None:
    statuses: dict[int | None, list[int]] = {limit: [] for limit in (2, 0, None)}
    for limit, seen in statuses.items():
        client = caller(requests_per_minute=limit)
        seen += [client.get("/api/v1/me").status_code for _ in range(3)]
    assert statuses == {2: [200, 200, 429], 0: [200] * 3, None: [200] * 3}


@pytest.mark.parametrize(
    ("facts", "blocks"), [({}, False), ({"created_by_id": "agent:2"}, True), ({"hold": "floor"}, True)]
)
def test_what_a_reviewing_token_forgets_of_others_is_not_stored_again_and_what_it_made_alone_may_be(
    facts: dict[str, str], blocks: bool
) -> None:
    reviewer = caller(permissions=["ingest", "review"])
    claim = {"key": "acme-tea", "category": "fact", "content": "Acme drinks tea", "source": "ci"}
    reviewer.post("/api/v1/memories", claim, format="json")
    Memory.objects.update(**facts)
    assert reviewer.delete(f"/api/v1/memories/{Memory.objects.get().pk}").status_code == 200
    assert Tombstone.objects.get().blocks == blocks
    again = caller().post("/api/v1/memories", claim, format="json").json()
    assert (again["created"], again["suppressed"]) == (not blocks, blocks)
