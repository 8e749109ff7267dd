"""Perform or propose a requested revision: of the caller's own at once, of anything else by a person's decision."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Unpack
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from memories.intake.reports.revisions import LONGEST_RATIONALE, NewMemory, check
from memories.intake.revisions import new_memory, superseding
from memories.intake.revisions.inheritance import RevisionFacts
from memories.intake.revisions.sources import NEW_WORDS, Dismissed, Sources, hold, hold_for, refuse
from memories.intake.revisions.superseding import PlaceConflict
from memories.lifecycle.ownership import decides, is_own
from memories.models import Memory, Proposal, Tombstone
from memories.models.audit import AuditFacts
from memories.models.proposal import Rejected
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.values.trust import Trust

VERBS = ("supersede", "fork", "contest", "retract", "merge")
KINDS = {"merge": Proposal.Kind.MERGE}


@dataclass(frozen=True)
class Change:
    """A requested revision: `new` is the memory to be made, `ref` what speaks against the old one (an id, or words)."""

    verb: str
    why: str
    new: NewMemory | None = None
    ref: str = ""

    def as_json(self, sources: Sequence[Memory]) -> dict[str, Any]:
        """As a proposal holds it; `carry_out` reads it."""
        change: dict[str, Any] = {"verb": self.verb, "rationale": self.why}
        change |= {"memory": self.new.as_json} if self.new else {}
        change |= {"ref": self.ref} if self.ref else {}
        return change | ({"ids": [str(source.pk) for source in sources]} if self.verb == "merge" else {})


@dataclass(frozen=True)
class Revised:
    """The new memory, or the one that was contested or retracted, as it stands.

    `memory` None: the change met what the caller may not see. `refusal`: an agent's change was suppressed and counted.
    """

    memory: Memory | None
    batch: UUID | None = None
    proposal: UUID | None = None
    refusal: Conflict | None = None


def ask(change: Change, ids: Sequence[UUID], *, trust: Trust, at: datetime) -> Revised:
    """Revise what is the caller's own or the caller's to decide; of anything else open a proposal.

    NotFound: one of them is not there or not to be seen; NotAllowed: another scope; Conflict: an episode, a packaged
    skill, or no longer live; Invalid: the new memory.
    """
    try:
        with transaction.atomic():
            sources = hold(ids, change.ref, change.new, verb=change.verb, trust=trust, at=at)
            if not all(is_own(row, trust) for row in sources.rows):
                return _propose(change, sources, trust=trust, at=at)
            batch = uuid7()
            facts = RevisionFacts(change.verb, trust.actor, at, is_vouched=decides(trust))
            return Revised(_perform(change, sources, facts, batch), batch)
    except PlaceConflict as error:
        return _place_taken(error, change, ids, trust=trust, at=at)
    except Dismissed as refusal:
        return _refuse_dismissed(refusal, trust=trust, at=at)


def carry_out(memory: Memory, change: dict[str, Any], **decision: Unpack[AuditFacts]) -> Memory:
    """Perform what an accepted proposal would change: the memory that it made, contested or retracted.

    `change` is {verb, rationale, memory?, ref?, ids?}. Conflict: things are no longer so, or it cannot be read. Takes
    the claim lock of the scope shared: who wants it exclusively takes it before.
    """
    try:
        request = _parse_change(change, decision.get("why", ""))
        ids = [UUID(str(memory_id)) for memory_id in change.get("ids", [])] if request.verb == "merge" else [memory.pk]
        with transaction.atomic():
            sources = hold_for(ids, request.ref, request.new, scope=memory.scope, verb=request.verb)
            facts = RevisionFacts(request.verb, decision["by"], decision["at"], is_vouched=True)
            return _perform(request, sources, facts, decision.get("batch"))
    except (Invalid, NotFound, NotAllowed) as refusal:
        raise Conflict(f"the proposed change no longer applies: {refusal}") from None


def _parse_change(change: dict[str, Any], why: str) -> Change:
    """Read a change as a proposal holds it; unknown fields of the memory are passed over."""
    verb, raw = change.get("verb"), change.get("memory")
    if verb not in VERBS:
        raise Invalid(FieldError("/change/verb", "unknown_value", f"must be one of {', '.join(VERBS)}"))
    if isinstance(raw, dict):
        raw = {name: value for name, value in raw.items() if name in NewMemory.model_fields}
    new = check(NewMemory, raw, "/change/memory") if raw is not None else None
    if new is None and verb in NEW_WORDS:
        raise Invalid(FieldError("/change/memory", "required", "is required"))
    rationale = (why or str(change.get("rationale", "")))[:LONGEST_RATIONALE]
    return Change(verb, rationale, new, str(change.get("ref", "")))


def _perform(change: Change, sources: Sources, facts: RevisionFacts, batch: UUID | None) -> Memory:
    """Perform a revision in the caller's transaction, under the locks of its sources."""
    decision: AuditFacts = {"by": facts.by, "why": change.why, "at": facts.at, "batch": batch}
    first = sources.rows[0]
    if change.new is not None:
        new = new_memory.admit(change.new, sources.rows, facts, episode=sources.episode)
        if change.verb == "supersede":
            superseding.supersede(first, new, **decision)
        elif change.verb == "fork":
            superseding.fork(first, new, **decision)
        elif change.verb == "merge":
            superseding.merge(sources.rows, new, **decision)
        else:
            superseding.begin(new, "create", **decision)
            superseding.contest(first, new, **decision)
        sources.speak_for(new, by=facts.by, at=facts.at)
        return new
    if change.verb == "retract":
        superseding.retract(first, **decision)
    else:
        superseding.contest_by(first, sources.other or change.ref, **decision)
    return first


