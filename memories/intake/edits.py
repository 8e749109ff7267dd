"""Edit a memory: other words, tags, category, sensitivity, expiry or deletion policy, by a person or an agent."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Unpack
from uuid import UUID

from django.db import transaction
from pydantic import Field
from uuid_utils.compat import uuid7

from memories import claims
from memories.claims import Likeness
from memories.intake import admission
from memories.intake.admission import NO_DISMISSAL, Dismissal
from memories.intake.revisions.sources import IMMUTABLE, Dismissed
from memories.lifecycle.ownership import is_own
from memories.models import Memory, Proposal, Tombstone, claim_locks
from memories.models.audit import AuditFacts
from memories.models.proposal import Rejected
from memories.models.reviewable import OF_CLOSED_TOO
from memories.scanning import credentials
from memories.values.choices import LIVE, Hold, Permission, Sensitivity, Status, Type
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, Outdated, one_of
from memories.values.field_types import (
    LONGEST_TEXT,
    SOMETHING,
    CategoryName,
    DeletionPolicyName,
    Described,
    Instant,
    SensitivityName,
    Tags,
    read_body,
)
from memories.values.trust import Actor, Trust

FIRST_CONFIDENCE = 20  # of an agent's own words: a claim that it changes starts there again
WORDS = ("content", "category")

Words = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, pattern=SOMETHING)]


class Edit(Described):
    """Fields that are not given stay as they are."""

    content: Words = Field(default_factory=str)
    category: CategoryName = Field(default_factory=lambda: "fact")
    """Only for a semantic memory"""
    tags: Tags = Field(default_factory=list)
    sensitivity: SensitivityName = Field(default_factory=lambda: "low")
    """Only a caller with the permission `review` may lower it"""
    expires_at: Instant = None
    """In the future; null: it does not expire"""
    deletion_policy: DeletionPolicyName = Field(default_factory=lambda: "auto_prune")
    """Only a caller with the permission `review` may set it"""

    @property
    def given(self) -> dict[str, Any]:
        """The columns that were given, with the values that they take."""
        columns: dict[str, Any] = {name: getattr(self, name) for name in sorted(self.model_fields_set)}
        if "sensitivity" in columns:
            columns["sensitivity"] = Sensitivity.named(columns["sensitivity"]).value
        return columns

    @property
    def as_json(self) -> dict[str, Any]:
        """The given fields in JSON's types, as a proposal holds them."""
        return self.model_dump(mode="json", include=self.model_fields_set)

    def changed_columns(self, memory: Memory, *, at: datetime) -> dict[str, Any]:
        """The columns whose value becomes another; an expiry takes its time to live along. Invalid: it has passed."""
        change = {name: value for name, value in self.given.items() if getattr(memory, name) != value}
        if "expires_at" in change:
            until = change["expires_at"]
            if until is not None and until <= at:
                raise Invalid(FieldError("/expires_at", "out_of_range", "must be in the future"))
            change["ttl"] = (until - at).total_seconds() if until else None
        return change


@dataclass(frozen=True)
class Edited:
    """The memory as it stands after an edit, with its batch or proposal; neither when nothing was different.

    `refusal`: an agent's words were dismissed before, which was counted.
    """

    memory: Memory
    batch: UUID | None = None
    proposal: Proposal | None = None
    refusal: Dismissed | None = None


def parse_edit(raw: Any) -> Edit:
    """Read an edit from a JSON body. Invalid names every field that is wrong."""
    return read_body(Edit, raw, rewording=_rewording)


def _rewording(error: FieldError) -> FieldError:
    if error.pointer == "/content" and error.code in ("string_pattern_mismatch", "string_too_short"):
        return FieldError("/content", "required", "must say something")
    return error


