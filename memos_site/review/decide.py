"""Decide about one memory: check visibility, permission and version under a lock, then apply the verb."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from memories.intake import equal_claims
from memories.intake.edits import apply_edit, lock_memory
from memories.models import Memory
from memories.values.choices import EXPERIENCE, REASONS
from memories.values.exceptions import Conflict, FieldError, Invalid, Outdated
from memories.values.trust import Trust
from memos_site.review.decide_rows import decidable, version_token
from memos_site.review.verbs import VERBS, Verdict


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
    verb = VERBS.get(verdict.verb)
    if memory.type in EXPERIENCE and not (verb and verb.of_experience):
        raise Conflict("an episode or working state is experience, not a claim: nothing about it is decided")
    if seen and version_token(memory) != seen:
        raise Conflict(f"it has changed since you saw it; it is {memory.status} now")
    if verb is None:
        raise Invalid(unknown_verb())
    if verb.needs_reason and not verdict.why:
        raise Invalid(missing_reason())
    if verdict.edit is not None:
        who: dict[str, Any] = {"trust": verdict.trust, "by": verdict.by}
        apply_edit(memory, verdict.edit, at=verdict.at, batch=verdict.batch, **who)
    verb.act(memory, verdict)


def unknown_verb() -> FieldError:
    return FieldError("/action", "unknown_value", f"must be one of {', '.join(VERBS)}")


def missing_reason() -> FieldError:
    return FieldError("/reason", "required", f"say why: one of {', '.join(REASONS)}, or a sentence")
