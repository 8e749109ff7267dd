"""The desk's verbs: what each leaves behind, what it is compared with, and what it refuses."""

from datetime import timedelta
from typing import Any

import pytest

from memories.intake import edits
from memories.intake.edits import parse_edit
from memories.intake.episodes.closing import set_outcome
from memories.models import Adaptation, AuditEntry, Episode, Memory, Proposal, Tombstone
from memories.values.choices import Outcome, Status, Type
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound, Outdated
from memories.values.trust import Trust, everything
from memos_site import review as desk
from tests.deciding import LATER, TRUST, make_applied, propose, stands
from tests.make import ANNA, AT, BEN, make_memory, make_run, make_skill

pytestmark = pytest.mark.django_db


def decide(memory: Memory, verb: str, **how: Any) -> desk.DecisionResult:
    return desk.decide(TRUST, memory.pk, verb, **{"at": LATER, **how})


def test_a_promoted_candidate_is_confirmed_held_and_has_at_least_60() -> None:
    memory = make_memory()
    decide(memory, "promote")
    assert stands(memory) == ("confirmed", 60, "floor")


def test_a_promotion_to_applied_gives_80_and_exactly_one_adaptation() -> None:
    memory = make_memory("Reply in German", category="preference")
    decide(memory, "promote", to=Status.APPLIED)
    assert stands(memory) == ("applied", 80, "floor")
    assert Adaptation.objects.active().get().memory == memory


def test_a_demoted_one_is_fixed_so_that_storing_again_does_not_raise_it() -> None:
    memory = make_applied()
    decide(memory, "demote")
    assert stands(memory) == ("candidate", 80, "fixed")
    assert Adaptation.objects.get().revert_reason == "demoted"


def test_dismissing_an_applied_one_reverts_its_adaptation_and_freezes_its_confidence() -> None:
    memory = make_applied()
    decide(memory, "dismiss", why="wrong")
    assert stands(memory) == ("dismissed", 80, "floor")
    assert Adaptation.objects.get().revert_reason == "dismissed"
    tombstone = Tombstone.objects.get()
    assert (tombstone.reason, tombstone.by, tombstone.lifted_at) == ("wrong", "anna", None)


def test_a_restored_one_waits_with_the_confidence_it_had_and_its_tombstone_is_lifted() -> None:
    memory = make_applied()
    decide(memory, "dismiss", why="wrong")
    decide(memory, "restore")
    assert stands(memory) == ("candidate", 80, "")
    assert Tombstone.objects.get().lifted_at == LATER


def test_pinning_keeps_the_salience_of_today_and_unpinning_starts_the_clock_anew() -> None:
    memory = make_memory(half_life=3600.0)
    decide(memory, "pin", at=AT + timedelta(hours=1))
    decide(memory, "pin", pinned=False, at=AT + timedelta(days=9))
    row = Memory.objects.get()
    assert row.salience_on(AT + timedelta(days=9)) == pytest.approx(0.5)
    assert row.salience_on(AT + timedelta(days=9, hours=1)) == pytest.approx(0.25)


def test_an_episode_can_be_pinned_and_nothing_else_is_decided_about_it() -> None:
    run = make_run()
    decide(run, "pin")
    assert Memory.objects.get().pinned
    for verb in ("promote", "demote", "dismiss", "snooze"):
        with pytest.raises(Conflict, match="experience, not a claim"):
            decide(run, verb, why="wrong")


def test_what_is_snoozed_leaves_the_inbox_until_then() -> None:
    memory = make_memory()
    tomorrow = LATER + timedelta(days=1)
    decide(memory, "snooze", until=tomorrow)
    assert not desk.waiting_memories(TRUST, at=LATER).exists()
    assert desk.waiting_memories(TRUST, at=tomorrow).get() == memory
    with pytest.raises(Invalid, match="must be in the future"):
        decide(memory, "snooze", until=AT)


def test_edited_and_promoted_in_one_decision_is_undone_as_one() -> None:
    memory = make_memory()
    decision = decide(memory, "promote", edit=parse_edit({"content": "Acme pays on net-60 terms"}))
    assert stands(memory) == ("confirmed", 60, "floor")
    assert Memory.objects.get().content == "Acme pays on net-60 terms"
    undone = desk.undo(TRUST, decision.batch, at=LATER)
    assert stands(memory) == ("candidate", 20, "")
    assert Memory.objects.get().content == memory.content
    desk.undo(TRUST, undone.batch, at=LATER)
    assert stands(memory) == ("confirmed", 60, "floor")
    assert Memory.objects.get().content == "Acme pays on net-60 terms"


def test_a_skill_is_published_and_may_then_be_applied() -> None:
    skill = make_skill(published=False)
    decide(skill.memory, "promote", to=Status.APPLIED)
    assert stands(skill.memory) == ("applied", 80, "floor")
    assert skill.versions.get().status == "published"


