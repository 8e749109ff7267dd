"""New versions that people make of old ones: with other fields, or an old one once more. Both are proposed."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from pydantic import ValidationError

from memories.models import Memory
from memories.values.choices import LIVE, Permission
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.trust import Trust
from skills import former_names, merging, publishing, storages
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.packaging import Package, PackageRefused, extras, field_files, pack, pack_files, texts, unpack, with_name
from skills.packaging.skill_md_writer import RECIPE
from skills.publishing import PreparedVersion
from skills.scanning import WRITTEN_BY_MODEL

EDITABLE = (
    *("title", "description", "trigger", "procedure", "failure_modes", "fallbacks"),
    *("experience", "preference", "examples", "tool"),
)


class Unchanged(Conflict):
    """An edit that changes nothing."""


def edited_fields(base: SkillVersion, changes: Mapping[str, Any], files: Mapping[str, bytes] | None = None) -> Fields:
    """The fields of a version with some of EDITABLE changed, and with those of `files`, which are all that it is to
    have. Invalid names each wrong one.
    """
    values = {name: value for name, value in changes.items() if name in EDITABLE}
    if files is not None:
        values |= {"scripts": None, "others": None, "assets": None, **field_files(files)}
    try:
        return Fields.model_validate({**base.fields, **values, "name": base.skill.name})  # a later name
    except ValidationError as error:
        problems = [(f"/{detail['loc'][0]}", detail["msg"].removeprefix("Value error, ")) for detail in error.errors()]
        raise Invalid(*(FieldError(pointer, "invalid", text) for pointer, text in problems)) from None


def edit(
    base: SkillVersion,
    changes: Mapping[str, Any],
    *,
    files: Mapping[str, bytes] | None = None,
    trust: Trust,
    at: datetime,
    why: str = "",
) -> SkillVersion:
    """Propose a version with other fields, and with `files` for all that are not written from fields; None: they stay.

    Conflict: nothing differs, a newer version was proposed meanwhile, or the skill is no longer live.
    """
    check_permission(base.skill, trust)
    skill, former_files = base.skill, files_of(base)
    files = former_files if files is None else files
    fields = edited_fields(base, changes, files)
    if fields == edited_fields(base, {}, former_files) and files == former_files:
        raise Unchanged("the version does not differ from the one it is based on")
    number = publishing.next_number(skill)
    try:
        new_version = publishing.prepare(fields, scope=skill.scope, number=number, extras=files)
    except PackageRefused as refusal:
        raise Invalid(*(FieldError("", "package_refused", text) for text in refusal.problems)) from None
    new_version = with_marks(new_version, base)
    return _propose(base, new_version, SkillVersion.MadeBy.EDIT, trust=trust, at=at, why=why, newest=True)


def restore(old: SkillVersion, *, trust: Trust, at: datetime, why: str = "") -> SkillVersion:
    """Propose a new version with the fields and files of an old one. Conflict: it is open or published, or no longer
    live."""
    check_permission(old.skill, trust)
    if old.status in publishing.SINGLE_STATUSES:
        raise Conflict(f"version {old.number} is {old.status}")
    fields, number = edited_fields(old, {}), publishing.next_number(old.skill)
    package = repack(old, fields, number)
    new_version = publishing.prepare_package(fields, package, scope=old.skill.scope, number=number)
    new_version = with_marks(new_version, old)
    reason = why or f"version {old.number} once more"
    return _propose(old, new_version, SkillVersion.MadeBy.RESTORE, trust=trust, at=at, why=reason, newest=False)


def repack(version: SkillVersion, fields: Fields, number: int) -> Package:
    """The package of a version with another number and the name in `fields`. Files of an upload keep their bytes, but
    for the name in its SKILL.md."""
    former, content = Fields.model_validate(version.fields), _content(version)
    more_files = extras(content, former)
    if pack(former, version.number, more_files).sha256 == version.sha256:
        return pack(fields, number, more_files)
    skill = unpack(content)
    return pack_files(fields.name, (skill if fields.name == former.name else with_name(skill, fields.name)).files)


def with_marks(new_version: PreparedVersion, *versions: SkillVersion) -> PreparedVersion:
    """The version with the marks of what a model wrote: on files that come unchanged from one of the versions, and on
    sentences that its SKILL.md still has.
    """
    files = {file.sha256: file.path for file in new_version.package.files}
    marks = []
    for version in versions:
        hashes = {file["path"]: file["sha256"] for file in version.files}
        for finding in version.scan.get("findings", ()):
            sentence = finding["excerpt"] if finding["file"] == "SKILL.md" else ""
            remains = sentence and sentence in new_version.package.skill_md
            path = "SKILL.md" if remains else files.get(hashes.get(finding["file"], ""))
            if finding["rule"] == WRITTEN_BY_MODEL and path:
                marks.append({**finding, "file": path})
    return replace(new_version, findings=[*new_version.findings, *marks])


def merge(skill: Skill, other: Skill, *, trust: Trust, at: datetime, why: str = "") -> SkillVersion:
    """Propose a version of `skill` with the content of both. Once published, it takes the place and names of `other`.

    Conflict: they are not two live skills of one scope and sensitivity with versions.
    """
    check_permission(skill, trust)
    base, other_version = skill.current, other.current
    if base is None or other_version is None:
        raise Conflict("both skills need a version")
    former_names.check_overlap(skill, other)
    fields = merging.unite(Fields.model_validate(base.fields), Fields.model_validate(other_version.fields))
    own_files, files_of_other = extra_files(base), extra_files(other_version)
    own_paths = {path.lower() for path in own_files}  # of two at one path the kept skill's
    files = {**{path: data for path, data in files_of_other.items() if path.lower() not in own_paths}, **own_files}
    number = publishing.next_number(skill)
    fields = fields.model_copy(update={"name": skill.name})
    try:
        new_version = publishing.prepare(fields, scope=skill.scope, number=number, extras=files)
    except PackageRefused as refusal:
        raise Invalid(*(FieldError("", "package_refused", text) for text in refusal.problems)) from None
    new_version = with_marks(new_version, base, other_version)
    lost_paths = sorted(path for path, data in files_of_other.items() if files.get(path) != data)
    notes = [why or f"merged with {other.name}", *(f"{path} is that of {skill.name}" for path in lost_paths)]
    made_by = SkillVersion.MadeBy.MERGE
    return _propose(base, new_version, made_by, trust=trust, at=at, why="; ".join(notes), newest=True, merges=other)


def _propose(
    base: SkillVersion,
    new_version: PreparedVersion,
    made_by: SkillVersion.MadeBy,
    *,
    trust: Trust,
    at: datetime,
    why: str,
    newest: bool,
    merges: Skill | None = None,
) -> SkillVersion:
    check_permission(base.skill, trust)
    try:
        with transaction.atomic():
            memory = Memory.objects.get(pk=base.skill_id)
            memory.lock_for("edit", LIVE)
            skill = Skill.objects.get(pk=base.skill_id)
            latest = skill.proposed or skill.published
            if newest and latest is not None and latest.pk != base.pk:
                raise Conflict(f"version {latest.number} is {latest.status} meanwhile")
            merged_skill = merges or (base.merges if base.is_open else None)  # an edited merge is still one
            facts: dict[str, Any] = {"by": trust.actor, "at": at, "changelog": why}
            return publishing.propose(skill, new_version, made_by=made_by, merges=merged_skill, **facts)
    except IntegrityError:
        raise Conflict("another version was proposed in the meantime") from None


def files_of(version: SkillVersion) -> dict[str, bytes]:
    """The files of a version by path, without SKILL.md and the recipe, which its fields give. Conflict: its package is
    lost."""
    texts_by_path = texts(Fields.model_validate(version.fields), version.number)
    own_files = {path: text.encode() for path, text in texts_by_path.items() if path not in ("SKILL.md", RECIPE)}
    if all(file["path"] in texts_by_path for file in version.files):  # without a look into the storage
        return own_files
    return dict(sorted({**extra_files(version), **own_files}.items()))


def extra_files(version: SkillVersion) -> dict[str, bytes]:
    """The files of a version that its fields do not hold."""
    return extras(_content(version), Fields.model_validate(version.fields))


def _content(version: SkillVersion) -> bytes:
    try:
        with storages.open_package(version.package) as file:
            content: bytes = file.read()
    except FileNotFoundError:
        problem = (
            f"the package of {version} is missing from the storage: bring the file back, or upload the skill again"
        )
        raise Conflict(problem) from None
    return content


def check_permission(skill: Skill, trust: Trust) -> None:
    """Check that the caller may review and write into the skill's scope, else NotAllowed."""
    trust.require(Permission.REVIEW, "a new version by hand needs the permission review")
    trust.scope_to_write(skill.scope)
