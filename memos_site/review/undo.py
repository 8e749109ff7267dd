"""Undo: revert each row of a batch, as a batch of its own, so that undoing an undo is a redo."""

from collections.abc import Collection, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from uuid_utils.compat import uuid7

from consolidation.models import BulkOrder, Run
from memories.intake import revisions
from memories.intake.episodes import closing
from memories.models import AuditEntry, Memory, Proposal, Subject, Tombstone, claim_locks
from memories.models.audit import SUBJECT
from memories.models.locked_rows import LockedRows, trails_of
from memories.models.proposal import PROPOSAL
from memories.models.tombstone import TOMBSTONE
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, NotFound
from memories.values.trust import Trust
from skills import former_names, publishing
from skills.models import SkillVersion

MOST_READ = 50  # first rows of a batch that tell how it stands
CHUNK = 500  # groups in one transaction
IRREVERSIBLE = (
    "propose",
    "forget",
    "erase",
    "expire",
    "prune",
    "revoke",
    "rotate",
    "remove transcripts",
)  # cannot be undone


@dataclass
class UndoResult:
    """Result of an undo.

    `batch`: its own id, by which it is undone; `undone`: ids of memories; `refused`: id and reason of each other.
    """

    batch: UUID
    undone: list[UUID] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)


@dataclass
class Group:
    """Audit entries that are undone together or not at all. `memory_id`: names them in the result."""

    memory_id: UUID
    entries: list[AuditEntry] = field(default_factory=list)
    hidden: bool = False  # some entries are not visible to the caller

    @property
    def is_of_memories(self) -> bool:
        """Whether nothing but memories is reverted."""
        return all(entry.subject_kind == "memory" and entry.action != "outcome" for entry in self.entries)


def undo(trust: Trust, batch: UUID, *, at: datetime) -> UndoResult:
    """Revert the decisions of a batch whose subjects have not changed since; name the others with a reason.

    NotFound: no visible batch of this id; NotAllowed: no permission to review, or to write into one of its scopes;
    Conflict: nothing of it could be undone.
    """
    end_order(trust, batch, at=at)
    plan = plan_of(trust, batch)
    result = UndoResult(batch=uuid7())
    for start in range(0, len(plan.groups), CHUNK):
        with transaction.atomic():
            undo_part(plan.groups[start : start + CHUNK], plan.scopes, result, trust=trust, at=at)
    if not result.undone:
        reasons = dict.fromkeys(refusal["why"] for refusal in result.refused)
        raise Conflict("; ".join([*reasons][:10]))
    return result


def end_order(trust: Trust, batch: UUID, *, at: datetime) -> None:
    """End the paused run that carries this batch out, so that nothing is added once it is undone.

    Conflict: the run is not paused. NotFound and NotAllowed as in `undo`, of an order of somebody else.
    """
    with transaction.atomic():
        orders = BulkOrder.objects.select_for_update(of=("self",)).select_related("run").defer("chosen")
        order = orders.filter(batch=batch).first()
        if order is None or not order.run.is_unfinished:
            return
        if order.run.status != Run.Status.PAUSED:
            raise Conflict("it is still under way: wait for its end, or pause it")
        if str(order.person_id) != trust.actor.id:
            plan_of(trust, batch)
        order.run.finish(Run.Status.SKIPPED, counters=order.counts, at=at, error="it was undone before it finished")


@dataclass(frozen=True)
class UndoPlan:
    """What the undo of a batch is about: its groups and all scopes that it locks."""

    groups: list[Group]
    scopes: frozenset[str]


def plan_of(trust: Trust, batch: UUID) -> UndoPlan:
    """Read a batch for its undo. NotFound and NotAllowed as in `undo`."""
    entries = list(AuditEntry.objects.of_batch(batch))
    visible_ids = set(AuditEntry.objects.of_batch(batch).visible_to(trust).values_list("pk", flat=True))
    groups = [group for group in _groups(entries, visible_ids) if group.entries]
    if not groups:
        raise NotFound("no such batch")
    trust.require(Permission.REVIEW, "undoing needs the permission review")
    for scope in {entry.scope for group in groups for entry in group.entries}:
        trust.scope_to_write(scope)
    return UndoPlan(groups, frozenset(entry.scope for entry in entries))


def is_large(batch: UUID) -> bool:
    """Return whether a batch is about more rows than a request takes back."""
    return AuditEntry.objects.of_batch(batch).order_by()[: CHUNK + 1].count() > CHUNK


@dataclass(frozen=True)
class BatchState:
    """How a batch stands now.

    `latest`: the batch that took it back or did it again last, itself where none did; `by` and `at`: who did that, and
    when. `undoes`: how many undos it goes through, 0 for a decision, 1 for its undo, 2 for what did it again.
    """

    latest: UUID
    is_undone: bool
    undoes: int
    by: str = ""
    at: datetime | None = None

    @property
    def holds(self) -> bool:
        """Whether the decision that it all began with is in force."""
        return self.is_undone == bool(self.undoes % 2)


def batch_state(batch: UUID, *, undoes: UUID | None = None) -> BatchState:
    """Return how a batch stands, as its first rows tell. `undoes`: what it takes back, for one that has no row yet."""
    entries = list(AuditEntry.objects.of_batch(batch)[:MOST_READ])
    if not entries:
        return BatchState(batch, is_undone=False, undoes=batch_state(undoes).undoes + 1 if undoes else 0)
    kinds, subjects = {entry.subject_kind for entry in entries}, {entry.subject_id for entry in entries}
    entries_about = AuditEntry.objects.filter(subject_kind__in=kinds, subject_id__in=subjects)
    trail = {entry.pk: entry for entry in entries_about}
    undos = {entry.undoes: entry for entry in trail.values() if entry.undoes}
    first = last = next((entry for entry in entries if entry.pk in undos), entries[0])
    below = above = 0
    while first.undoes in trail:
        first, below = trail[first.undoes], below + 1
    while last.pk in undos:
        last, above = undos[last.pk], above + 1
    return BatchState(last.batch_id, is_undone=above % 2 == 1, undoes=below, by=last.actor, at=last.at)


