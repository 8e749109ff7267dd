"""Decide about one memory: check visibility, permission and version under a lock, then apply the verb."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from memories.intake import equal_claims
from memories.intake.edits import Edit, apply_edit, lock_memory
from memories.lifecycle import salience
from memories.models import Memory
from memories.values.choices import EXPERIENCE, REASONS, Status, Type
from memories.values.exceptions import Conflict, FieldError, Invalid, Outdated
from memories.values.trust import Actor, Trust
from memos_site.review.decide_rows import decidable, version_token
from skills import publishing
from skills.models import SkillVersion


@dataclass(frozen=True)
class Verdict:
    """A decision to apply: verb, caller, time, batch and options.

    `to`: the status of a promotion or demotion; `number`: the version of a skill that is published or rejected; `edit`:
    new words, written before the verb is applied.
    """

    verb: str
    trust: Trust
    at: datetime
    batch: UUID
    why: str = ""
    to: Status | None = None
    until: datetime | None = None
    pinned: bool = True
    number: int | None = None
    edit: Edit | None = None

    @property
    def by(self) -> Actor:
        """The person or agent who decides."""
        return self.trust.actor

    @property
    def audit(self) -> dict[str, Any]:
        """Arguments of the models' decision methods, for the audit row."""
        return {"by": self.by, "at": self.at, "why": self.why, "batch": self.batch}


@dataclass(frozen=True)
class Decision:
    """Result of a decision.

    `memory`: the row afterwards; `batch`: the id by which it is undone; `equals`: memories dismissed along because they
    claim the same.
    """

    memory: Memory
    batch: UUID
    verb: str
    equals: list[UUID] = field(default_factory=list)


def decide(
    trust: Trust,
    memory_id: UUID,
    verb: str,
    *,
    at: datetime,
    why: str = "",
    seen: str = "",
    versions: frozenset[int] | None = None,
    **how: Any,
) -> Decision:
    """Decide about one memory.

    `seen`: the `version_token` that the caller was shown; '' accepts any version. `versions`: those that an If-Match
    allows. `how`: the fields of Verdict that the verb takes.

    NotFound: it does not exist or is not visible; NotAllowed: no permission to review, or to write into its scope;
    Conflict: it has changed since it was seen, or its status does not allow the verb; Outdated: its version is not in
    `versions`; Invalid: an unknown verb, or no reason (dismissal, critical findings).
    """
    verdict = Verdict(verb, trust, at, uuid7(), why.strip(), **how)
    with transaction.atomic():
        memory = _locked_memory(trust, memory_id, at=at)
        if versions is not None and memory.version not in versions:
            raise Outdated(f"it has version {memory.version} now")
        apply_verdict(memory, verdict, seen=seen)
    return Decision(memory, verdict.batch, verb, equals_dismissed_with(verdict, [memory.pk]))


def equals_dismissed_with(verdict: Verdict, chosen: Collection[UUID]) -> list[UUID]:
    """Return the memories dismissed along with the chosen ones because they claim the same."""
    if verdict.verb != "dismiss":
        return []
    ids = frozenset(chosen)
    return [memory_id for memory_id in equal_claims.dismissed_by(verdict.batch) if memory_id not in ids]


def _locked_memory(trust: Trust, memory_id: UUID, *, at: datetime) -> Memory:
    """Lock the memory. NotFound comes before NotAllowed, so that nothing is revealed of what is not visible."""
    decidable(Memory.objects.unexpired(at), trust, memory_id)
    return lock_memory(trust, memory_id, decides=True, at=at)


