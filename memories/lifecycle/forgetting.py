"""Forget one memory: its row, its words wherever they stand, and what belongs to it; the trail keeps who and when.

`erase` removes also its names, keys, tombstone and trail. `suggestions`: keys like one that names nothing to forget.
"""

import difflib
from collections.abc import Collection
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.deletion import Collector
from uuid_utils.compat import uuid7

from memories.lifecycle import ownership, removal, words_elsewhere
from memories.models import (
    Adaptation,
    AuditEntry,
    Episode,
    Event,
    Evidence,
    Memory,
    Proposal,
    Relation,
    Subject,
    Tombstone,
    claim_locks,
)
from memories.models.audit import AuditQuerySet
from memories.models.proposal import PROPOSAL
from memories.models.trusted import new_id
from memories.values.choices import ActorKind, DeletionPolicy, Status, Type
from memories.values.exceptions import Conflict, NotAllowed, NotFound
from memories.values.trust import Actor, Trust

NEIGHBOURS = 500  # keys on either side in the alphabet: it costs the same however many there are
MOST_SUGGESTED, LEAST_LIKE = 3, 0.5


@dataclass(frozen=True)
class Receipt:
    """What forgetting a memory removes, counted before: the preview and the receipt are one.

    `skills_withdrawn`: published skills that agents can no longer download.
    """

    memory: UUID
    adaptations_reverted: int = 0
    relations: int = 0
    evidence: int = 0
    events: int = 0
    skills_withdrawn: int = 0

    @classmethod
    def of(cls, memory: Memory) -> Self:
        return cls(
            memory=memory.pk,
            adaptations_reverted=memory.adaptations.active().count(),
            relations=Relation.objects.touching(memory.pk).count(),
            evidence=memory.evidence.count(),
            events=Event.objects.filter(episode=memory.pk).count(),
            skills_withdrawn=int("skill" in memory.payload),
        )


def forget(memory: Memory, *, trust: Trust, at: datetime, why: str = "", dry_run: bool = False) -> Receipt:
    """Remove the memory and every word of it; what a person forgets, or a reviewing token of others, is not stored
    again. It cannot be undone.

    `dry_run`: only the receipt. NotAllowed: an agent forgets what is its own, and not what only people delete.
    Conflict: its policy is `never`. NotFound: somebody was faster, as when it is asked a moment later.
    """
    if dry_run:
        _check_allowed(memory, trust)
        return Receipt.of(memory)
    try:
        with transaction.atomic():
            return _take(memory, trust=trust, at=at, why=why)[0]
    except Conflict:
        if Memory.objects.filter(pk=memory.pk).exists():
            raise
        raise NotFound("this memory has been forgotten meanwhile") from None


def _check_allowed(memory: Memory, trust: Trust) -> None:
    """NotAllowed or Conflict unless the caller may forget this memory."""
    trust.scope_to_write(memory.scope)
    if memory.deletion_policy == DeletionPolicy.NEVER:
        raise Conflict("cannot forget: the deletion policy of this memory is never")
    if trust.actor.kind != ActorKind.PERSON and memory.deletion_policy == DeletionPolicy.MANUAL_ONLY:
        raise NotAllowed("only a person may forget what is deleted by hand only")
    if not ownership.is_own(memory, trust):
        raise NotAllowed(_reason(memory, trust))
    if memory.status == Status.DISMISSED and not ownership.decides(trust):
        raise NotAllowed("a person has dismissed this: only people decide about it")


def _reason(memory: Memory, trust: Trust) -> str:
    """Why an agent may not forget it. What it made itself, people or other agents may have come to rely on."""
    if memory.created_by_id != trust.actor.identity:
        return (
            "an agent may forget only what is its own: a person or a token with the permission review can forget this"
        )
    if memory.status == Status.APPLIED:
        return "it is applied, so it directs behaviour: a person or a token with the permission review can forget it"
    if memory.hold:
        return "a person has decided about it: a person or a token with the permission review can forget it"
    return "other agents confirmed it too: a person or a token with the permission review can forget it"


def _take(memory: Memory, *, trust: Trust, at: datetime, why: str = "") -> tuple[Receipt, set[UUID]]:
    """In the caller's transaction: the receipt, and the ids that the trail speaks of."""
    by = trust.actor
    claim_locks.to_decide(memory.scope)
    memory.lock_for("forget", Status.values)
    if memory.type == Type.EPISODIC:  # nothing joins it any more
        list(Episode.objects.select_for_update().filter(pk=memory.pk).values_list("pk"))
    _check_allowed(memory, trust)
    receipt = Receipt.of(memory)
    subjects = {*memory.adaptations.values_list("pk", flat=True), *_tombstones(memory)}
    instructions = removal.instructions_of([memory.pk])
    Tombstone.objects.bury(memory, by=by, why="", at=at, blocks=_blocks(memory, by))
    words_elsewhere.wipe(memory, by=by, at=at)
    proposals = _drop(Proposal.objects.filter(others__contains=[memory.pk])) | unquote(memory)
    words_elsewhere.drop_answers(proposals)
    going = memory.audit("delete", by=by, at=at, before={"status": memory.status}, batch=uuid7(), why=why)
    subjects |= proposals | Subject.objects.drop_unmentioned([memory.pk]) | _remove(memory)
    removal.drop_unused_instructions(instructions)
    words_elsewhere.reduce_to_skeleton(subjects)
    going.label = ""
    going.save(force_insert=True)
    return receipt, subjects


def _blocks(memory: Memory, by: Actor) -> bool:
    """Whether it is not stored again. What an agent made alone and takes back may be; a token with `review` that
    forgets what others rely on does what only people do, as when it dismisses."""
    return by.kind == ActorKind.PERSON or not ownership.is_alone(memory, by)