def _propose(change: Change, sources: Sources, *, trust: Trust, at: datetime, least: int = 0) -> Revised:
    """Open a proposal for a person to decide. What would be refused is refused now."""
    first = sources.rows[0]
    for row in sources.rows:
        refuse(row, change.verb)
    sensitivity = max(least, *(row.sensitivity for row in sources.named))
    if change.new is not None:
        facts = RevisionFacts(change.verb, trust.actor, at, is_vouched=False)
        sensitivity = max(
            sensitivity, new_memory.admit(change.new, sources.rows, facts, episode=sources.episode).sensitivity
        )
    proposal = Proposal.objects.propose(
        KINDS.get(change.verb, Proposal.Kind.REVISION),
        first,
        change.as_json(sources.rows),
        by=trust.actor,
        why=change.why,
        at=at,
        sensitivity=sensitivity,
    )
    if proposal.is_rejected:
        raise Rejected
    other_ids = [row.pk for row in sources.rows[1:]]
    if other_ids and proposal.others != other_ids:
        Proposal.objects.filter(pk=proposal.pk).update(others=other_ids)
    return Revised(first, proposal=proposal.pk)


def _place_taken(error: PlaceConflict, change: Change, ids: Sequence[UUID], *, trust: Trust, at: datetime) -> Revised:
    """Refuse a revision whose key another memory holds; if the caller may not see that one, a person decides."""
    holder = error.holder
    if holder is None or trust.sees(holder):
        raise error
    with suppress(Rejected), transaction.atomic():
        sources = hold(ids, change.ref, change.new, verb=change.verb, trust=trust, at=at)
        _propose(change, sources, trust=trust, at=at, least=holder.sensitivity)
    return Revised(None)


def _refuse_dismissed(refusal: Dismissed, *, trust: Trust, at: datetime) -> Revised:
    """Ask a person to lift the tombstone first; of an agent's try only the hit is counted."""
    is_visible = trust.sees(refusal.tombstone)
    if is_visible and decides(trust):
        raise refusal
    Tombstone.objects.filter(pk=refusal.tombstone.pk).hit(at=at)
    return Revised(None, refusal=refusal if is_visible else None)