def test_a_decision_on_another_version_than_the_one_named_is_refused() -> None:
    memory = make_memory()
    with pytest.raises(Outdated, match="it has version 1 now"):
        decide(memory, "promote", versions=frozenset({2}))
    decide(memory, "promote", versions=frozenset({1}))


def test_who_may_not_see_hears_nothing_and_who_may_not_review_is_refused() -> None:
    memory = make_memory(sensitivity=3)
    low = Trust(BEN, 1, permissions=TRUST.permissions)
    with pytest.raises(NotFound):
        desk.decide(low, memory.pk, "promote", at=AT)
    with pytest.raises(NotAllowed):
        desk.decide(Trust(BEN, 4), memory.pk, "promote", at=AT)
    assert not AuditEntry.objects.exists()


def test_an_accepted_edit_is_written_held_and_undone_with_the_proposal() -> None:
    memory = make_memory(status="confirmed", confidence=70)
    proposal = propose(memory)
    batch = desk.accept(TRUST, proposal.pk, at=LATER, why="the contract says so")
    assert Memory.objects.get().content == "Acme pays on net-60 terms"
    assert stands(memory) == ("confirmed", 70, "floor")
    assert Proposal.objects.get().decision == "accepted"
    undone = desk.undo(TRUST, batch, at=LATER)
    assert Memory.objects.get().content == memory.content
    assert stands(memory) == ("confirmed", 70, "")
    assert Proposal.objects.open().exists()
    desk.undo(TRUST, undone.batch, at=LATER)
    assert Memory.objects.get().content == "Acme pays on net-60 terms"
    assert Proposal.objects.get().decision == "accepted"


def test_a_rejected_proposal_changes_nothing_and_can_be_reopened() -> None:
    memory = make_memory(status="confirmed")
    proposal = propose(memory)
    batch = desk.reject(TRUST, proposal.pk, at=LATER, why="one customer only")
    assert Memory.objects.get().version == 1
    with pytest.raises(Conflict, match="a proposal that is rejected by anna"):
        desk.accept(everything(BEN), proposal.pk, at=LATER)
    desk.undo(TRUST, batch, at=LATER)
    assert Proposal.objects.open().exists()


def test_what_does_not_apply_any_more_is_a_conflict_and_stays_open() -> None:
    proposal = propose(make_memory(status="confirmed"), category="rule")
    with pytest.raises(Conflict, match="no longer applies"):
        desk.accept(TRUST, proposal.pk, at=LATER)
    assert Proposal.objects.open().exists()


def test_nobody_accepts_a_change_of_what_changed_after_it_was_shown() -> None:
    memory = make_memory(status="confirmed")
    proposal = propose(memory)
    memory.demote(by=BEN, at=AT)
    with pytest.raises(Conflict, match="has changed since you saw it"):
        desk.accept(TRUST, proposal.pk, at=LATER, token="1")
    assert Proposal.objects.open().exists()


def test_a_closed_memory_withdraws_what_was_proposed_and_undo_brings_it_back() -> None:
    memory = make_memory(status="confirmed")
    propose(memory)
    decision = decide(memory, "dismiss", why="wrong")
    assert Proposal.objects.get().decision == "withdrawn"
    desk.undo(TRUST, decision.batch, at=LATER)
    assert Proposal.objects.open().exists()


def test_a_lifted_tombstone_blocks_no_more_and_blocks_again_when_that_is_undone() -> None:
    memory = make_memory()
    decide(memory, "dismiss", why="wrong")
    tombstone = Tombstone.objects.get()
    batch = desk.lift(TRUST, tombstone.pk, at=LATER)
    assert not Tombstone.objects.blocking("").exists()
    assert stands(memory)[0] == "dismissed"
    with pytest.raises(Conflict, match="anna has lifted it before"):
        desk.lift(TRUST, tombstone.pk, at=LATER)
    undone = desk.undo(TRUST, batch, at=LATER)
    assert Tombstone.objects.blocking("").exists()
    desk.undo(TRUST, undone.batch, at=LATER)
    assert not Tombstone.objects.blocking("").exists()


def test_what_is_undone_knows_instants_to_the_microsecond() -> None:
    memory = make_memory()
    at, until = LATER + timedelta(microseconds=402_504), LATER + timedelta(days=9, microseconds=7)
    Memory.objects.update(expires_at=until)
    edited = edits.edit(TRUST, memory.pk, parse_edit({"expires_at": None}), at=LATER)
    assert edited.batch is not None
    desk.undo(TRUST, edited.batch, at=LATER)
    assert Memory.objects.get().expires_at == until
    decide(memory, "dismiss", why="wrong")
    batch = desk.lift(TRUST, Tombstone.objects.get().pk, at=at)
    desk.undo(TRUST, batch, at=at)
    assert Tombstone.objects.blocking("").exists()


