"""Whose a memory is decides whether it is revised or a person is asked; what was dismissed does not come back."""

from typing import Any
from uuid import uuid4

import pytest

from memories.intake import revisions
from memories.models import AuditEntry, Evidence, Memory, Proposal, Tombstone
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, Invalid
from tests.make import ANNA, AT, make_memory
from tests.memories.revising import BOT, EVIDENCE, OTHER, agent, ask, made, own, person, relations

pytestmark = pytest.mark.django_db
LATE = {"content": "Acme pays late", "payload": EVIDENCE}


def foreign(content: str = "Acme pays on net-30 terms", **facts: Any) -> Memory:
    return make_memory(content, **{"created_by": OTHER.name, "created_by_id": OTHER.identity} | facts)


def other_evidence(memory: Memory) -> Memory:
    row = {"occasion": "x", "kind": "supports", "made_by": OTHER.name, "made_by_id": OTHER.identity, "at": AT}
    Evidence.objects.create(memory=memory, **row)
    return memory


@pytest.mark.parametrize("verb", ["supersede", "fork", "contest", "retract"])
@pytest.mark.parametrize(
    "memory",
    [
        foreign,
        lambda: foreign(created_by=BOT.name),
        lambda: own(hold="floor"),
        lambda: own(status="applied"),
        lambda: other_evidence(own()),
    ],
    ids=["another's", "another of my name", "held", "applied", "with another's evidence"],
)
def test_of_what_is_not_ones_own_a_revision_is_proposed_and_nothing_moves(verb: str, memory: Any) -> None:
    row = memory()
    revised = ask(verb, row, ref="seen otherwise", content="Acme pays on net-60 terms")
    proposal = Proposal.objects.get()
    assert (revised.proposal, revised.batch, proposal.kind, proposal.made_by) == (proposal.pk, None, "revision", "P01")
    assert (proposal.change["verb"], proposal.change["rationale"]) == (verb, "because")
    assert (Memory.objects.get().version, relations()) == (row.version, set())


def test_a_token_with_review_revises_what_is_anothers() -> None:
    trust = agent(permissions=frozenset({Permission.REVIEW.value}))
    assert made(ask("retract", foreign(hold="floor", status="applied"), trust=trust)).status == "retracted"


def test_what_would_be_refused_is_not_proposed() -> None:
    for verb, facts in (("retract", {"status": "retracted"}), ("fork", {"type": "episodic"})):
        with pytest.raises(Conflict):
            ask(verb, foreign(**facts), content="Acme pays late")
    with pytest.raises(Invalid):
        ask("supersede", foreign(), content="Acme pays late", payload={})
    assert not Proposal.objects.exists()


def test_a_proposal_is_as_secret_as_what_it_would_make() -> None:
    ask("supersede", foreign(sensitivity=1), content="Acme pays late", sensitivity="high")
    assert Proposal.objects.get().sensitivity == 3


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        ({"verb": "supersede", "memory": LATE}, "superseded", "confirmed"),
        ({"verb": "fork", "memory": LATE}, "confirmed", "confirmed"),
        ({"verb": "contest", "memory": LATE}, "contested", "contested"),
        ({"verb": "contest", "ref": "seen otherwise"}, "contested", "contested"),
        ({"verb": "retract"}, "retracted", "retracted"),
    ],
)
def test_an_accepted_proposal_is_carried_out_as_the_persons_own_decision(
    change: dict[str, Any], old: str, new: str
) -> None:
    memory, batch = foreign(status="confirmed", confidence=60), uuid4()
    result = revisions.carry_out(memory, change, by=ANNA, at=AT, batch=batch, why="right")
    memory.refresh_from_db()
    result.refresh_from_db()
    assert (memory.status, result.status) == (old, new)
    assert {entry.batch_id for entry in AuditEntry.objects.all()} == {batch}
    assert {entry.actor for entry in AuditEntry.objects.all()} == {"anna"}


@pytest.mark.parametrize("change", [{}, {"verb": "sing"}, {"verb": "supersede"}, {"verb": "fork", "memory": 3}])
def test_a_proposal_that_cannot_be_read_changes_nothing(change: dict[str, Any]) -> None:
    memory = foreign()
    with pytest.raises(Conflict, match="no longer applies"):
        revisions.carry_out(memory, change, by=ANNA, at=AT, batch=uuid4())
    assert Memory.objects.get().version == 1


def dismissed(content: str, **facts: Any) -> Tombstone:
    make_memory(content, category="fact", **facts).dismiss(by=ANNA, why="wrong", at=AT)
    return Tombstone.objects.get()


def test_an_agent_does_not_bring_back_what_was_dismissed_and_its_try_is_counted() -> None:
    tombstone, old = dismissed("Acme pays on net-60 terms"), own("Acme pays on net-30 terms")
    revised = ask("supersede", old, content="Acme pays on net-60 terms")
    assert revised.refusal is not None
    assert (revised.refusal.code, str(tombstone.pk) in str(revised.refusal)) == ("dismissed", True)
    tombstone.refresh_from_db()
    assert (tombstone.hits, Memory.objects.get(pk=old.pk).version, Memory.objects.count()) == (1, 1, 2)


def test_a_person_is_asked_to_lift_the_tombstone_first() -> None:
    tombstone, old = dismissed("Acme pays on net-60 terms"), own("Acme pays on net-30 terms")
    with pytest.raises(Conflict, match="lifted"):
        ask("supersede", old, content="Acme pays on net-60 terms", trust=person())
    assert Tombstone.objects.get().hits == 0
    tombstone.lift(by=ANNA, at=AT)
    assert made(ask("supersede", old, content="Acme pays on net-60 terms", trust=person())).status == "confirmed"


def test_a_dismissal_above_the_caller_is_not_told_of() -> None:
    dismissed("Acme pays on net-60 terms", sensitivity=4)
    for trust in (agent(), person()):
        revised = ask("fork", own(), content="Acme pays on net-60 terms", trust=trust)
        assert (revised.memory, revised.proposal, revised.refusal) == (None, None, None)
    assert (Tombstone.objects.get().hits, Memory.objects.count()) == (2, 3)


def test_another_claim_than_the_dismissed_one_is_taken_and_marked() -> None:
    tombstone = dismissed("Acme pays on net-60 terms", key="acme-terms")
    new = made(ask("fork", own(), content="Acme pays on net-45 terms", key="acme-terms", confidence=90))
    assert (new.resembles, new.status) == (tombstone.pk, "candidate")
