"""Another name for a skill, by a person. Its packages are packed anew under that name; the old name stays an alias."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from uuid_utils.compat import uuid7

from memories.models import Memory
from memories.values.choices import LIVE, Permission
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.trust import Trust
from skills import former_names, publishing, revising
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.names import SLUG_LENGTH, slug

IN_WORDS = f"a name has 1 to {SLUG_LENGTH} of a-z 0-9 -, with no hyphen at an end or beside another"


def rename(skill: Skill, name: str, *, trust: Trust, at: datetime, why: str = "") -> UUID:
    """Rename a skill and return the batch. Agents find it by both names, and get the same package by both.

    A package holds its name, so the published and the proposed version are replaced by copies. Not inside a
    transaction: the storage is a foreign system. Invalid: no name; Conflict: it is another skill's, or the skill was
    changed meanwhile or is no longer live.
    """
    trust.require(Permission.REVIEW, "renaming needs the permission review")
    trust.scope_to_write(skill.scope)
    if slug(name) != name:
        raise Invalid(FieldError("/name", "invalid", f"{IN_WORDS}: for example {slug(name) if name else 'read-pdf'}"))
    if name == skill.name:
        raise Conflict(f"it is called {name} already")
    former, batch = skill.name, uuid7()
    current = [version for version in (skill.published, skill.proposed) if version is not None]
    number = publishing.next_number(skill)
    copies = [_prepare(version, name, number + offset) for offset, version in enumerate(current)]
    reason = why or f"renamed from {former}"
    audit: dict[str, Any] = {"by": trust.actor, "at": at, "batch": batch}
    try:
        with transaction.atomic():
            memory, row = _lock(skill, current)
            for version, new_version in zip(current, copies, strict=True):
                publishing.replace(version, new_version, why=reason, **audit)
            former_names.rename(row, name, why=reason, **audit)  # after the versions: an undo begins with the last
            publishing.update_payload(memory, row, at=at)
            memory.note("rename", why=f"{former} → {name}" + (f": {why}" if why else ""), **audit)
    except IntegrityError:
        raise Conflict("another version was proposed in the meantime") from None
    return batch


def _lock(skill: Skill, current: list[SkillVersion]) -> tuple[Memory, Skill]:
    """Lock the memory and return it with its skill. Conflict: the name or the current versions have changed."""
    memory = Memory.objects.get(pk=skill.pk)
    memory.lock_for("rename", LIVE)
    row = Skill.objects.select_related("memory").get(pk=skill.pk)
    if (
        row.name != skill.name
        or [version for version in (row.published, row.proposed) if version is not None] != current
    ):
        raise Conflict("it was changed in the meantime: look at it again")
    return memory, row


def _prepare(version: SkillVersion, name: str, number: int) -> publishing.PreparedVersion:
    fields = Fields.model_validate({**version.fields, "name": name})
    package = revising.repack(version, fields, number)
    new_version = publishing.prepare_package(fields, package, scope=version.skill.scope, number=number)
    return revising.with_marks(new_version, version)
