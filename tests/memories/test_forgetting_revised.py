"""What was revised before it is forgotten: its words also go where the revision left them, at other memories."""

from collections.abc import Callable
from typing import Any

import pytest
from uuid_utils.compat import uuid7

from memories import lifecycle
from memories.intake import proposals, revisions
from memories.intake.reports import revisions as bodies
from memories.intake.reports.events import ObservationReport
from memories.intake.revisions.revising import Change
from memories.intake.triples import observation
from memories.models import AuditEntry, Evidence, IdempotencyKey, Memory, Proposal
from memories.values.trust import Trust, everything
from tests.everywhere import tables_with
from tests.make import ANNA, AT
from tests.memories.revising import EVIDENCE, OTHER, agent, ask, made, own, person

pytestmark = pytest.mark.django_db
WORD = "quokka"


def observe(object: str, trust: Trust) -> Memory:
    report = ObservationReport(source="P01", subject="anna", predicate="likes", object=object)
    stored = observation(report, trust=trust, at=AT)
    assert stored.memory is not None
    return stored.memory


def observed() -> Memory:
    """It took the place of another, of which the trail says why."""
    observe("tea", agent())
    return observe(WORD, agent())


def accepted() -> Memory:
    """A person accepted it; the answer to that is kept."""
    old = observe("tea", agent())
    observe(WORD, agent(OTHER))
    proposal = Proposal.objects.get()
    told = {"id": str(proposal.pk), "change": proposal.change}
    IdempotencyKey.objects.create(caller="a", key="k", request_sha256=b"x", answer=told, expires_at=AT)
    proposals.accept(proposal, by=ANNA, at=AT, why=f"a {WORD}, why not", batch=uuid7())
    return Memory.objects.exclude(pk=old.pk).get()


def because(verb: str, *, new: str, words: str, ref: Memory | None = None) -> list[Memory]:
    """A revision whose rationale quotes."""
    old = own("Anna likes tea")
    said = bodies.NewMemory.model_validate({"content": new, "payload": EVIDENCE}) if ref is None else None
    change = Change(verb, f"because {words}", said, str(ref.pk) if ref else "")
    return [old, made(revisions.ask(change, [old.pk], trust=agent(), at=AT))]


def replaced() -> Memory:
    return because("supersede", new=f"Anna likes the {WORD}", words=WORD)[1]


def replaced_and_undone() -> Memory:
    new = replaced()
    entry = AuditEntry.objects.get(action="supersede")
    Memory.objects.get(pk=entry.subject_id).revert(entry, by=ANNA, at=AT, batch=uuid7())
    return new


def replaced_by_another() -> Memory:
    return because("supersede", new="Anna likes coffee", words=f"no {WORD} is likeable")[0]


def contesting() -> Memory:
    other = own(f"Anna likes the {WORD}")
    because("contest", new="", words=WORD, ref=other)
    return other


def merged() -> Memory:
    """What spoke for it speaks for what it has become part of."""
    first, second = own(f"Anna likes the {WORD}"), own("Anna likes tea")
    Evidence.objects.create(memory=first, occasion="request:1", kind="created", at=AT, snapshot=f"the {WORD}")
    ask("merge", first, second, trust=person(), content="Anna likes tea and animals")
    return first


def kept_apart() -> Memory:
    """A person said why it is not merged into another; the answer to the proposal is kept."""
    first, second = own("Anna likes tea"), own(f"Anna likes the {WORD}")
    change = {"verb": "merge", "ids": [str(first.pk), str(second.pk)]}
    asked: dict[str, Any] = {"by": ANNA, "why": "alike", "at": AT, "sensitivity": 0}
    proposal = Proposal.objects.propose(Proposal.Kind.MERGE, first, change, **asked)
    Proposal.objects.filter(pk=proposal.pk).update(others=[second.pk])
    told = {"id": str(proposal.pk), "text": WORD}
    IdempotencyKey.objects.create(caller="a", key="k", request_sha256=b"x", answer=told, expires_at=AT)
    proposal.decide(Proposal.Decision.REJECTED, by=ANNA, at=AT, why=f"a {WORD} is no tea")
    return second


@pytest.mark.parametrize(
    "make", [observed, accepted, replaced, replaced_and_undone, replaced_by_another, contesting, merged, kept_apart]
)
def test_no_word_of_it_is_left_with_others(make: Callable[[], Memory]) -> None:
    memory = make()
    assert "memories_auditentry" in tables_with(WORD) or make is merged
    lifecycle.forget(memory, trust=everything(ANNA), at=AT)
    assert tables_with(WORD) == set()


def test_what_others_decided_beside_it_keeps_its_reasons() -> None:
    memory, beside = own(f"Anna likes the {WORD}"), own("Anna likes tea")
    batch: Any = uuid7()
    for one in (memory, beside):
        one.dismiss(by=ANNA, why="noise", at=AT, batch=batch)
    lifecycle.forget(memory, trust=everything(ANNA), at=AT)
    reasons = AuditEntry.objects.filter(action="dismiss").values_list("subject_id", "rationale")
    assert set(reasons) == {(memory.pk, ""), (beside.pk, "noise")}
