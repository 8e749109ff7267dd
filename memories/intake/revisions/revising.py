"""A revision that somebody asks for: what is the caller's own is revised, anything else is proposed to a person."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from memories.intake.reports.revisions import LONGEST_RATIONALE, NewMemory, check
from memories.intake.revisions import contesting, merging, new_memory, superseding
from memories.intake.revisions.inheritance import Making
from memories.intake.revisions.sources import NEW_WORDS, Dismissed, Sources, hold, hold_for, refuse
from memories.intake.revisions.superseding import Held
from memories.lifecycle.ownership import decides, is_own
from memories.models import Memory, Proposal, Tombstone
from memories.models.proposal import Rejected
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.values.trust import Actor, Trust

VERBS = ("supersede", "fork", "contest", "retract", "merge")
KINDS = {"merge": Proposal.Kind.MERGE}


@dataclass(frozen=True)
class Change:
    """What is asked: `said` is the new memory, `ref` what speaks against the old one (an id, or words)."""

    verb: str
    why: str
    said: NewMemory | None = None
    ref: str = ""

    def kept(self, sources: Sequence[Memory]) -> dict[str, Any]:
        """As a proposal keeps it; `carry_out` reads it."""
        told: dict[str, Any] = {"verb": self.verb, "rationale": self.why}
        told |= {"memory": self.said.kept} if self.said else {}
        told |= {"ref": self.ref} if self.ref else {}
        return told | ({"ids": [str(source.pk) for source in sources]} if self.verb == "merge" else {})


@dataclass(frozen=True)
class Revised:
    """The new memory, or the one that was contested or retracted, as it stands. `memory` None: the change met what the
    caller may not see, and nothing is told. `refused`: an agent's change was suppressed, and that was counted."""

    memory: Memory | None
    batch: UUID | None = None
    proposal: UUID | None = None
    refused: Conflict | None = None


def ask(change: Change, ids: Sequence[UUID], *, trust: Trust, at: datetime) -> Revised:
    """Revises what is the caller's own or the caller's to decide; of anything else a proposal is opened.

    NotFound: one of them is not there or not to be seen; NotAllowed: another scope; Conflict: an episode, a packaged
    skill, or no longer live; Invalid: what was said of the new memory.
    """
    try:
        with transaction.atomic():
            sources = hold(ids, change.ref, change.said, verb=change.verb, trust=trust, at=at)
            if not all(is_own(row, trust) for row in sources.rows):
                return _propose(change, sources, trust=trust, at=at)
            batch = uuid7()
            making = Making(change.verb, trust.actor, at, vouched=decides(trust))
            return Revised(_perform(change, sources, making, batch), batch)
    except Held as held:
        return _met(held, change, ids, trust=trust, at=at)
    except Dismissed as met:
        return _suppressed(met, trust=trust, at=at)


def carry_out(memory: Memory, change: dict[str, Any], *, by: Actor, at: datetime, batch: UUID, why: str = "") -> Memory:
    """Performs what an accepted proposal would change: the memory that it made, contested or retracted.

    `change` is {verb, rationale, memory?, ref?, ids?}. Conflict: things are no longer so, or it cannot be read. Takes
    the claim lock of the scope shared: who wants it exclusively takes it before.
    """
    try:
        asked = _read(change, why)
        ids = [UUID(str(one)) for one in change.get("ids", [])] if asked.verb == "merge" else [memory.pk]
        with transaction.atomic():
            sources = hold_for(ids, asked.ref, asked.said, scope=memory.scope, verb=asked.verb)
            return _perform(asked, sources, Making(asked.verb, by, at, vouched=True), batch)
    except (Invalid, NotFound, NotAllowed) as refusal:
        raise Conflict(f"what is proposed does not apply any more: {refusal}") from None


def _read(change: dict[str, Any], why: str) -> Change:
    """What of the memory is not known here is passed over."""
    verb, told = change.get("verb"), change.get("memory")
    if verb not in VERBS:
        raise Invalid(FieldError("/change/verb", "unknown_value", f"must be one of {', '.join(VERBS)}"))
    if isinstance(told, dict):
        told = {name: value for name, value in told.items() if name in NewMemory.model_fields}
    said = check(NewMemory, told, "/change/memory") if told is not None else None
    if said is None and verb in NEW_WORDS:
        raise Invalid(FieldError("/change/memory", "required", "is required"))
    rationale = (why or str(change.get("rationale", "")))[:LONGEST_RATIONALE]
    return Change(verb, rationale, said, str(change.get("ref", "")))


def _perform(change: Change, sources: Sources, making: Making, batch: UUID) -> Memory:
    """In the caller's transaction, under the locks of its sources."""
    told: dict[str, Any] = {"by": making.by, "why": change.why, "at": making.at, "batch": batch}
    first = sources.rows[0]
    if change.said is not None:
        new = new_memory.admit(change.said, sources.rows, making, episode=sources.episode)
        if change.verb == "supersede":
            superseding.supersede(first, new, **told)
        elif change.verb == "fork":
            superseding.fork(first, new, **told)
        elif change.verb == "merge":
            merging.merge(sources.rows, new, **told)
        else:
            superseding.begin(new, "create", **told)
            contesting.contest(first, new, **told)
        sources.speak_for(new, by=making.by, at=making.at)
        return new
    if change.verb == "retract":
        superseding.retract(first, **told)
    elif sources.other is not None:
        contesting.contest_with(first, sources.other, **told)
    else:
        contesting.contest_by_words(first, change.ref, **told)
    return first


def _propose(change: Change, sources: Sources, *, trust: Trust, at: datetime, least: int = 0) -> Revised:
    """For a person to decide. What would be refused is refused now."""
    first = sources.rows[0]
    for row in sources.rows:
        refuse(row, change.verb)
    sensitivity = max(least, *(row.sensitivity for row in sources.named))
    if change.said is not None:
        making = Making(change.verb, trust.actor, at, vouched=False)
        sensitivity = max(
            sensitivity, new_memory.admit(change.said, sources.rows, making, episode=sources.episode).sensitivity
        )
    proposal = Proposal.objects.propose(
        KINDS.get(change.verb, Proposal.Kind.REVISION),
        first,
        change.kept(sources.rows),
        by=trust.actor,
        why=change.why,
        at=at,
        sensitivity=sensitivity,
    )
    if proposal.is_rejected:
        raise Rejected
    others = [row.pk for row in sources.rows[1:]]
    if others and proposal.others != others:
        Proposal.objects.filter(pk=proposal.pk).update(others=others)
    return Revised(first, proposal=proposal.pk)


def _met(held: Held, change: Change, ids: Sequence[UUID], *, trust: Trust, at: datetime) -> Revised:
    """Its place is another memory's: one that the caller may not see is not told of, and a person decides."""
    holder = held.holder
    if holder is None or trust.sees(scope=holder.scope, sensitivity=holder.sensitivity):
        raise held
    with suppress(Rejected), transaction.atomic():
        sources = hold(ids, change.ref, change.said, verb=change.verb, trust=trust, at=at)
        _propose(change, sources, trust=trust, at=at, least=holder.sensitivity)
    return Revised(None)


def _suppressed(met: Dismissed, *, trust: Trust, at: datetime) -> Revised:
    """A person is asked to lift the tombstone first; an agent's try is counted, and nothing else moves."""
    seen = trust.sees(scope=met.tombstone.scope, sensitivity=met.tombstone.sensitivity)
    if seen and decides(trust):
        raise met
    Tombstone.objects.filter(pk=met.tombstone.pk).hit(at=at)
    return Revised(None, refused=met if seen else None)
