"""Undo: revert each row of a batch, as a batch of its own, so that undoing an undo is a redo."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from memories.intake import revisions
from memories.models import AuditEntry, Memory, Proposal, Tombstone, claim_locks
from memories.models.proposal import PROPOSAL
from memories.models.tombstone import TOMBSTONE
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, NotAllowed, NotFound
from memories.values.trust import Trust
from skills import publishing
from skills.models import SkillVersion

CHUNK = 500  # groups in one transaction
IRREVERSIBLE = ("outcome", "propose", "forget", "erase", "expire", "prune", "revoke")  # cannot be undone


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


def undo(trust: Trust, batch: UUID, *, at: datetime) -> UndoResult:
    """Revert the decisions of a batch whose subjects have not changed since; name the others with a reason.

    NotFound: no visible batch of this id; NotAllowed: no permission to review, or to write into one of its scopes;
    Conflict: nothing of it could be undone.
    """
    entries = list(AuditEntry.objects.of_batch(batch))
    seen = set(AuditEntry.objects.of_batch(batch).visible_to(trust).values_list("pk", flat=True))
    groups = [group for group in _groups(entries, seen) if group.entries]
    if not groups:
        raise NotFound("no such batch")
    if not trust.may(Permission.REVIEW):
        raise NotAllowed("undoing needs the permission review")
    for scope in {entry.scope for group in groups for entry in group.entries}:
        trust.scope_to_write(scope)
    scopes = {entry.scope for entry in entries}
    done = UndoResult(batch=uuid7())
    for start in range(0, len(groups), CHUNK):
        with transaction.atomic():
            claim_locks.to_decide(*scopes)  # all of them, before any row
            for group in groups[start : start + CHUNK]:
                _undo(group, done, trust=trust, at=at)
    if not done.undone:
        raise Conflict("; ".join(refusal["why"] for refusal in done.refused[:10]))
    return done


def _undo(group: Group, done: UndoResult, *, trust: Trust, at: datetime) -> None:
    try:
        if group.hidden:
            raise Conflict("this cannot be undone: not all of it is yours to see")
        with transaction.atomic():
            _revert_all(group, {"by": trust.actor, "at": at, "batch": done.batch})
        done.undone.append(group.memory_id)
    except Conflict as conflict:
        done.refused.append({"id": str(group.memory_id), "why": str(conflict)})


def _groups(entries: list[AuditEntry], seen: set[UUID]) -> list[Group]:
    """Group entries by decision: a skill with its versions, a revision with all its memories.

    A batch that accepted a proposal is one group with all that it wrote.
    """
    owner, joined = _owners(entries), revisions.together(entries)
    accepted = next((owner.get(entry.subject_id) for entry in entries if entry.subject_kind == PROPOSAL), None)
    groups: dict[UUID, Group] = {}
    for entry in entries:
        subject = owner.get(entry.subject_id, entry.subject_id)
        about = accepted or joined.get(subject, subject)
        group = groups.setdefault(about, Group(about))
        if entry.pk in seen:
            group.entries.append(entry)
        else:
            group.hidden = True
    return list(groups.values())


def _owners(entries: Iterable[AuditEntry]) -> dict[UUID, UUID]:
    """Map skill versions and proposals of the batch to the memory that each is about."""
    ids: dict[str, list[UUID]] = {}
    for entry in entries:
        ids.setdefault(entry.subject_kind, []).append(entry.subject_id)
    versions = SkillVersion.objects.filter(pk__in=ids.get(publishing.VERSION, ()))
    proposals = Proposal.objects.filter(pk__in=ids.get(PROPOSAL, ()))
    return dict(versions.values_list("pk", "skill_id")) | dict(proposals.values_list("pk", "memory_id"))


def _revert_all(group: Group, audit: dict[str, Any]) -> None:
    """Revert the latest entry first, so that each of several about one memory finds the state that it left."""
    for entry in reversed(group.entries):
        if entry.action in IRREVERSIBLE or (entry.action == "create" and not entry.before):
            raise Conflict("this cannot be undone")
        if entry.subject_kind != "memory":
            _revert_other_row(entry, audit)
            continue
        memory = Memory.objects.filter(pk=entry.subject_id).first()
        if memory is None and not entry.subject_version:  # nothing of it was moved
            continue
        if memory is None:
            raise Conflict("this memory has been forgotten meanwhile")
        memory.revert(entry, **audit)


def _revert_other_row(entry: AuditEntry, audit: dict[str, Any]) -> None:
    if entry.subject_kind == publishing.VERSION:
        publishing.revert(entry, **audit)
        return
    kinds: dict[str, Any] = {PROPOSAL: Proposal, TOMBSTONE: Tombstone}
    if entry.subject_kind not in kinds:
        raise Conflict("this cannot be undone")
    row = kinds[entry.subject_kind].objects.filter(pk=entry.subject_id).first()
    if row is None:
        raise Conflict("what it was about has been forgotten meanwhile")
    row.revert(entry, **audit)
