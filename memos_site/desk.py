"""The desk: what waits for a person, whatever room it belongs to, and the verbs by which it is decided."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from uuid_utils.compat import uuid7

from memories.choices import Permission, Status, Type
from memories.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.models import AuditEntry, Memory
from memories.models.evidence import with_support
from memories.models.memory import MemoryQuerySet
from memories.trust import Trust
from skills import publishing
from skills.models import SkillVersion

REASONS = ("wrong", "stale", "duplicate", "sensitive", "noise", "other")
ORDER = ("-support_count", "-created_at", "-id")
EXPERIENCE = (Type.EPISODIC, Type.WORKING)
VERBS = ("promote", "dismiss", "restore")


@dataclass(frozen=True)
class Decision:
    """What was decided: the memory as it now stands, and the batch by which it is undone."""

    memory: Memory
    batch: UUID
    verb: str


@dataclass
class Undone:
    """Undoing is a decision too: `batch` is its own, so that undo of undo is redo."""

    batch: UUID
    undone: list[UUID] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)


def waiting(trust: Trust, *, at: datetime, kind: str = "", scope: str = "") -> MemoryQuerySet:
    """What waits for a decision within the caller's trust: most supported first, then newest.

    A skill waits as a candidate, and again as confirmed when a new version of it is proposed.
    """
    update = SkillVersion.objects.filter(skill=OuterRef("pk"), status=SkillVersion.Status.PROPOSED)
    updated = Q(Exists(update), status__in=(Status.CONFIRMED, Status.APPLIED))
    rows = Memory.objects.visible_to(trust).awake(at).unexpired(at)
    rows = rows.filter(updated | Q(status__in=(Status.CANDIDATE, Status.CONTESTED)))
    if kind:
        rows = rows.filter(type=kind)
    if scope:
        rows = rows.filter(scope=scope)
    rows = with_support(rows.select_related("skill", "performance"))
    return rows.order_by(F("support_count").desc(), "-created_at", "-id")


def why(memory: Memory) -> str:
    """Why a row of `waiting` stands before a person, in one sentence."""
    if memory.status in (Status.CONFIRMED, Status.APPLIED):
        return "a new version of this skill is proposed"
    if memory.status == Status.CONTESTED:
        return "it is contested"
    performance = getattr(memory, "performance", None)
    if performance is not None:
        return f"{performance.successes} successful and {performance.failures} failed runs did it this way"
    return f"{getattr(memory, 'evidence_count', 0)} occasions speak for it"


def decide(
    trust: Trust,
    memory_id: UUID,
    verb: str,
    *,
    at: datetime,
    why: str = "",
    to: Status = Status.CONFIRMED,
    seen: str = "",
) -> Decision:
    """One decision on one memory. `seen`: what the decider looked at (`stand`); '' decides on whatever stands.

    NotFound: not there or not to be seen; NotAllowed: the caller may not review; Conflict: somebody was faster, or it
    is no longer as it was seen; Invalid: an unknown verb, or a reason is missing (dismissal, critical findings).
    """
    with transaction.atomic():
        rows = Memory.objects.visible_to(trust).select_for_update()
        memory = rows.filter(pk=memory_id).first()
        if memory is None:
            raise NotFound("no such memory")
        if not trust.may(Permission.REVIEW):
            raise NotAllowed("deciding needs the permission review")
        if memory.type in EXPERIENCE:
            raise Conflict("an episode or working state is experience, not a claim: nothing about it is decided")
        if seen and stand(memory) != seen:
            raise Conflict(f"it has changed since you saw it; it is {memory.status} now")
        batch = uuid7()
        _do(memory, verb, why.strip(), to=to, trust=trust, at=at, batch=batch)
    return Decision(memory, batch, verb)


def stand(memory: Memory) -> str:
    """What a person decides on: the version of the memory and, of a skill, the version that is proposed."""
    skill = getattr(memory, "skill", None)
    return f"{memory.version}.{skill.proposed.number if skill and skill.proposed else ''}"


def _do(memory: Memory, verb: str, why: str, *, to: Status, trust: Trust, at: datetime, batch: UUID) -> None:
    if verb == "promote" and _has_version(memory):
        publishing.publish(memory, by=trust.actor, why=why, at=at, batch=batch)
    elif verb == "promote":
        memory.promote(to=to, by=trust.actor, why=why, at=at, batch=batch)
    elif verb == "dismiss":
        _dismiss(memory, why, trust=trust, at=at, batch=batch)
    elif verb == "restore":
        memory.restore(by=trust.actor, why=why, at=at, batch=batch)
    else:
        raise Invalid(FieldError("/action", "unknown_value", f"must be one of {', '.join(VERBS)}"))


def _has_version(memory: Memory) -> bool:
    return SkillVersion.objects.filter(skill=memory.pk, status__in=publishing.ONE_OF_A_SKILL).exists()


def _dismiss(memory: Memory, why: str, *, trust: Trust, at: datetime, batch: UUID) -> None:
    if not why:
        raise Invalid(FieldError("/reason", "required", f"say why: one of {', '.join(REASONS)}, or a sentence"))
    memory.dismiss(by=trust.actor, why=why, at=at, batch=batch)


def undo(trust: Trust, batch: UUID, *, at: datetime) -> Undone:
    """Reverts every decision of a batch whose subject still is as it was left; names each that is not, and why.

    NotFound: no such batch within the caller's trust; Conflict: nothing of it could be undone.
    """
    entries = list(AuditEntry.objects.visible_to(trust).of_batch(batch))
    if not entries:
        raise NotFound("no such batch")
    if not trust.may(Permission.REVIEW):
        raise NotAllowed("undoing needs the permission review")
    done = Undone(batch=uuid7())
    for memory_id, group in _by_memory(entries).items():
        try:
            with transaction.atomic():
                for entry in reversed(group):
                    _revert(entry, trust=trust, at=at, batch=done.batch)
            done.undone.append(memory_id)
        except Conflict as conflict:
            done.refused.append({"id": str(memory_id), "why": str(conflict)})
    if not done.undone:
        raise Conflict("; ".join(refusal["why"] for refusal in done.refused))
    return done


def _by_memory(entries: list[AuditEntry]) -> dict[UUID, list[AuditEntry]]:
    """A decision on a skill moves its memory and its versions: they are undone together or not at all."""
    versions = [entry.subject_id for entry in entries if entry.subject_kind == publishing.VERSION]
    owner = dict(SkillVersion.objects.filter(pk__in=versions).values_list("pk", "skill_id"))
    groups: dict[UUID, list[AuditEntry]] = defaultdict(list)
    for entry in entries:
        groups[owner.get(entry.subject_id, entry.subject_id)].append(entry)
    return groups


def _revert(entry: AuditEntry, *, trust: Trust, at: datetime, batch: UUID) -> None:
    if entry.action in ("create", "outcome", "propose"):
        raise Conflict("this cannot be undone")
    if entry.subject_kind == publishing.VERSION:
        publishing.revert(entry, by=trust.actor, at=at, batch=batch)
        return
    memory = Memory.objects.filter(pk=entry.subject_id).first()
    if memory is None:
        raise Conflict("this memory has been forgotten meanwhile")
    memory.revert(entry, by=trust.actor, at=at, batch=batch)