def apply_verdict(memory: Memory, verdict: Verdict, *, seen: str = "") -> None:
    """Apply a verdict to a memory that is locked for this transaction. Conflict and Invalid as in `decide`."""
    if memory.type in EXPERIENCE and verdict.verb != "pin":
        raise Conflict("an episode or working state is experience, not a claim: nothing about it is decided")
    if seen and version_token(memory) != seen:
        raise Conflict(f"it has changed since you saw it; it is {memory.status} now")
    if verdict.verb not in VERBS:
        raise Invalid(FieldError("/action", "unknown_value", f"must be one of {', '.join(VERBS)}"))
    if verdict.edit is not None:
        who: dict[str, Any] = {"trust": verdict.trust, "by": verdict.by}
        apply_edit(memory, verdict.edit, at=verdict.at, batch=verdict.batch, **who)
    VERBS[verdict.verb](memory, verdict)


def _promote(memory: Memory, verdict: Verdict) -> None:
    """Promote a memory; of a skill publish the proposed version, or apply the skill where none is proposed."""
    audit, to = verdict.audit, verdict.to or Status.CONFIRMED
    by_number = verdict.number is not None
    if not by_number and (not _has_version(memory) or (to == Status.APPLIED and not _waits(memory))):
        memory.promote(to=to, **audit)
        return
    with transaction.atomic():  # both or neither
        publishing.publish(memory, number=verdict.number, **audit)
        if to == Status.APPLIED:
            memory.promote(to=to, **audit)


def _waits(memory: Memory) -> bool:
    proposed = SkillVersion.objects.filter(skill=memory.pk, status=SkillVersion.Status.PROPOSED)
    return memory.status in publishing.UNDECIDED or proposed.exists()


def _has_version(memory: Memory) -> bool:
    versions = SkillVersion.objects.filter(skill=memory.pk, status__in=publishing.SINGLE_STATUSES)
    return memory.type == Type.COMPETENCE and versions.exists()


def _demote(memory: Memory, verdict: Verdict) -> None:
    memory.demote(to=verdict.to or Status.CANDIDATE, **verdict.audit)


def _dismiss(memory: Memory, verdict: Verdict) -> None:
    if not verdict.why:
        raise Invalid(missing_reason())
    about: dict[str, Any] = {"trust": verdict.trust, "why": verdict.why, "at": verdict.at, "batch": verdict.batch}
    equal_claims.dismiss(memory, **about)


def missing_reason() -> FieldError:
    """Return the error of a decision without a reason."""
    return FieldError("/reason", "required", f"say why: one of {', '.join(REASONS)}, or a sentence")


def _reject(memory: Memory, verdict: Verdict) -> None:
    """Reject the proposed version of a skill; the skill stays."""
    if not verdict.why:
        raise Invalid(missing_reason())
    if not _has_version(memory):
        raise Conflict("it is no skill with a version that could be rejected")
    publishing.reject(memory, number=verdict.number, **verdict.audit)


def _retire(memory: Memory, verdict: Verdict) -> None:
    """Withdraw the published version of a skill from agents; the skill stays."""
    if memory.type != Type.COMPETENCE or not SkillVersion.objects.filter(skill=memory.pk).exists():
        raise Conflict("it is no skill with a version that could be retired")
    publishing.retire(memory, **verdict.audit)


def _restore(memory: Memory, verdict: Verdict) -> None:
    memory.restore(**verdict.audit)


def _pin(memory: Memory, verdict: Verdict) -> None:
    salience.pin(memory, verdict.pinned, **verdict.audit)


def _snooze(memory: Memory, verdict: Verdict) -> None:
    if verdict.until is not None and verdict.until <= verdict.at:
        raise Invalid(FieldError("/until", "out_of_range", "must be in the future"))
    memory.snooze(verdict.until, **verdict.audit)


def _edit(memory: Memory, verdict: Verdict) -> None:
    """Check that there is an edit; `apply_verdict` has written it already."""
    if verdict.edit is None:
        raise Invalid(FieldError("", "required", "say what is to be changed"))


VERBS: dict[str, Callable[[Memory, Verdict], None]] = {
    "promote": _promote,
    "demote": _demote,
    "dismiss": _dismiss,
    "reject": _reject,
    "retire": _retire,
    "restore": _restore,
    "pin": _pin,
    "snooze": _snooze,
    "edit": _edit,
}