def undo_part(
    groups: Iterable[Group], scopes: Collection[str], result: UndoResult, *, trust: Trust, at: datetime
) -> None:
    """Undo some groups within a transaction."""
    claim_locks.to_decide(*scopes)  # all of them, before any row
    groups = list(groups)
    try:
        with transaction.atomic():
            part = _undo_groups(groups, result.batch, together=True, trust=trust, at=at)
    except IntegrityError:  # another live memory holds a key of one of them: of which, each tells by itself
        part = _undo_groups(groups, result.batch, together=False, trust=trust, at=at)
    result.undone += part.undone
    result.refused += part.refused


def _undo_groups(groups: Collection[Group], batch: UUID, *, together: bool, trust: Trust, at: datetime) -> UndoResult:
    result = UndoResult(batch)
    locked_rows = _lock_rows(groups, together=together)
    for group in groups:
        _undo(group, locked_rows, result, trust=trust, at=at)
    locked_rows.follow(by=trust.actor, at=at)
    return result


def _lock_rows(groups: Iterable[Group], *, together: bool) -> LockedRows:
    """Hold the memories of groups that are about nothing else."""
    ids = {entry.subject_id for group in groups if group.is_of_memories for entry in group.entries}
    rows = Memory.objects.filter(pk__in=ids).order_by("pk").select_for_update(of=("self",))
    return LockedRows({row.pk: row for row in rows}, trails=trails_of(ids), together=together)


def _undo(group: Group, locked_rows: LockedRows, result: UndoResult, *, trust: Trust, at: datetime) -> None:
    if not group.is_of_memories:
        locked_rows.drop(entry.subject_id for entry in group.entries)
    try:
        if group.hidden:
            raise Conflict("this cannot be undone: you may not see all of it")
        is_several = len(group.entries) > 1 or not group.is_of_memories  # a refused one takes the others back
        with transaction.atomic() if is_several else nullcontext():
            _revert_all(group, locked_rows, {"by": trust.actor, "at": at, "batch": result.batch})
        result.undone.append(group.memory_id)
    except Conflict as conflict:
        locked_rows.drop(entry.subject_id for entry in group.entries)  # their instances may tell what was rolled back
        result.refused.append({"id": str(group.memory_id), "why": str(conflict)})


def _groups(entries: list[AuditEntry], visible_ids: set[UUID]) -> list[Group]:
    """Group entries by decision: a skill with its versions, a revision or a proposal with all its memories."""
    proposals = list(Proposal.objects.filter(pk__in=_ids(entries, PROPOSAL)))
    owner, group_of = _owners(entries, proposals), revisions.together(entries, [row.subjects for row in proposals])
    groups: dict[UUID, Group] = {}
    for entry in entries:
        subject = owner.get(entry.subject_id, entry.subject_id)
        group_id = group_of.get(subject, subject)
        group = groups.setdefault(group_id, Group(group_id))
        if entry.pk in visible_ids:
            group.entries.append(entry)
        else:
            group.hidden = True
    return list(groups.values())


def _owners(entries: Iterable[AuditEntry], proposals: Iterable[Proposal]) -> dict[UUID, UUID]:
    """Map skill versions and proposals of the batch to the memory that each is about."""
    versions = SkillVersion.objects.filter(pk__in=_ids(entries, publishing.VERSION))
    return dict(versions.values_list("pk", "skill_id")) | {row.pk: row.memory_id for row in proposals}


def _ids(entries: Iterable[AuditEntry], kind: str) -> list[UUID]:
    return [entry.subject_id for entry in entries if entry.subject_kind == kind]


def _revert_all(group: Group, locked_rows: LockedRows, audit: dict[str, Any]) -> None:
    """Revert the entries of a group, the latest first, so that each finds the state that it left."""
    for entry in reversed(group.entries):
        if entry.action in IRREVERSIBLE or (entry.action == "create" and not entry.before):
            raise Conflict("this cannot be undone")
        if entry.subject_kind != "memory":
            _revert_other_row(entry, audit)
            continue
        if entry.action == "outcome":
            closing.revert(entry, **audit)
            continue
        memory = locked_rows.rows.get(entry.subject_id) or Memory.objects.filter(pk=entry.subject_id).first()
        if memory is None and not entry.subject_version:  # nothing of it was moved
            continue
        if memory is None:
            raise Conflict("this memory has been forgotten meanwhile")
        memory.revert(entry, **audit)


def _revert_other_row(entry: AuditEntry, audit: dict[str, Any]) -> None:
    skills: dict[str, Any] = {publishing.VERSION: publishing.revert, former_names.SKILL: former_names.revert}
    if entry.subject_kind in skills:
        skills[entry.subject_kind](entry, **audit)
        return
    kinds: dict[str, Any] = {PROPOSAL: Proposal, TOMBSTONE: Tombstone, SUBJECT: Subject}
    if entry.subject_kind not in kinds:
        raise Conflict("this cannot be undone")
    row = kinds[entry.subject_kind].objects.filter(pk=entry.subject_id).first()
    if row is None:
        raise Conflict("what it was about has been forgotten meanwhile")
    row.revert(entry, **audit)