def _tombstones(memory: Memory) -> list[UUID]:
    return list(Tombstone.objects.filter(memory_id=memory.pk).values_list("pk", flat=True))


def _remove(memory: Memory) -> set[UUID]:
    """The row, its events, and whatever belongs to it; their ids."""
    removal.remove_events(memory.pk)
    belongings = Belongings(memory)
    ids = belongings.ids
    belongings.delete()
    return {memory_id for memory_id in ids if isinstance(memory_id, UUID)}


class Belongings(Collector):
    """The rows of all rooms that are deleted with a memory, found by the foreign keys that lead to it."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(using="default")
        self.collect([copy(memory)])  # the caller's keeps its id

    def can_fast_delete(self, objs: Any, from_field: Any = None) -> bool:
        return False  # that would not look at them

    @property
    def ids(self) -> set[Any]:
        return {row.pk for rows in self.data.values() for row in rows}


def unquote(memory: Memory) -> set[UUID]:
    """Remove these words, in the caller's transaction; the ids of the proposals that made it, which are removed too."""
    if memory.type == Type.EPISODIC:  # is never revised
        return set()
    ends = Relation.objects.touching(memory.pk).values_list("source", "target")
    related_ids = {end for pair in ends for end in pair} - {memory.pk}
    about = AuditEntry.objects.about("memory", memory.pk)
    batches = set(about.values_list("batch_id", flat=True))
    words_elsewhere.silence_entries(_decisions(memory, related_ids, batches))
    occasions = memory.evidence.values("occasion")
    Evidence.objects.filter(memory__in=related_ids, occasion__in=occasions).update(snapshot="")  # of merged ones
    return _proposals(related_ids, batches)


def _decisions(memory: Memory, related_ids: Collection[UUID], batches: Collection[UUID]) -> list[UUID]:
    """The audit entries of others that concern it: their rationale may hold its words."""
    key = str(memory.pk)
    names = Q(after__relation__source=key) | Q(after__relation__target=key)
    entries = AuditEntry.objects.filter(subject_id__in=related_ids).filter(names | Q(batch_id__in=batches))
    undo_entries = AuditEntry.objects.filter(names, batch_id__in=batches)  # the relation went with the undoing
    return [*entries.values_list("pk", flat=True), *undo_entries.values_list("pk", flat=True)]


def _proposals(related_ids: Collection[UUID], batches: Collection[UUID]) -> set[UUID]:
    proposal_ids = AuditEntry.objects.filter(subject_kind=PROPOSAL, batch_id__in=batches).values("subject_id")
    return _drop(Proposal.objects.filter(pk__in=proposal_ids, memory__in=related_ids))


def _drop(rows: QuerySet[Proposal]) -> set[UUID]:
    """Delete these proposals; their ids."""
    ids = set(rows.values_list("pk", flat=True))
    rows.delete()
    return ids


ERASURE = "erasure"


def erase(memory_id: UUID, *, trust: Trust, at: datetime, dry_run: bool = False) -> Receipt:
    """Remove all of a memory, also of one that was forgotten before; only that something was erased stays.

    NotFound: neither it nor a trail of it within the caller's trust. Whether the caller may is asked at the door.
    """
    memory = Memory.objects.visible_to(trust).filter(pk=memory_id).first()
    trail = AuditEntry.objects.about("memory", memory_id)
    if memory is None and (not trail.visible_to(trust).exists() or Memory.objects.filter(pk=memory_id).exists()):
        raise NotFound("no such memory")
    if dry_run and memory:
        _check_allowed(memory, trust)
    if dry_run:
        return Receipt.of(memory) if memory else Receipt(memory_id)
    with transaction.atomic():
        claim_locks.to_decide(*Tombstone.objects.filter(memory_id=memory_id).values_list("scope", flat=True))
        receipt, subjects = _take(memory, trust=trust, at=at) if memory else (Receipt(memory_id), set())
        tombstones = Tombstone.objects.filter(memory_id=memory_id)
        tombstones.lift(by=trust.actor, at=at)  # what they withheld is offered again
        _note(trail, trust=trust, at=at)
        words_elsewhere.remove_from_trail({memory_id, *subjects, *tombstones.values_list("pk", flat=True)})
        tombstones.delete()
        Adaptation.objects.filter(pk__in=subjects).delete()
    return receipt


def _note(trail: AuditQuerySet, *, trust: Trust, at: datetime) -> None:
    """Write the audit row of an erasure, under the id of a new subject, so that it leads to nothing that was there."""
    last = trail.reverse().values_list("scope", "sensitivity").first()
    scope, sensitivity = last or ("", trust.max_sensitivity)
    facts: dict[str, Any] = {
        "kind": ERASURE,
        "subject": new_id(),
        "label": "",
        "scope": scope,
        "sensitivity": sensitivity,
    }
    AuditEntry.draft(action="erase", by=trust.actor, at=at, **facts).save(force_insert=True)


def suggestions(key: str, *, scope: str, trust: Trust) -> list[str]:
    """At most three keys of that scope whose memories the caller may change, the most similar first."""
    keys = Memory.objects.answered_to(trust).live().filter(scope=scope, key__isnull=False)
    after = keys.filter(key__gte=key).order_by("key").values_list("key", flat=True)[:NEIGHBOURS]
    before = keys.filter(key__lt=key).order_by("-key").values_list("key", flat=True)[:NEIGHBOURS]
    candidates = [candidate for candidate in (*after, *before) if candidate]
    return difflib.get_close_matches(key, candidates, n=MOST_SUGGESTED, cutoff=LEAST_LIKE)