def edit(
    trust: Trust, memory_id: UUID, change: Edit, *, at: datetime, why: str = "", versions: frozenset[int] | None = None
) -> Edited:
    """Edit a memory that is the caller's own or the caller's to decide; of any other a proposal is opened.

    `versions`: those that the caller may have seen; Outdated when it is another. Dismissed: people said no to these
    words, and a reviewer lifts that first. Else NotFound, NotAllowed, Invalid or Conflict.
    """
    reviews = trust.may(Permission.REVIEW)
    with transaction.atomic():
        memory = lock_memory(trust, memory_id, decides=reviews, at=at)
        trust.scope_to_write(memory.scope)
        if versions is not None and memory.version not in versions:
            raise Outdated(f"it has version {memory.version} now")
        columns = _columns(memory, change, at=at, by_a_person=reviews)
        if not reviews:
            _check_agent(memory, columns, trust)
        if not columns:
            return Edited(memory)
        if not reviews:
            return _edit_by_agent(memory, change, columns, trust=trust, at=at, why=why)
        batch = uuid7()
        _refuse_dismissed(memory, columns, trust)
        _write(memory, columns, by=trust.actor, at=at, why=why, batch=batch)
        return Edited(memory, batch)


def lock_memory(trust: Trust, memory_id: UUID, *, decides: bool, at: datetime) -> Memory:
    """The memory, locked for this transaction. NotFound: not there, not to be seen, or past its time.

    The lock of its scope comes before any row's, as a store takes them, so that the two never wait for each other.
    """
    rows = Memory.objects.answered_to(trust).unexpired(at)
    scope = one_of(rows.filter(pk=memory_id).values_list("scope", flat=True), "no such memory")
    lock = claim_locks.to_decide if decides else claim_locks.to_store
    lock(scope)
    return one_of(rows.select_for_update().filter(pk=memory_id), "no such memory")


def apply_edit(
    memory: Memory, change: Edit, *, trust: Trust, by_a_person: bool = True, **decision: Unpack[AuditFacts]
) -> None:
    """Write a reviewer's edit to a locked memory; nothing when it says so already. Invalid, Conflict, Dismissed.

    `by_a_person` false: the words are those of an agent. `trust`: of who is told what was dismissed.
    """
    columns = _columns(memory, change, at=decision["at"], by_a_person=by_a_person)
    if columns:
        _refuse_dismissed(memory, columns, trust)
        _write(memory, columns, **decision)


def _write(memory: Memory, columns: dict[str, Any], **decision: Unpack[AuditFacts]) -> None:
    """Write the columns; other words set the hold `floor`, so that no rule replaces what a reviewer chose."""
    hold: dict[str, Any] = (
        {"hold": Hold.FLOOR} if memory.hold == Hold.NONE and not columns.keys().isdisjoint(WORDS) else {}
    )
    memory.edit(columns, **decision, **hold)


def _columns(memory: Memory, change: Edit, *, at: datetime, by_a_person: bool) -> dict[str, Any]:
    """The columns that the edit moves. Conflict or Invalid for what this memory does not take."""
    if change.content and (content := credentials.restored(change.content, memory.content)) != change.content:
        change = change.model_copy(update={"content": content})
    columns = change.changed_columns(memory, at=at)
    columns |= admission.scan_edit(memory, columns, by_a_person=by_a_person)
    if memory.type == Type.EPISODIC and "content" in columns:
        raise Conflict(IMMUTABLE)
    if memory.type == Type.COMPETENCE and memory.payload.get("skill") and "content" in columns:
        raise Conflict("a published skill contains it: propose a version")
    if memory.type != Type.SEMANTIC and "category" in columns:
        raise Invalid(FieldError("/category", "invalid", "only a semantic memory has one"))
    if memory.status not in LIVE and not columns.keys() <= OF_CLOSED_TOO:
        raise Conflict(f"cannot edit a memory that is {memory.status}")
    return columns


