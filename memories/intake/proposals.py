"""Accept a proposal: carry out the demotion, the edit or the revision that it holds."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from memories.intake import revisions
from memories.intake.edits import apply_edit, parse_edit
from memories.models import Memory, Proposal
from memories.values.choices import LIVE
from memories.values.exceptions import Conflict, Invalid
from memories.values.trust import Actor


def accept(proposal: Proposal, *, by: Actor, at: datetime, why: str = "", batch: UUID) -> None:
    """Do what was proposed. Conflict: it was decided before, or does not apply any more (then it stays open)."""
    with transaction.atomic():
        proposal.decide(Proposal.Decision.ACCEPTED, by=by, at=at, why=why, batch=batch)
        memory, change = proposal.memory, dict(proposal.change)
        verb = change.pop("verb", "")
        memory.lock_for(verb or "accept", LIVE)
        if verb == "demote":
            memory.demote(by=by, at=at, why=why, batch=batch)
        elif verb == "edit":
            _edit(memory, change, by=by, at=at, why=why, batch=batch)
        else:
            revisions.carry_out(memory, proposal.change, by=by, at=at, batch=batch, why=why)


def _edit(memory: Memory, change: dict[str, Any], *, by: Actor, at: datetime, why: str, batch: UUID) -> None:
    try:
        apply_edit(memory, parse_edit(change), by=by, at=at, why=why, batch=batch, by_a_person=False)
    except Invalid as invalid:
        raise Conflict(f"what is proposed does not apply any more: {invalid}") from None
