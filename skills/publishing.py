"""From fields to what agents download: prepare (pack and store), propose, publish. A version never changes."""

from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID, uuid4

from django.db import transaction

from memories.models import AuditEntry, Memory
from memories.values.choices import LIVE, Status
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.trust import Actor
from skills import scanning
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.packaging import Package, pack, texts
from skills.storages import package_path, store

VERSION = "skill_version"
UNDECIDED = (Status.CANDIDATE, Status.CONTESTED)
ONE_OF_A_SKILL = (SkillVersion.Status.PROPOSED, SkillVersion.Status.PUBLISHED)


@dataclass(frozen=True)
class Prepared:
    """A package that lies in storage but stands in no row yet; one that never gets a row is swept after a day."""

    fields: Fields
    number: int
    package: Package
    path: str
    findings: list[dict[str, object]]


def prepare(fields: Fields, *, scope: str, number: int) -> Prepared:
    """Packs, scans and stores; outside of any transaction, for storage is a foreign system."""
    package = pack(fields, number)
    path = package_path(scope, package.name, package.sha256)
    store(path, package.content)
    findings = [asdict(finding) for finding in scanning.scan(texts(fields, number))]
    return Prepared(fields, number, package, path, findings)


def next_number(skill: Skill) -> int:
    return (skill.versions.order_by("-number").values_list("number", flat=True).first() or 0) + 1


def propose(
    skill: Skill,
    prepared: Prepared,
    *,
    made_by: SkillVersion.MadeBy,
    by: Actor,
    at: datetime,
    changelog: str = "",
    run_id: UUID | None = None,
) -> SkillVersion:
    """Records the version as proposed; a former open proposal is replaced by it. What agents download stays as it is.

    IntegrityError: another process took the number meanwhile.
    """
    with transaction.atomic():
        proposals = SkillVersion.objects.filter(skill=skill, status=SkillVersion.Status.PROPOSED)
        proposals.update(status=SkillVersion.Status.REPLACED)
        version = SkillVersion.objects.create(
            skill=skill,
            number=prepared.number,
            status=SkillVersion.Status.PROPOSED,
            fields=prepared.fields.model_dump(mode="json"),
            skill_md=prepared.package.skill_md,
            files=[{"path": f.path, "size": f.size, "sha256": f.sha256} for f in prepared.package.files],
            package=prepared.path,
            sha256=prepared.package.sha256,
            size=len(prepared.package.content),
            changelog=changelog,
            made_by=made_by,
            scan={"findings": prepared.findings},
            run_id=run_id,
            created_at=at,
        )
        _audit(version, "propose", before={}, by=by, why=changelog, at=at, batch=uuid4()).save(force_insert=True)
    return version


def publish(memory: Memory, *, by: Actor, at: datetime, why: str = "", batch: UUID) -> None:
    """Makes the proposed version what agents download, and the memory at least confirmed: one decision, one batch.

    A restored skill whose version is still the published one is only confirmed again. Conflict: nothing is proposed.
    Invalid: the scan found something critical, and no reason is given.
    """
    with transaction.atomic():
        memory.lock_for("publish", LIVE)
        skill = Skill.objects.get(pk=memory.pk)
        proposed, former = _one(skill, SkillVersion.Status.PROPOSED), _one(skill, SkillVersion.Status.PUBLISHED)
        if proposed is None and (former is None or memory.status not in UNDECIDED):
            raise Conflict(f"no version of {skill.name} is proposed; it is {memory.status}")
        if proposed and not why.strip() and proposed.is_critical:
            raise Invalid(FieldError("/why", "required", "this version has critical findings: say why it is published"))
        if proposed:
            if former:
                _move(former, SkillVersion.Status.RETIRED, "retire", by=by, why=why, at=at, batch=batch)
            _move(proposed, SkillVersion.Status.PUBLISHED, "publish", by=by, why=why, at=at, batch=batch)
        show_on_memory(memory, skill)
        if memory.status in UNDECIDED:
            memory.promote(by=by, why=why, at=at, batch=batch)
        else:
            memory.note("publish", by=by, why=why, at=at, batch=batch)


def reject(memory: Memory, *, by: Actor, at: datetime, why: str, batch: UUID, number: int | None = None) -> None:
    """The proposed version is not published; what agents download stays. `number`: the version that is meant.

    Conflict: it is not proposed, or it is all that there is of the skill, which is dismissed instead.
    """
    with transaction.atomic():
        memory.lock_for("reject", LIVE)
        skill = Skill.objects.get(pk=memory.pk)
        proposed = _one(skill, SkillVersion.Status.PROPOSED)
        if proposed is None or number not in (None, proposed.number):
            raise Conflict(_not_proposed(skill, number))
        if memory.status in UNDECIDED and _one(skill, SkillVersion.Status.PUBLISHED) is None:
            raise Conflict("no version of this skill was ever published: dismiss the skill instead")
        _move(proposed, SkillVersion.Status.REJECTED, "reject", by=by, why=why, at=at, batch=batch)
        memory.note("reject", by=by, why=why, at=at, batch=batch)


def _not_proposed(skill: Skill, number: int | None) -> str:
    for version in skill.versions.all():
        if version.number == number:
            return f"cannot reject version {number}: it is {version.status}"
    return f"no version of {skill.name} is proposed"


def revert(entry: AuditEntry, *, by: Actor, at: datetime, batch: UUID) -> None:
    """The inverse of one decision on a version, if it still has the status that the decision left."""
    with transaction.atomic():
        version = SkillVersion.objects.select_for_update().select_related("skill__memory").get(pk=entry.subject_id)
        if version.status != entry.after["status"]:
            raise Conflict(f"version {version.number} is {version.status} now")
        action, status = "redo" if entry.undoes else "undo", SkillVersion.Status(entry.before["status"])
        if status in ONE_OF_A_SKILL and (other := _one(version.skill, status)):
            raise Conflict(f"version {other.number} is {other.status} meanwhile")
        _move(version, status, action, by=by, why="", at=at, batch=batch, undoes=entry.pk)
        show_on_memory(version.skill.memory, version.skill)


def show_on_memory(memory: Memory, skill: Skill) -> None:
    """Writes the published version left, into the memory's payload, so that no list ever looks right for it."""
    version = _one(skill, SkillVersion.Status.PUBLISHED)
    payload = {name: value for name, value in memory.payload.items() if name != "skill"}
    if version:
        kept = ("procedure", "experience", "preference", "examples", "scripts", "tool", "others")
        fields = {name: version.fields.get(name) for name in kept}
        payload["skill"] = {"name": skill.name, "version": version.number, "path": version.package, **fields}
        payload["skill"]["skill_source"] = "runs" if version.made_by == "consolidation" else "auto_create"
    Memory.objects.filter(pk=memory.pk).update(payload=payload)
    memory.payload = payload


def _one(skill: Skill, status: SkillVersion.Status) -> SkillVersion | None:
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
    if status in ONE_OF_A_SKILL:
        version.published_at = at if status == SkillVersion.Status.PUBLISHED else None
    version.save(update_fields=["status", "published_at"])
    _audit(version, action, before=before, by=by, why=why, at=at, batch=batch, undoes=undoes).save(force_insert=True)


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
