"""Decisions on one memory: what each does, from where it may be made, what it leaves in the audit trail."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from memories.models import Adaptation, AuditEntry, Memory
from memories.models.reviewable import Reviewable
from memories.values.choices import LIVE, Status, Type
from memories.values.exceptions import Conflict
from tests.deciding import make_applied
from tests.make import ANNA, AT, BEN, make_memory

pytestmark = pytest.mark.django_db
LATER = AT + timedelta(hours=1)


def promote(memory: Memory, to: Status = Status.CONFIRMED) -> AuditEntry:
    return memory.promote(by=ANNA, at=LATER, to=to)


def dismiss(memory: Memory) -> AuditEntry:
    return memory.dismiss(by=ANNA, why="wrong", at=LATER)


def restore(memory: Memory) -> AuditEntry:
    return memory.restore(by=ANNA, at=LATER)


def undo(memory: Memory, entry: AuditEntry) -> AuditEntry:
    return memory.revert(entry, by=BEN, at=LATER, batch=uuid4())


def stored(memory: Memory) -> dict[str, Any]:
    fields = [field.name for field in Reviewable._meta.get_fields() if field.name != "updated_at"]
    row: dict[str, Any] = Memory.objects.values(*fields).get(pk=memory.pk)
    return row


@pytest.mark.parametrize(
    ("to", "had", "has"), [("confirmed", 20, 60), ("confirmed", 70, 70), ("applied", 20, 80), ("applied", 95, 95)]
)
def test_a_promotion_raises_confidence_and_holds_it(to: str, had: int, has: int) -> None:
    memory = make_memory(confidence=had, snoozed_until=LATER)
    promote(memory, Status(to))
    row = stored(memory)
    assert (row["status"], row["confidence"], row["hold"], row["snoozed_until"]) == (to, has, "floor", None)


def test_a_dismissal_keeps_the_confidence_and_a_restore_brings_it_back_without_the_hold() -> None:
    memory = make_memory(confidence=75, status="applied", hold="floor")
    dismiss(memory)
    assert (memory.status, memory.confidence, memory.hold) == ("dismissed", 75, "floor")
    restore(memory)
    assert (memory.status, memory.confidence, memory.hold) == ("candidate", 75, "")


ALLOWED = {
    "promote": ("candidate", "contested"),
    "apply": ("candidate", "contested", "confirmed"),
    "dismiss": LIVE,
    "restore": ("dismissed", "contested"),
}
VERBS = {
    "promote": promote,
    "apply": lambda memory: promote(memory, Status.APPLIED),
    "dismiss": dismiss,
    "restore": restore,
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("status", Status.values)
def test_a_decision_is_made_from_some_states_and_a_conflict_in_the_others(verb: str, status: str) -> None:
    memory = make_memory(status=status)
    before = stored(memory)
    if status in ALLOWED[verb]:
        assert VERBS[verb](memory).subject_version == stored(memory)["version"] == 2
        return
    with pytest.raises(Conflict, match=f"a memory that is {status}"):
        VERBS[verb](memory)
    assert stored(memory) == before
    assert not AuditEntry.objects.exists()


def test_a_conflict_names_the_state_and_who_was_faster() -> None:
    memory = make_memory()
    mine = Memory.objects.get(pk=memory.pk)
    dismiss(memory)
    with pytest.raises(Conflict) as caught:
        mine.promote(by=BEN, at=LATER)
    stands = "a memory that is dismissed (dismiss by anna): it does not become confirmed"
    assert str(caught.value) == f"cannot promote {stands}"


def test_a_decision_on_what_was_forgotten_meanwhile_is_a_conflict() -> None:
    memory = make_memory()
    Memory.objects.all().delete()
    with pytest.raises(Conflict, match="has been forgotten meanwhile"):
        promote(memory)


def test_a_decision_leaves_one_audit_row_that_says_all() -> None:
    memory = make_memory(key="acme-terms", scope="project:acme", sensitivity=3)
    batch = uuid4()
    entry = memory.dismiss(by=ANNA, why="stale", at=LATER, batch=batch)
    row = AuditEntry.objects.get()
    assert row == entry
    assert (row.subject_kind, row.subject_id, row.label, row.subject_version) == ("memory", memory.pk, "acme-terms", 2)
    assert (row.action, row.actor, row.actor_kind, row.at, row.rationale) == (
        "dismiss",
        "anna",
        "person",
        LATER,
        "stale",
    )
    assert (row.before, row.after) == ({"status": "candidate"}, {"status": "dismissed"})
    assert (row.scope, row.sensitivity, row.batch_id, row.undoes) == ("project:acme", 3, batch, None)
    assert Memory.objects.get().updated_at == LATER


@pytest.mark.parametrize(
    ("status", "verb"), [("candidate", "promote"), ("applied", "dismiss"), ("contested", "restore")]
)
def test_undo_makes_it_as_it_was_and_undo_of_undo_as_it_became(status: str, verb: str) -> None:
    memory = make_memory(status=status, confidence=33, hold="fixed", snoozed_until=LATER)
    before = stored(memory)
    entry = VERBS[verb](memory)
    became = stored(memory)
    undone = undo(memory, entry)
    assert stored(memory) == before | {"version": 3}
    redone = undo(memory, undone)
    assert stored(memory) == became | {"version": 4}
    assert [entry.action, undone.action, redone.action] == [verb, "undo", "redo"]
    assert [undone.undoes, redone.undoes] == [entry.pk, undone.pk]


def test_undo_after_a_later_decision_is_refused_and_says_whose() -> None:
    memory = make_memory()
    entry = promote(memory)
    memory.dismiss(by=BEN, why="wrong", at=LATER)
    with pytest.raises(Conflict, match=r"changed since and is dismissed now \(dismiss by ben\)"):
        undo(memory, entry)
    assert Memory.objects.get().status == "dismissed"


def test_a_decision_is_undone_once() -> None:
    memory = make_memory()
    entry = promote(memory)
    undo(memory, entry)
    with pytest.raises(Conflict):
        undo(memory, entry)


@pytest.mark.parametrize(
    ("facts", "place"),
    [
        ({"key": "acme-terms"}, "the key 'acme-terms'"),
        ({"type": Type.WORKING, "thread_id": "t1"}, "its thread"),
    ],
)
def test_what_another_live_memory_took_meanwhile_is_not_taken_back(facts: dict[str, Any], place: str) -> None:
    memory = make_memory(**facts)
    entry = dismiss(memory)
    other = make_memory(**facts)
    with pytest.raises(Conflict, match=f"cannot restore: another live memory holds {place} meanwhile"):
        restore(memory)
    with pytest.raises(Conflict, match=f"cannot undo: another live memory holds {place} meanwhile"):
        undo(memory, entry)
    assert (stored(memory)["status"], stored(other)["status"]) == ("dismissed", "candidate")
    assert AuditEntry.objects.count() == 1


@pytest.mark.parametrize("category", ["workflow", "fact"])
def test_another_category_of_an_applied_memory_replaces_its_adaptation(category: str) -> None:
    memory = make_applied("Reply in German")
    first = Adaptation.objects.active().get()
    memory.edit({"category": category}, by=ANNA, at=LATER)
    first.refresh_from_db()
    assert (first.reverted_at, first.revert_reason) == (LATER, "superseded")
    active = [one.description for one in Adaptation.objects.active()]
    assert active == (["Now following the workflow: Reply in German"] if category == "workflow" else [])


def test_of_two_who_snooze_what_they_read_the_second_is_told() -> None:
    memory = make_memory()
    theirs = Memory.objects.get(pk=memory.pk)
    memory.snooze(LATER, by=ANNA, at=AT)
    with pytest.raises(Conflict, match=r"snoozed or woken anew \(snooze by anna\)"):
        theirs.snooze(None, by=BEN, at=AT)
    assert Memory.objects.get().snoozed_until == LATER


def test_undo_keeps_the_confirmations_gained_since_a_promotion_that_raised_no_confidence() -> None:
    memory = make_memory(confidence=80)
    entry = promote(memory, Status.APPLIED)
    Memory.objects.filter(pk=memory.pk).update(confidence=95)
    undo(memory, entry)
    assert (stored(memory)["status"], stored(memory)["confidence"], stored(memory)["hold"]) == ("candidate", 95, "")


def test_undo_of_a_promotion_that_raised_confidence_keeps_the_confirmations_gained_since() -> None:
    memory = make_memory(confidence=20)
    entry = promote(memory)
    assert stored(memory)["confidence"] == 60
    Memory.objects.filter(pk=memory.pk).update(confidence=75)
    undone = undo(memory, entry)
    assert (stored(memory)["status"], stored(memory)["confidence"], stored(memory)["hold"]) == ("candidate", 35, "")
    undo(memory, undone)
    assert (stored(memory)["status"], stored(memory)["confidence"]) == ("confirmed", 75)


def test_undo_of_another_claim_takes_the_confirmations_of_that_claim_with_it() -> None:
    memory = make_memory(confidence=20)
    change = {"content": "Acme pays late", "confidence": 50}
    memory.lock_for("edit", ("candidate",))
    entry = memory.revise("revise", change, by=ANNA, why="", at=AT)
    Memory.objects.filter(pk=memory.pk).update(confidence=65)
    undo(memory, entry)
    assert stored(memory)["confidence"] == 20