def _check_agent(memory: Memory, columns: dict[str, Any], trust: Trust) -> None:
    """NotAllowed: a change that needs the permission review, even of the agent's own memory. Conflict: another's closed
    memory, of which nothing is proposed."""
    if memory.status not in LIVE and not is_own(memory, trust):
        raise Conflict(f"cannot edit a memory that is {memory.status}")
    if columns.get("sensitivity", memory.sensitivity) < memory.sensitivity:
        raise NotAllowed("only a reviewer lowers a sensitivity")
    if "deletion_policy" in columns:
        raise NotAllowed("only a reviewer sets a deletion policy")


def _edit_by_agent(
    memory: Memory, change: Edit, columns: dict[str, Any], *, trust: Trust, at: datetime, why: str
) -> Edited:
    """Edit the agent's own memory; propose it where people decided: another claim than confirmed, or a dismissal."""
    dismissal = _dismissal(memory, columns)
    tombstone = dismissal.blocking
    if tombstone and trust.sees(tombstone):
        Tombstone.objects.filter(pk=tombstone.pk).hit(at=at)
        return Edited(memory, refusal=Dismissed(tombstone))
    another = _is_another_claim(memory.content, columns.get("content", memory.content))
    waits = another or columns.get("flags") or dismissal.elsewhere or dismissal.near_tombstone
    unsure = waits and memory.status != Status.CANDIDATE
    if tombstone or unsure or not is_own(memory, trust):
        least_level = max(columns.get("sensitivity", memory.sensitivity), tombstone.sensitivity if tombstone else 0)
        facts: dict[str, Any] = {"by": trust.actor, "at": at, "why": why, "sensitivity": least_level}
        return Edited(memory, proposal=_propose(memory, change, dismissal=dismissal, **facts))
    restart = {"confidence": min(memory.confidence, FIRST_CONFIDENCE), "times_confirmed": 0} if another else {}
    batch = uuid7()
    extra_columns = {"resembles": dismissal.columns["resembles"]} if "content" in columns and memory.is_claim else {}
    memory.edit(columns, by=trust.actor, at=at, why=why, batch=batch, extra_columns=extra_columns, **restart)
    return Edited(memory, batch)


def _propose(
    memory: Memory, change: Edit, *, by: Actor, at: datetime, why: str, sensitivity: int, dismissal: Dismissal
) -> Proposal:
    """Open the proposal of an edit. Rejected: a person has rejected the same edit before."""
    verb = {"verb": "edit", **change.as_json}
    kind = Proposal.Kind.REVISION
    proposal = Proposal.objects.propose(kind, memory, verb, by=by, why=why, at=at, sensitivity=sensitivity)
    tombstone = dismissal.blocking
    if tombstone:
        Tombstone.objects.filter(pk=tombstone.pk).hit(at=at)
    if proposal.is_rejected:
        raise Rejected
    if near := tombstone or dismissal.near_tombstone:
        Proposal.objects.filter(pk=proposal.pk).update(resembles=near.pk)
    return proposal


def _refuse_dismissed(memory: Memory, columns: dict[str, Any], trust: Trust) -> None:
    """Dismissed: these words would bring back what the caller may see that it was dismissed."""
    stone = _dismissal(memory, columns).blocking
    if stone is not None and trust.sees(stone):
        raise Dismissed(stone)


def _dismissal(memory: Memory, columns: dict[str, Any]) -> Dismissal:
    """The dismissals that these words meet. What a memory says already, which a person keeps beside its dismissal, may
    be put into other words."""
    if not memory.is_claim or "content" not in columns:
        return NO_DISMISSAL
    content = columns["content"]
    dismissal = admission.dismissal_of(content, scope=memory.scope, key=memory.key)
    is_kept = dismissal.blocking is not None and (memory.hold == Hold.FLOOR or dismissal.blocking.duplicate)
    says_it = is_kept and claims.compare(claims.claim_of(memory.content), claims.claim_of(content)) == Likeness.SAME
    return replace(dismissal, blocking=None) if says_it else dismissal


def _is_another_claim(before: str, after: str) -> bool:
    likeness = claims.compare(claims.claim_of(before), claims.claim_of(after), same_subject=True)
    return likeness not in (Likeness.SAME, Likeness.REWORDING)
