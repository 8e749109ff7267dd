"""Dismiss a memory or revert its adaptation together with its equals: the same claim under other keys.

In the batch of the decision, so that they are undone together. Equals that the person may not see stay as they are, and
no number carries them further (climbing.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from memories.intake.claims import equals_elsewhere, equals_of, held_equals
from memories.models import Adaptation, AuditEntry, Memory
from memories.models.audit import AuditFacts, AuditQuerySet
from memories.values.choices import Hold, Permission, RevertReason, Status
from memories.values.exceptions import Conflict
from memories.values.trust import Trust

DUPLICATE = "duplicate"  # a reason that says nothing against the claim: its equals stay
MOST_COMPARED = 100  # dismissals of one batch that are looked for elsewhere


def dismiss(memory: Memory, *, trust: Trust, why: str, at: datetime, batch: UUID) -> None:
    """Dismiss the memory and its equals; a duplicate alone. Conflict: somebody was faster."""
    decision: AuditFacts = {"by": trust.actor, "why": why, "at": at, "batch": batch}
    duplicate = _is_duplicate(why)
    try:
        if not (
            memory.locked_rows and memory.locked_rows.has_closed(memory)
        ):  # dismissed just now, as the equal of another row
            memory.dismiss(duplicate=duplicate, **decision)
    except Conflict:
        if not _dismissals(batch).filter(subject_id=memory.pk).exists():  # by an earlier part of the same batch
            raise
    for equal in () if duplicate else _equals(memory, trust):
        equal.dismiss(**decision)


@dataclass(frozen=True)
class AlsoKnown:
    """A live memory that claims what was dismissed in another scope. `may_be_dismissed`: by the caller."""

    memory: Memory
    may_be_dismissed: bool


def also_known(memory: Memory, trust: Trust, *, why: str, at: datetime) -> list[AlsoKnown]:
    """Where else the caller may see what was dismissed here, for whatever reason but that it is a duplicate.

    Nothing is decided there: each is a decision of its own, undone by itself.
    """
    known = _known_of([(memory, why)], trust, at=at)
    return known[0].known if known else []


@dataclass(frozen=True)
class KnownDismissal:
    """A dismissed memory with where else it is known. `why`: the reason of its dismissal."""

    memory: Memory
    why: str
    known: list[AlsoKnown]


def known_beside(batch: UUID, trust: Trust, *, at: datetime) -> list[KnownDismissal]:
    """Of the first MOST_COMPARED dismissals of a batch those whose claim is known in other scopes, see `also_known`."""
    reasons = dict(_dismissals(batch).order_by("pk").values_list("subject_id", "rationale")[:MOST_COMPARED])
    rows = Memory.objects.visible_to(trust).filter(pk__in=reasons).order_by("pk") if reasons else ()
    return _known_of([(row, reasons[row.pk]) for row in rows], trust, at=at)


def _known_of(memories: Iterable[tuple[Memory, str]], trust: Trust, *, at: datetime) -> list[KnownDismissal]:
    """Those of these (memory, reason) that are dismissed, and whose claim is known in other scopes."""
    reasons = [(row, why) for row, why in memories if row.status == Status.DISMISSED and not _is_duplicate(why)]
    if not reasons:
        return []
    elsewhere = equals_elsewhere((row for row, _ in reasons), Memory.objects.visible_to(trust).unexpired(at).live())
    reviews = trust.may(Permission.REVIEW)

    def other_place(row: Memory) -> AlsoKnown:
        return AlsoKnown(row, reviews and (trust.scopes is None or row.scope in trust.scopes))

    dismissals = [KnownDismissal(row, why, list(map(other_place, elsewhere.get(row.pk, ())))) for row, why in reasons]
    return [dismissal for dismissal in dismissals if dismissal.known]


def known_rows(dismissals: Iterable[KnownDismissal]) -> list[Memory]:
    """Each of the memories that claim the same as one of these, once."""
    return list({row.memory.pk: row.memory for dismissal in dismissals for row in dismissal.known}.values())


def _is_duplicate(why: str) -> bool:
    return why.partition(":")[0].strip() == DUPLICATE


def dismissed_by(batch: UUID) -> list[UUID]:
    return list(_dismissals(batch).values_list("subject_id", flat=True))


def _dismissals(batch: UUID) -> AuditQuerySet:
    return AuditEntry.objects.of_batch(batch).filter(subject_kind="memory", action="dismiss")


def revert_adaptation(
    adaptation: Adaptation, *, keep_memory: bool, trust: Trust, at: datetime, why: str = "", batch: UUID
) -> None:
    """End a behaviour. Its memory and the equals are dismissed, or with `keep_memory` confirmed and fixed.

    Conflict: it was reverted before.
    """
    decision: AuditFacts = {"by": trust.actor, "why": why, "at": at, "batch": batch}
    with transaction.atomic():
        memory = adaptation.memory
        if memory is not None:
            memory.lock_for("revert", Status.values)
        adaptation.refresh_from_db()
        if memory is None or adaptation.reverted_at is not None:
            raise Conflict(f"cannot revert: it has been reverted before ({adaptation.revert_reason})")
        if not keep_memory:
            dismiss(memory, trust=trust, why=why or "its adaptation was reverted", at=at, batch=batch)
            return
        Adaptation.objects.filter(pk=adaptation.pk).revert(why=RevertReason.USER_REVERT, by=trust.actor, at=at)
        memory.revise("revert", {"status": Status.CONFIRMED, "hold": Hold.FIXED}, **decision)
        for equal in _equals(memory, trust):
            _fix(equal, decision)


def _fix(equal: Memory, decision: AuditFacts) -> None:
    """End the behaviour of an equal claim too, and hold it so that rules do not apply it again."""
    equal.lock_for("revert", Status.values)
    change: dict[str, Any] = {"hold": Hold.FIXED}
    if equal.status == Status.APPLIED:
        equal.adaptations.revert(why=RevertReason.USER_REVERT, by=decision["by"], at=decision["at"])
        change["status"] = Status.CONFIRMED
    equal.revise("revert", change, **decision)


def _equals(memory: Memory, trust: Trust) -> list[Memory]:
    if memory.locked_rows and memory.locked_rows.like_ids is not None:
        return held_equals(memory)
    return equals_of(memory, Memory.objects.visible_to(trust).live())