def test_a_lift_is_not_undone_over_what_is_believed_again() -> None:
    memory = make_memory()
    decide(memory, "dismiss", why="wrong")
    batch = desk.lift(TRUST, Tombstone.objects.get().pk, at=LATER)
    decide(memory, "restore")
    with pytest.raises(Conflict, match="a live memory claims"):
        desk.undo(TRUST, batch, at=LATER)


def test_an_adaptation_reverted_alone_leaves_its_memory_confirmed_and_fixed() -> None:
    memory = make_applied()
    adaptation = Adaptation.objects.get()
    batch = desk.revert(TRUST, adaptation.pk, at=LATER)
    assert stands(memory) == ("confirmed", 80, "fixed")
    assert Adaptation.objects.get().revert_reason == "user_revert"
    with pytest.raises(Conflict, match="reverted before"):
        desk.revert(TRUST, adaptation.pk, at=LATER)
    desk.undo(TRUST, batch, at=LATER)
    assert stands(memory) == ("applied", 80, "floor")
    assert Adaptation.objects.active().get() == adaptation


def test_an_adaptation_reverted_with_its_memory_dismisses_that() -> None:
    memory = make_applied()
    desk.revert(TRUST, Adaptation.objects.get().pk, keep_memory=False, at=LATER, why="too eager")
    assert stands(memory)[0] == "dismissed"
    assert Tombstone.objects.get().reason == "too eager"


def test_the_queue_says_how_far_a_claim_is_from_being_believed_or_applied() -> None:
    facts: dict[str, Any] = {"confidence": 35, "times_confirmed": 1}
    assert (
        desk.explain(make_memory(**facts), everything()).remaining
        == "Confirmed automatically once it is reported 2 more times."
    )
    facts = {"confidence": 65, "times_confirmed": 1, "status": "confirmed"}
    assert (
        desk.explain(make_memory(**facts), everything()).remaining
        == "Applied automatically once it is reported 2 more times."
    )
    for fixed in ({"hold": "fixed"}, {"flags": ["secret"]}, {"type": Type.PLAN_GRAPH}):
        assert desk.explain(make_memory(**facts | fixed), everything()).remaining == ""


def test_a_candidate_that_only_people_confirm_is_not_said_to_be_applied_by_itself(settings: Any) -> None:
    settings.LADDER = {**settings.LADDER, "confirms": False}
    facts: dict[str, Any] = {"confidence": 65, "times_confirmed": 1}
    assert desk.explain(make_memory(**facts), everything()).remaining == ""
    assert "Applied" in desk.explain(make_memory(status="confirmed", **facts), everything()).remaining


def test_proposals_stand_in_the_queue_within_trust_and_by_kind() -> None:
    memory = make_memory(status="confirmed", scope="project:a")
    proposal = propose(memory)
    assert desk.open_proposals(TRUST, at=LATER).get() == proposal
    assert desk.kinds(TRUST, at=LATER) == {"revision": 1}
    assert not desk.open_proposals(Trust(ANNA, 0), at=LATER).exists()
    assert not desk.open_proposals(TRUST, at=LATER, scope="project:b").exists()
    assert not desk.open_proposals(TRUST, at=LATER, kind="semantic").exists()


def test_an_outcome_cannot_be_undone() -> None:
    run = make_run(outcome=Outcome.FAILURE)
    trust = everything(ANNA)
    set_outcome(run.episode, Outcome.SUCCESS, trust=trust, source="ci", at=AT)
    batch = AuditEntry.objects.get(action="outcome", subject_id=run.pk).batch_id
    with pytest.raises(Conflict, match="cannot be undone"):
        desk.undo(trust, batch, at=LATER)
    assert Episode.objects.get().outcome == Outcome.SUCCESS


def test_of_two_who_put_off_one_proposal_the_second_is_told() -> None:
    proposal = propose(make_memory(status="confirmed"))
    mine, theirs = Proposal.objects.get(pk=proposal.pk), Proposal.objects.get(pk=proposal.pk)
    mine.snooze(LATER + timedelta(days=1), by=ANNA, at=LATER)
    with pytest.raises(Conflict, match="snoozed anew"):
        theirs.snooze(LATER + timedelta(days=7), by=BEN, at=LATER)
    proposal.refresh_from_db()
    assert proposal.snoozed_until == LATER + timedelta(days=1)
    assert AuditEntry.objects.filter(subject_id=proposal.pk, action="snooze").count() == 1


def test_a_claim_that_one_agent_repeats_says_that_it_is_one_voice() -> None:
    facts: dict[str, Any] = {"source": "warehouse", "created_by": "loud", "created_by_id": "agent:loud"}
    loud = make_memory(**facts)
    shared = make_memory("Acme pays by card", **facts, speakers=["agent:loud", "agent:2"])
    loud.evidence_count = shared.evidence_count = 40  # type: ignore[attr-defined]  # as `with_support` annotates it
    assert desk.explain(loud, everything()).reason == "Reported 40 times, by loud alone."
    assert desk.explain(shared, everything()).reason == "Reported 40 times, first by warehouse."
