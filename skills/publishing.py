"""The life of a skill version: prepare (pack, scan, store), propose, publish, reject, retire. Content is immutable."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import Any, Unpack
from uuid import UUID, uuid4

from django.db import transaction
from django_q.tasks import async_task

from memories.models import AuditEntry, Memory
from memories.models.audit import AuditFacts
from memories.values.choices import LIVE, Status
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.trust import Actor
from skills import former_names, scanning
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.packaging import Package, pack
from skills.scanning.python_code import NOT_CHECKED
from skills.storages import package_path, store

VERSION = "skill_version"
UNDECIDED = (Status.CANDIDATE, Status.CONTESTED)
SINGLE_STATUSES = (SkillVersion.Status.PROPOSED, SkillVersion.Status.PUBLISHED)  # at most one version of a skill each


@dataclass(frozen=True)
class PreparedVersion:
    """A stored package that no row refers to yet; without a row it is deleted after a day."""

    fields: Fields
    number: int
    package: Package
    path: str
    findings: list[dict[str, object]]


def prepare(fields: Fields, *, scope: str, number: int, extras: Mapping[str, bytes] | None = None) -> PreparedVersion:
    """Pack, scan and store a version. Call it outside of any transaction: the storage is a foreign system."""
    return prepare_package(fields, pack(fields, number, extras), scope=scope, number=number)


def prepare_package(fields: Fields, package: Package, *, scope: str, number: int) -> PreparedVersion:
    """Scan and store a package; otherwise as `prepare`."""
    path = package_path(scope, package.name, package.sha256)
    store(path, package.content)
    findings = [asdict(finding) for finding in scanning.scan(package.texts)]
    return PreparedVersion(fields, number, package, path, findings)


def next_number(skill: Skill) -> int:
    return (skill.versions.order_by("-number").values_list("number", flat=True).first() or 0) + 1


def propose(
    skill: Skill,
    new_version: PreparedVersion,
    *,
    made_by: SkillVersion.MadeBy,
    by: Actor,
    at: datetime,
    changelog: str = "",
    run_id: UUID | None = None,
    merges: Skill | None = None,
) -> SkillVersion:
    """Create the row of a prepared version as proposed, in place of a former proposal; the published version stays.

    `merges`: the skill whose place it takes too, once it is published.

    IntegrityError: another process took the number in the meantime.
    """
    with transaction.atomic():
        proposals = SkillVersion.objects.filter(skill=skill, status=SkillVersion.Status.PROPOSED)
        proposals.update(status=SkillVersion.Status.REPLACED)
        facts = {"skill": skill, "made_by": made_by, "changelog": changelog, "run_id": run_id, "merges": merges}
        version = _create(new_version, status=SkillVersion.Status.PROPOSED, created_at=at, **facts)
        _audit(version, "propose", before={}, by=by, why=changelog, at=at, batch=uuid4()).save(force_insert=True)
    return version


def _create(new_version: PreparedVersion, **facts: Any) -> SkillVersion:
    version = SkillVersion.objects.create(
        number=new_version.number,
        fields=new_version.fields.model_dump(mode="json"),
        scan={"findings": new_version.findings},
        **new_version.package.columns_at(new_version.path),
        **facts,
    )
    # a package of before may have been swept as an orphan between `prepare` and now
    transaction.on_commit(partial(store, new_version.path, new_version.package.content), robust=True)
    if any(finding["rule"] == NOT_CHECKED for finding in new_version.findings):
        transaction.on_commit(partial(async_task, "skills.tasks.scan_again"), robust=True)
    return version


def publish(memory: Memory, *, by: Actor, at: datetime, why: str = "", batch: UUID, number: int | None = None) -> None:
    """Publish the proposed version, retire the former one and confirm the memory: one decision, one batch.

    `number`: the version that must be the proposed one. A restored skill whose version is still the published one is
    only confirmed again. Conflict: nothing is proposed. Invalid: the scan has a critical finding, and no reason is
    given.
    """
    with transaction.atomic():
        memory.lock_for("publish", LIVE)
        skill = Skill.objects.get(pk=memory.pk)
        proposed_version, former_version = (
            _version_with(skill, SkillVersion.Status.PROPOSED),
            _version_with(skill, SkillVersion.Status.PUBLISHED),
        )
        if number is not None and (proposed_version is None or proposed_version.number != number):
            raise Conflict(_not_proposed(skill, number, "publish"))
        if proposed_version is None and (former_version is None or memory.status not in UNDECIDED):
            raise Conflict(f"no version of {skill.name} is proposed; it is {memory.status}")
        if proposed_version and not why.strip() and proposed_version.is_critical:
            raise Invalid(
                FieldError("/why", "required", ("this version has critical findings: give a reason for publishing it"))
            )
        if proposed_version:
            if former_version:
                _move(former_version, SkillVersion.Status.RETIRED, "retire", by=by, why=why, at=at, batch=batch)
            _move(proposed_version, SkillVersion.Status.PUBLISHED, "publish", by=by, why=why, at=at, batch=batch)
            if proposed_version.merges:
                former_names.take_place(skill, proposed_version, by=by, why=why, at=at, batch=batch)
        update_payload(memory, skill, at=at)
        _confirm(memory, proposed_version or former_version, by=by, why=why, at=at, batch=batch)


def _confirm(memory: Memory, published_version: SkillVersion | None, **audit: Unpack[AuditFacts]) -> None:
    """Confirm the memory. Its content becomes the description that agents now get: searches find the skill by it."""
    description = published_version.fields["description"] if published_version else memory.content
    change = {} if description == memory.content else {"content": description}
    if memory.status not in UNDECIDED:
        memory.revise("publish", change, **audit)
        return
    if change:
        memory.edit(change, **audit)
    memory.promote(**audit)


def reject(memory: Memory, *, by: Actor, at: datetime, why: str, batch: UUID, number: int | None = None) -> None:
    """Reject the proposed version; the published one stays. `number`: the version that the caller has read.

    Conflict: it is not proposed, or the skill has no published version and has to be dismissed instead.
    """
    with transaction.atomic():
        memory.lock_for("reject", LIVE)
        skill = Skill.objects.get(pk=memory.pk)
        proposed_version = _version_with(skill, SkillVersion.Status.PROPOSED)
        if proposed_version is None or number not in (None, proposed_version.number):
            raise Conflict(_not_proposed(skill, number, "reject"))
        if memory.status in UNDECIDED and _version_with(skill, SkillVersion.Status.PUBLISHED) is None:
            raise Conflict("no version of this skill was ever published: dismiss the skill instead")
        _move(proposed_version, SkillVersion.Status.REJECTED, "reject", by=by, why=why, at=at, batch=batch)
        memory.note("reject", by=by, why=why, at=at, batch=batch)


def _not_proposed(skill: Skill, number: int | None, verb: str) -> str:
    for version in skill.versions.all():
        if version.number == number:
            return f"cannot {verb} version {number}: it is {version.status}"
    return f"no version of {skill.name} is proposed"


def retire(memory: Memory, *, by: Actor, at: datetime, why: str = "", batch: UUID) -> None:
    """Withdraw the published version from agents; the memory stays, and so does a proposed version.

    Conflict: no version is published.
    """
    with transaction.atomic():
        memory.lock_for("retire", LIVE)
        skill = Skill.objects.get(pk=memory.pk)
        published_version = _version_with(skill, SkillVersion.Status.PUBLISHED)
        if published_version is None:
            raise Conflict(f"no version of {skill.name} is published")
        _move(published_version, SkillVersion.Status.RETIRED, "retire", by=by, why=why, at=at, batch=batch)
        update_payload(memory, skill, at=at)
        memory.note("retire", by=by, why=why, at=at, batch=batch)


def replace(
    version: SkillVersion, new_version: PreparedVersion, *, by: Actor, at: datetime, why: str, batch: UUID
) -> SkillVersion:
    """Put a copy under another name in the place of a published or proposed version, in the caller's transaction.

    One decision, whose undo brings the former one back; the copy is then one that was replaced.
    """
    status = SkillVersion.Status(version.status)
    facts = {"skill": version.skill, "made_by": version.made_by, "run_id": version.run_id, "merges": version.merges}
    copy = _create(new_version, status=SkillVersion.Status.REPLACED, changelog=why, created_at=at, **facts)
    is_published = status == SkillVersion.Status.PUBLISHED
    former_status = SkillVersion.Status.RETIRED if is_published else SkillVersion.Status.REPLACED
    _move(version, former_status, "rename", by=by, why=why, at=at, batch=batch)
    _move(copy, status, "rename", by=by, why=why, at=at, batch=batch)
    return copy


def revert(entry: AuditEntry, *, by: Actor, at: datetime, batch: UUID) -> None:
    """Undo or redo one decision on a version. Conflict: it no longer has the status that the decision gave it."""
    with transaction.atomic():
        version = SkillVersion.objects.select_for_update().select_related("skill__memory").get(pk=entry.subject_id)
        if version.status != entry.after["status"]:
            raise Conflict(f"version {version.number} is {version.status} now")
        action, status = "redo" if entry.undoes else "undo", SkillVersion.Status(entry.before["status"])
        if status in SINGLE_STATUSES and (other := _version_with(version.skill, status)):
            raise Conflict(f"version {other.number} is {other.status} meanwhile")
        _move(version, status, action, by=by, why="", at=at, batch=batch, undoes=entry.pk)
        update_payload(version.skill.memory, version.skill, at=at)


def update_payload(memory: Memory, skill: Skill, *, at: datetime) -> None:
    """Copy the published version into the memory's payload, so that lists of memories need no join with skills; its
    title becomes the skill's.
    """
    version = _version_with(skill, SkillVersion.Status.PUBLISHED)
    payload = {name: value for name, value in memory.payload.items() if name != "skill"}
    if version:
        names = ("procedure", "experience", "preference", "examples", "scripts", "tool", "others")
        fields = {name: version.fields.get(name) for name in names}
        payload["skill"] = {"name": skill.name, "version": version.number, "path": version.package, **fields}
        payload["skill"]["skill_source"] = "runs" if version.made_by == "consolidation" else "auto_create"
        Skill.objects.filter(pk=skill.pk).update(title=version.fields["title"])
    Memory.objects.filter(pk=memory.pk).update(payload=payload, updated_at=at)
    memory.payload, memory.updated_at = payload, at


def _version_with(skill: Skill, status: SkillVersion.Status) -> SkillVersion | None:
    return SkillVersion.objects.filter(skill=skill, status=status).first()


def _move(
    version: SkillVersion,
    status: SkillVersion.Status,
    action: str,
    *,
    by: Actor,
    why: str,
    at: datetime,
    batch: UUID,
    undoes: UUID | None = None,
) -> None:
    before = {"status": version.status}
    version.status = status
    if status in SINGLE_STATUSES:
        version.published_at = at if status == SkillVersion.Status.PUBLISHED else None
    version.save(update_fields=["status", "published_at"])
    _audit(version, action, before=before, by=by, why=why, at=at, batch=batch, undoes=undoes).save(force_insert=True)


def note_scan(version: SkillVersion, *, by: Actor, at: datetime, batch: UUID) -> None:
    """Record that a scan that had run out of time was repeated and passed."""
    why = "the scan that ran out of time was repeated to its end"
    _audit(version, "scan", before={}, by=by, why=why, at=at, batch=batch).save(force_insert=True)


def _audit(
    version: SkillVersion,
    action: str,
    *,
    before: dict[str, str],
    by: Actor,
    why: str,
    at: datetime,
    batch: UUID,
    undoes: UUID | None = None,
) -> AuditEntry:
    memory = version.skill.memory
    return AuditEntry.draft(
        kind=VERSION,
        subject=version.pk,
        label=f"{version.skill.name} {version.number}",
        action=action,
        by=by,
        at=at,
        scope=memory.scope,
        sensitivity=memory.sensitivity,
        why=why,
        before=before,
        after={"status": version.status},
        batch=batch,
        undoes=undoes,
    )
