"""The names of a skill: a new one keeps the old one as an alias, and a merged skill leaves its names to the other."""

from datetime import datetime
from typing import Any, Unpack
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.intake.revisions.superseding import close
from memories.models import AuditEntry, Relation
from memories.models.audit import AuditFacts, RevertFacts
from memories.models.relation import SUPERSEDES
from memories.values.choices import LIVE
from memories.values.exceptions import Conflict
from memories.values.trust import Actor
from skills.models import Skill, SkillName, SkillVersion

SKILL = "skill"  # kind of the audit entries


def rename(skill: Skill, name: str, *, by: Actor, why: str, at: datetime, batch: UUID) -> AuditEntry:
    """Give a skill another name, in the caller's transaction; it is found by the former one too.

    Conflict: the name is, or was, that of another skill of the scope.
    """
    before = _names(skill)
    try:
        with transaction.atomic():
            SkillName.objects.get_or_create(skill=skill, scope=skill.scope, name=name)
    except IntegrityError:
        raise Conflict(f"{name} is, or was, the name of another skill in this scope") from None
    _call(skill, name)
    return _audit(skill, "rename", before, _names(skill), by=by, why=why, at=at, batch=batch)


def check_overlap(skill: Skill, other: Skill) -> None:
    """Check that they are two live skills of one scope and sensitivity, else Conflict."""
    memory_of_skill, memory_of_other = skill.memory, other.memory
    if memory_of_skill.pk == memory_of_other.pk or (memory_of_skill.scope, memory_of_skill.sensitivity) != (
        memory_of_other.scope,
        memory_of_other.sensitivity,
    ):
        raise Conflict("only two skills of one scope and sensitivity are merged")
    for memory in (memory_of_skill, memory_of_other):
        if memory.status not in LIVE:
            raise Conflict(f"a skill that is {memory.status} is not merged")


def take_place(skill: Skill, version: SkillVersion, **audit: Unpack[AuditFacts]) -> None:
    """Supersede the skill that a published version was merged with, which keeps its evidence, and take its names.

    Conflict: it has changed since the merge.
    """
    other: Skill = version.merges  # type: ignore[assignment]  # the caller has asked
    other.memory.lock_for("merge", LIVE)
    check_overlap(skill, other)
    if any(newer.is_current for newer in other.versions.filter(created_at__gt=version.created_at)):
        raise Conflict(f"{other.name} has a newer version than the one that was merged: merge again")
    close(other.memory, skill.memory, "supersede", {"superseded_by": str(skill.pk)}, **audit)
    Relation.objects.get_or_create(source=skill.memory, predicate=SUPERSEDES, target=other.memory)
    take_names(skill, other, **audit)


def take_names(skill: Skill, other: Skill, **audit: Unpack[AuditFacts]) -> None:
    """Let a skill be found by the names of another one, which keeps none, in the caller's transaction."""
    before = _names(skill)
    other.names.update(skill=skill)
    merge_fact = {"merged": str(other.pk)}
    _audit(skill, "merge", before | merge_fact, _names(skill) | merge_fact, **audit)


def revert(entry: AuditEntry, *, by: Actor, at: datetime, batch: UUID) -> None:
    """Undo or redo one change of names. Conflict: they were changed since, or a name is another skill's meanwhile."""
    skill = Skill.objects.select_related("memory").select_for_update(of=("self",)).filter(pk=entry.subject_id).first()
    if skill is None:
        raise Conflict("this skill has been forgotten meanwhile")
    stands, merge_fact = _names(skill), {name: entry.after[name] for name in ("merged",) if name in entry.after}
    if stands | merge_fact != entry.after:
        raise Conflict(f"its names were changed in the meantime; it is {skill.name} now")
    former = set(entry.before["names"])
    try:
        with transaction.atomic():
            _exchange(
                skill, set(stands["names"]) - former, former - set(stands["names"]), _id(merge_fact.get("merged"))
            )
    except IntegrityError:
        raise Conflict("one of its names belongs, or belonged, to another skill by now") from None
    _call(skill, entry.before["name"])
    action = "redo" if entry.undoes else "undo"
    before, after = stands | merge_fact, _names(skill) | merge_fact
    _audit(skill, action, before, after, by=by, why="", at=at, batch=batch, undoes=entry.pk)


def _exchange(skill: Skill, removed_names: set[str], added_names: set[str], other: UUID | None) -> None:
    """Remove and add names of a skill. With `other`, the skill of a merge, they move to it or come from it."""
    if other is None:
        skill.names.filter(name__in=removed_names).delete()
        SkillName.objects.bulk_create(
            SkillName(skill=skill, scope=skill.scope, name=name) for name in sorted(added_names)
        )
        return
    if not Skill.objects.filter(pk=other).exists():
        raise Conflict("the skill that it was merged with has been forgotten meanwhile")
    skill.names.filter(name__in=removed_names).update(skill=other)
    if SkillName.objects.filter(skill=other, name__in=added_names).update(skill=skill) < len(added_names):
        raise Conflict("the skill that it was merged with was renamed meanwhile")


def _id(text: str | None) -> UUID | None:
    return UUID(text) if text else None


def _names(skill: Skill) -> dict[str, Any]:
    return {"name": skill.name, "names": sorted(skill.names.values_list("name", flat=True))}


def _call(skill: Skill, name: str) -> None:
    skill.name = name
    skill.save(update_fields=["name"])


def _audit(
    skill: Skill, action: str, before: dict[str, Any], after: dict[str, Any], **facts: Unpack[RevertFacts]
) -> AuditEntry:
    memory = skill.memory
    entry = AuditEntry.draft(
        kind=SKILL,
        subject=skill.pk,
        label=skill.name,
        action=action,
        scope=memory.scope,
        sensitivity=memory.sensitivity,
        before=before,
        after=after,
        **facts,
    )
    entry.save(force_insert=True)
    return entry
