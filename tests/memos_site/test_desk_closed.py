"""Nothing is asked again about what is closed, and what was suppressed speaks for nothing."""

from typing import Any

import pytest

from memories.intake import revisions
from memories.models import Evidence, Memory, Proposal
from memories.models.evidence import with_support
from memories.values.choices import Type
from memories.values.exceptions import Conflict
from memos_site import review
from tests.deciding import LATER, TRUST, propose
from tests.make import ANNA, AT, make_memory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("verb", ["dismiss", "retract"])
def test_no_proposal_opens_again_over_a_closed_memory(verb: str) -> None:
    memory = make_memory()
    proposal = propose(memory)
    batch = review.reject(TRUST, proposal.pk, at=AT)
    if verb == "dismiss":
        memory.dismiss(by=ANNA, why="wrong", at=AT)
    else:
        revisions.retract(memory, by=ANNA, why="wrong", at=AT)
    with pytest.raises(Conflict, match="what it would change is"):
        review.undo(TRUST, batch, at=LATER)
    assert not Proposal.objects.open().exists()


def test_suppressions_are_no_support() -> None:
    memory = make_memory(type=Type.PLAN_GRAPH)
    for n, kind in enumerate(Evidence.Kind.values):
        Evidence.objects.create(memory=memory, occasion=f"request:{n}", kind=kind, at=AT)
    row: Any = with_support(Memory.objects.all()).get()
    assert (row.evidence_count, row.support_count) == (5, 3)
    other = make_memory("Globex pays late", type=Type.PLAN_GRAPH)
    Evidence.objects.create(memory=other, occasion="request:1", kind=Evidence.Kind.CREATED, at=AT)
    for n in range(9):
        Evidence.objects.create(memory=other, occasion=f"suppressed:{n}", kind=Evidence.Kind.SUPPRESSED, at=AT)
    assert list(review.waiting_memories(TRUST, at=AT)) == [memory, other]
