"""Settle a contest, or unite two claims: decisions about memories that speak about the same."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from memories.intake import revisions
from memories.intake.edits import lock_memory
from memories.intake.reports.revisions import NewMemory
from memories.intake.revisions.revising import Change
from memories.models import Memory, Relation
from memories.values.choices import UNDECIDED
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.trust import Trust
from memos_site.review.decide_rows import decidable, version_token

MERGE_REASON = "they say the same"


def settle(
    trust: Trust,
    memory_id: UUID,
    keep: UUID,
    against: Collection[UUID],
    *,
    at: datetime,
    token: str = "",
) -> UUID:
    """Let one of memories that contradict each other hold, and return the batch.

    `against`: the memories that contest `memory_id`. The one to `keep` is promoted unless it is believed already; the
    others are superseded by it. `token`, NotFound and NotAllowed as in `decide`; Conflict: they have changed, or do not
    contradict each other any more; Invalid: `keep` is none of them.
    """
    other_ids = sorted(set(against) - {memory_id})
    if keep not in (memory_id, *other_ids) or not other_ids:
        raise Invalid(FieldError("/keep", "unknown_value", "is none of the memories that contradict each other"))
    rows = Memory.objects.unexpired(at)
    for id_of_row in (memory_id, *other_ids):
        decidable(rows, trust, id_of_row)
    batch = uuid7()
    with transaction.atomic():
        memory = lock_memory(trust, memory_id, decides=True, at=at)
        if token and version_token(memory) != token:
            raise Conflict(f"it has changed since you saw it; it is {memory.status} now")
        contests = Relation.objects.contests(trust, at=at).filter(source=memory, target__in=other_ids)
        if contests.values("target").distinct().count() != len(other_ids):
            raise Conflict("they no longer contradict each other")
        decision: dict[str, Any] = {"by": trust.actor, "at": at, "why": "", "batch": batch}
        revisions.choose(keep, [memory_id, *other_ids], scope=memory.scope, **decision)
        winner = Memory.objects.get(pk=keep)
        if winner.status in UNDECIDED:
            winner.promote(**decision)
    return batch


def merge(trust: Trust, memory_id: UUID, other_id: UUID, content: str, *, at: datetime) -> tuple[Memory, UUID]:
    """Unite two claims as one new memory with these words and the evidence of both; return it and the batch.

    NotFound, NotAllowed as in `decide`; Conflict: one of them is closed, or of another scope; Invalid: no words.
    """
    rows = Memory.objects.unexpired(at)
    for id_of_row in (memory_id, other_id):
        decidable(rows, trust, id_of_row)
    if not content.strip():
        raise Invalid(FieldError("/content", "required", "say in which words"))
    change = Change("merge", MERGE_REASON, NewMemory(content=content.strip()))
    result = revisions.ask(change, [memory_id, other_id], trust=trust, at=at)
    if result.refusal or result.memory is None or result.batch is None:
        raise result.refusal or Conflict("one of them may not be merged without another person")
    return result.memory, result.batch
