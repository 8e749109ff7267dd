"""The verbs of this room that people decide by, where one row is not all: edits, proposals, adaptations, tombstones."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from memories import claims
from memories.claims import Likeness
from memories.intake import admission, edits, equal_claims, revisions
from memories.intake.edits import Edit
from memories.intake.revisions.sources import IMMUTABLE
from memories.models import Adaptation, AuditEntry, Memory, Proposal, Tombstone, claim_locks
from memories.models.proposal import Rejected
from memories.models.reviewable import OF_CLOSED_TOO
from memories.values.choices import LIVE, Hold, Permission, RevertReason, Status, Type
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound, Outdated
from memories.values.trust import Actor, Trust

FIRST_CONFIDENCE = 20  # what an agent's own words earn: a claim that it changes begins there again
WORDS = ("content", "category")


@dataclass(frozen=True)
class Edited:
    """The memory as it now stands, and what came of it: a batch, a proposal, or neither when nothing is different."""

    memory: Memory
    batch: UUID | None = None
    proposal: Proposal | None = None


def edit(
    trust: Trust, memory_id: UUID, change: Edit, *, at: datetime, why: str = "", versions: frozenset[int] | None = None
) -> Edited:
    """Other words, tags, category, sensitivity or expiry. What is not the caller's own becomes a proposal.

    `versions`: those that the caller may have seen; Outdated when it is another. Else NotFound, NotAllowed, Invalid or
    Conflict.
    """
    with transaction.atomic():
        memory = found(trust, memory_id, decides=trust.may(Permission.REVIEW), at=at)
        trust.scope_to_write(memory.scope)
        if versions is not None and memory.version not in versions:
            raise Outdated(f"it has version {memory.version} now")
        columns = _columns(memory, change, at=at, by_a_person=trust.may(Permission.REVIEW))
        _allow(memory, columns)
        if not trust.may(Permission.REVIEW):
            _allow_agent(memory, columns, trust)
        if not columns:
            return Edited(memory)
        if trust.may(Permission.REVIEW):
            batch = uuid7()
            rewrite(memory, columns, by=trust.actor, at=at, why=why, batch=batch)
            return Edited(memory, batch)
        return _by_agent(memory, change, columns, trust=trust, at=at, why=why)


def found(trust: Trust, memory_id: UUID, *, decides: bool, at: datetime) -> Memory:
    """The memory, locked for this transaction. NotFound: not there, not to be seen, or past its time.

    The lock of its scope comes before any row's, as a store takes them, so that the two never wait for each other.
    """
    rows = Memory.objects.visible_to(trust).unexpired(at)
    scope = rows.filter(pk=memory_id).values_list("scope", flat=True).first()
    if scope is None:
        raise NotFound("no such memory")
    lock = claim_locks.to_decide if decides else claim_locks.to_store
    lock(scope)
    memory = rows.select_for_update().filter(pk=memory_id).first()
    if memory is None:
        raise NotFound("no such memory")
    return memory


def write(
    memory: Memory, change: Edit, *, by: Actor, at: datetime, why: str = "", batch: UUID, by_a_person: bool = True
) -> None:
    """A person's or reviewer's edit of a memory that is locked; nothing when it says so already. Invalid, Conflict.

    `by_a_person` false: the words are those of an agent.
    """
    columns = _columns(memory, change, at=at, by_a_person=by_a_person)
    _allow(memory, columns)
    if columns:
        rewrite(memory, columns, by=by, at=at, why=why, batch=batch)


def rewrite(
    memory: Memory, columns: dict[str, Any], *, by: Actor, at: datetime, why: str = "", batch: UUID
) -> AuditEntry:
    """A person's or reviewer's edit. No rule replaces words that they chose: unless it is fixed, it is held."""
    held = {"hold": Hold.FLOOR} if memory.hold == Hold.NONE and not columns.keys().isdisjoint(WORDS) else {}
    return memory.edit(columns, by=by, at=at, why=why, batch=batch, **held)


def _columns(memory: Memory, change: Edit, *, at: datetime, by_a_person: bool) -> dict[str, Any]:
    """What the edit moves. Other words are scanned as those of a store, or an edit would pass by what a store does."""
    columns = change.changing(memory, at=at)
    return columns | admission.scan_edit(memory, columns, by_a_person=by_a_person)


def _allow(memory: Memory, columns: dict[str, Any]) -> None:
    """Conflict or Invalid for what this memory does not take."""
    if memory.type == Type.EPISODIC and "content" in columns:
        raise Conflict(IMMUTABLE)
    if memory.type == Type.COMPETENCE and memory.payload.get("skill") and "content" in columns:
        raise Conflict("it is what a published skill says: propose a version")
    if memory.type != Type.SEMANTIC and "category" in columns:
        raise Invalid(FieldError("/category", "invalid", "only a semantic memory has one"))
    if memory.status not in LIVE and not columns.keys() <= OF_CLOSED_TOO:
        raise Conflict(f"cannot edit a memory that is {memory.status}")


def _allow_agent(memory: Memory, columns: dict[str, Any], trust: Trust) -> None:
    """NotAllowed for what nobody may change without the permission review, not even of its own. Conflict: of a closed
    memory nothing is proposed."""
    if memory.status not in LIVE and not revisions.is_own(memory, trust):
        raise Conflict(f"cannot edit a memory that is {memory.status}")
    if columns.get("sensitivity", memory.sensitivity) < memory.sensitivity:
        raise NotAllowed("only a reviewer lowers a sensitivity")
    if "deletion_policy" in columns:
        raise NotAllowed("only a reviewer sets a deletion policy")


def _by_agent(memory: Memory, change: Edit, columns: dict[str, Any], *, trust: Trust, at: datetime, why: str) -> Edited:
    """Its own it edits, unless that would pass by what people decided: a confirmed claim, or a dismissal."""
    met = _met(memory, columns)
    words = columns.get("content", memory.content)
    another = _is_another(memory.content, words)
    unsure = (another or columns.get("flags")) and memory.status != Status.CANDIDATE
    if met or unsure or not revisions.is_own(memory, trust):
        said = {"verb": "edit", **change.kept}
        needed = max(columns.get("sensitivity", memory.sensitivity), met.sensitivity if met else 0)
        about: dict[str, Any] = {"sensitivity": needed}
        kind = Proposal.Kind.REVISION
        proposal = Proposal.objects.propose(kind, memory, said, by=trust.actor, why=why, at=at, **about)
        if met:
            Tombstone.objects.filter(pk=met.pk).hit(at=at)
        if proposal.is_rejected:
            raise Rejected
        if met:
            Proposal.objects.filter(pk=proposal.pk).update(resembles=met.pk)
        return Edited(memory, proposal=proposal)
    anew: dict[str, Any] = {"confidence": min(memory.confidence, FIRST_CONFIDENCE), "times_confirmed": 0}
    batch = uuid7()
    memory.edit(columns, by=trust.actor, at=at, why=why, batch=batch, **(anew if another else {}))
    return Edited(memory, batch)


def _met(memory: Memory, columns: dict[str, Any]) -> Tombstone | None:
    """The dismissal that these words would bring back."""
    if memory.type != Type.SEMANTIC or columns.keys().isdisjoint(WORDS):
        return None
    content = columns.get("content", memory.content)
    return admission.dismissal_of(content, scope=memory.scope, key=memory.key).blocking


def _is_another(before: str, after: str) -> bool:
    likeness = claims.compare(claims.claim_of(before), claims.claim_of(after), same_subject=True)
    return likeness not in (Likeness.SAME, Likeness.REWORDING)


def pin(
    memory: Memory, pinned: bool, *, by: Actor, at: datetime, why: str = "", batch: UUID | None = None
) -> AuditEntry:
    """Pinned: today's salience stays. Unpinned: it fades again from now on."""
    with transaction.atomic():
        memory.lock_for("pin" if pinned else "unpin", LIVE)
        if memory.pinned == pinned:
            raise Conflict(f"it is {'pinned' if pinned else 'not pinned'} already")
        change = {"pinned": pinned, "salience": memory.salience_on(at), "salience_at": at}
        return memory.revise("pin" if pinned else "unpin", change, by=by, why=why, at=at, batch=batch)


