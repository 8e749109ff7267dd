"""Decide about one memory: check visibility, permission and version under a lock, then apply the verb."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from memories.intake import equal_claims
from memories.intake.edits import Edit, apply_edit, lock_memory
from memories.models import Memory
from memories.values.choices import EXPERIENCE, REASONS
from memories.values.exceptions import Conflict, FieldError, Invalid, Outdated
from memories.values.trust import Trust
from memos_site.review.decide_rows import decidable, version_token
from memos_site.review.verbs import VERBS, Decision


@dataclass(frozen=True)
class DecisionResult:
    """Result of a decision.

    `memory`: the row afterwards; `batch`: the id by which it is undone; `equals`: memories dismissed along because they
    claim the same.
    """

    memory: Memory
    batch: UUID
    equals: list[UUID] = field(default_factory=list)


def decide(
    trust: Trust,
    memory_id: UUID,
    verb: str,
    *,
    at: datetime,
    why: str = "",
    token: str = "",
    versions: frozenset[int] | None = None,
    edit: Edit | None = None,
    **options: Any,
) -> DecisionResult:
    """Decide about one memory.

    `token`: the `version_token` that the caller was shown; '' accepts any version. `versions`: those that an If-Match
    allows. `edit` and `options`: of Decision.

    NotFound: it does not exist or is not visible; NotAllowed: no permission to review, or to write into its scope;
    Conflict: it has another `version_token` now, or its status does not allow the verb; Outdated: its version is not in
    `versions`; Invalid: an unknown verb, or no reason (dismissal, critical findings).
    """
    decision = Decision(verb, trust, at, uuid7(), why.strip(), options, edit)
    with transaction.atomic():
        memory = _locked_memory(trust, memory_id, at=at)
        if versions is not None and memory.version not in versions:
            raise Outdated(f"it has version {memory.version} now")
        apply_decision(memory, decision, token=token)
    return DecisionResult(memory, decision.batch, equals_dismissed_with(decision, [memory.pk]))


def equals_dismissed_with(decision: Decision, decided_ids: Collection[UUID]) -> list[UUID]:
    """Return the memories dismissed along with the chosen ones because they claim the same."""
    if decision.verb != "dismiss":
        return []
    ids = frozenset(decided_ids)
    return [memory_id for memory_id in equal_claims.dismissed_by(decision.batch) if memory_id not in ids]


def _locked_memory(trust: Trust, memory_id: UUID, *, at: datetime) -> Memory:
    """Lock the memory. NotFound comes before NotAllowed, so that nothing is revealed of what is not visible."""
    decidable(Memory.objects.unexpired(at), trust, memory_id)
    return lock_memory(trust, memory_id, decides=True, at=at)


def apply_decision(memory: Memory, decision: Decision, *, token: str = "") -> None:
    """Apply a decision to a memory that is locked for this transaction. Conflict and Invalid as in `decide`."""
    verb = VERBS.get(decision.verb)
    if memory.type in EXPERIENCE and not (verb and verb.of_experience):
        raise Conflict("an episode or working state is experience, not a claim: it cannot be decided")
    if token and version_token(memory) != token:
        raise Conflict(f"it has changed since you saw it; it is {memory.status} now")
    if verb is None:
        raise Invalid(unknown_verb())
    if verb.needs_reason and not decision.why:
        raise Invalid(missing_reason())
    if decision.edit is not None:
        caller: dict[str, Any] = {"trust": decision.trust, "by": decision.by}
        apply_edit(memory, decision.edit, at=decision.at, batch=decision.batch, **caller)
    verb.act(memory, decision)


def unknown_verb() -> FieldError:
    return FieldError("/action", "unknown_value", f"must be one of {', '.join(VERBS)}")


def missing_reason() -> FieldError:
    return FieldError("/reason", "required", f"say why: one of {', '.join(REASONS)}, or a sentence")
