"""Accept a proposal: carry out the demotion, the edit, the choice or the revision that it holds."""

from typing import Any, Unpack
from uuid import UUID

from django.db import transaction

from memories.intake import revisions
from memories.intake.edits import apply_edit, parse_edit
from memories.models import Memory, Proposal
from memories.models.audit import AuditFacts
from memories.values.choices import LIVE
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.trust import everything

CHOOSE, MERGE = "choose", "merge"


def accept(proposal: Proposal, *, keep: UUID | None = None, **decision: Unpack[AuditFacts]) -> None:
    """Do what was proposed. Conflict: it was decided before, or does not apply any more (then it stays open).

    `keep`: the memory that holds of those that contradict each other, where it is required, or whose wording a merged
    memory has. Invalid: it is none of them, or the proposal takes none.
    """
    change = dict(proposal.change)
    verb = change.pop("verb", "")
    _check_keep(proposal, verb, keep)
    with transaction.atomic():
        proposal.decide(Proposal.Decision.ACCEPTED, **decision)
        memory = proposal.memory
        memory.lock_for(verb or "accept", LIVE)
        if verb == "demote":
            memory.demote(**decision)
        elif verb == "edit":
            _edit(memory, change, decision)
        elif verb == CHOOSE:
            assert keep is not None  # checked above
            revisions.choose(keep, proposal.subjects, scope=memory.scope, **decision)
        else:
            revisions.carry_out(memory, _with_chosen_words(proposal, keep), **decision)


def _check_keep(proposal: Proposal, verb: str, keep: UUID | None) -> None:
    if verb == CHOOSE and keep is None:
        detail = "is required: the id of the memory that holds; reject the proposal if both do"
        raise Invalid(FieldError("/keep", "required", detail))
    if keep is not None and (verb not in (CHOOSE, MERGE) or keep not in proposal.subjects):
        raise Invalid(FieldError("/keep", "unknown_value", "is none of the memories that this proposal compares"))


def _with_chosen_words(proposal: Proposal, keep: UUID | None) -> dict[str, Any]:
    """The change, with the words and the key of the memory that a person chose to keep."""
    change: dict[str, Any] = proposal.change
    if keep is None:
        return change
    other_ids = [memory_id for memory_id in change["ids"] if memory_id != str(keep)]
    content = Memory.objects.filter(pk=keep).values_list("content", flat=True).first()
    new = {**change.get("memory", {}), "content": content}
    return {**change, "memory": new, "ids": [str(keep), *other_ids]}


def _edit(memory: Memory, change: dict[str, Any], decision: AuditFacts) -> None:
    try:
        apply_edit(memory, parse_edit(change), trust=everything(decision["by"]), by_a_person=False, **decision)
    except Invalid as invalid:
        raise Conflict(f"the proposed change no longer applies: {invalid}") from None