def accept(proposal: Proposal, *, by: Actor, at: datetime, why: str = "", batch: UUID) -> None:
    """What was proposed is done. Conflict: it was decided before, or does not apply any more (then it stays open)."""
    with transaction.atomic():
        proposal.decide(Proposal.Decision.ACCEPTED, by=by, at=at, why=why, batch=batch)
        memory, change = proposal.memory, dict(proposal.change)
        verb = change.pop("verb", "")
        memory.lock_for(verb or "accept", LIVE)
        if verb == "demote":
            memory.demote(by=by, at=at, why=why, batch=batch)
        elif verb == "edit":
            _write_proposed(memory, change, by=by, at=at, why=why, batch=batch)
        else:
            revisions.carry_out(memory, proposal.change, by=by, at=at, batch=batch, why=why)


def _write_proposed(memory: Memory, said: dict[str, Any], *, by: Actor, at: datetime, why: str, batch: UUID) -> None:
    try:
        write(memory, edits.edit(said), by=by, at=at, why=why, batch=batch, by_a_person=False)
    except Invalid as invalid:
        raise Conflict(f"what is proposed does not apply any more: {invalid}") from None


def reject(proposal: Proposal, *, by: Actor, at: datetime, why: str = "", batch: UUID) -> None:
    proposal.decide(Proposal.Decision.REJECTED, by=by, at=at, why=why, batch=batch)


def revert(
    adaptation: Adaptation, *, keep_memory: bool, trust: Trust, at: datetime, why: str = "", batch: UUID
) -> None:
    """The behaviour ends. Its memory stays believed, where rules move it no more, or is dismissed along; so does what
    claims the same under another key. Conflict: it was reverted before.
    """
    told: dict[str, Any] = {"at": at, "batch": batch}
    with transaction.atomic():
        memory = adaptation.memory
        if memory is not None:
            memory.lock_for("revert", Status.values)
        adaptation.refresh_from_db()
        if memory is None or adaptation.reverted_at is not None:
            raise Conflict(f"cannot revert: it has been reverted before ({adaptation.revert_reason})")
        if not keep_memory:
            equal_claims.dismiss(memory, trust=trust, why=why or "its adaptation was reverted", **told)
            return
        Adaptation.objects.filter(pk=adaptation.pk).revert(why=RevertReason.USER_REVERT, by=trust.actor, at=at)
        change = {"status": Status.CONFIRMED, "hold": Hold.FIXED}
        memory.revise("revert", change, by=trust.actor, why=why, **told)
        equal_claims.fix(memory, trust=trust, why=why, **told)
