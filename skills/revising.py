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
from skills.packaging import Package, PackageRefused, extras, field_files, pack, pack_files, renamed, texts, unpack
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
    kept = {name: value for name, value in changes.items() if name in EDITABLE}
    if files is not None:
        kept |= {"scripts": None, "others": None, "assets": None, **field_files(files)}
    try:
        return Fields.model_validate({**base.fields, **kept, "name": base.skill.name})  # it may be renamed since
    except ValidationError as error:
        wrong = [(f"/{each['loc'][0]}", each["msg"].removeprefix("Value error, ")) for each in error.errors()]
        raise Invalid(*(FieldError(pointer, "invalid", text) for pointer, text in wrong)) from None


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
    skill, before = base.skill, files_of(base)
    files = before if files is None else files
    fields = edited_fields(base, changes, files)
    if fields == edited_fields(base, {}, before) and files == before:
        raise Unchanged("nothing differs from the version it is based on")
    number = publishing.next_number(skill)
    try:
        prepared = publishing.prepare(fields, scope=skill.scope, number=number, extras=files)
    except PackageRefused as refused:
        raise Invalid(*(FieldError("", "package_refused", text) for text in refused.problems)) from None
    prepared = with_marks(prepared, base)
    return _propose(base, prepared, SkillVersion.MadeBy.EDIT, trust=trust, at=at, why=why, newest=True)


def restore(old: SkillVersion, *, trust: Trust, at: datetime, why: str = "") -> SkillVersion:
    """Propose a new version with the fields and files of an old one. Conflict: it is open or published, or no longer
    live."""
    check_permission(old.skill, trust)
    if old.status in publishing.SINGLE_STATUSES:
        raise Conflict(f"version {old.number} is {old.status}")
    fields, number = edited_fields(old, {}), publishing.next_number(old.skill)
    package = repacked(old, fields, number)
    prepared = publishing.prepare_package(fields, package, scope=old.skill.scope, number=number)
    prepared = with_marks(prepared, old)
    reason = why or f"version {old.number} once more"
    return _propose(old, prepared, SkillVersion.MadeBy.RESTORE, trust=trust, at=at, why=reason, newest=False)


def repacked(version: SkillVersion, fields: Fields, number: int) -> Package:
    """The package of a version with another number and the name in `fields`. Of an upload only the name is changed."""
    former, content = Fields.model_validate(version.fields), _content(version)
    others = extras(content, former)
    if pack(former, version.number, others).sha256 == version.sha256:
        return pack(fields, number, others)
    unpacked = unpack(content)
    return pack_files(fields.name, (unpacked if fields.name == former.name else renamed(unpacked, fields.name)).files)


def with_marks(prepared: PreparedVersion, *versions: SkillVersion) -> PreparedVersion:
    """The version with the marks of what a model wrote: on files that come unchanged from one of the versions, and on
    sentences that its SKILL.md still has.
    """
    files = {file.sha256: file.path for file in prepared.package.files}
    marks = []
    for version in versions:
        hashes = {file["path"]: file["sha256"] for file in version.files}
        for finding in version.scan.get("findings", ()):
            sentence = finding["excerpt"] if finding["file"] == "SKILL.md" else ""
            remains = sentence and sentence in prepared.package.skill_md
            path = "SKILL.md" if remains else files.get(hashes.get(finding["file"], ""))
            if finding["rule"] == WRITTEN_BY_MODEL and path:
                marks.append({**finding, "file": path})
    return replace(prepared, findings=[*prepared.findings, *marks])


def merge(kept: Skill, other: Skill, *, trust: Trust, at: datetime, why: str = "") -> SkillVersion:
    """Propose a version of `kept` with what both hold. Once it is published, it takes the place and names of `other`.

    Conflict: they are not two live skills of one scope and sensitivity with versions.
    """
    check_permission(kept, trust)
    base, added = kept.current, other.current
    if base is None or added is None:
        raise Conflict("both skills need a version")
    former_names.check_overlap(kept, other)
    fields = merging.unite(Fields.model_validate(base.fields), Fields.model_validate(added.fields))
    own, theirs = extra_files(base), extra_files(added)
    taken = {path.lower() for path in own}  # of two at one path the kept skill's
    files = {**{path: data for path, data in theirs.items() if path.lower() not in taken}, **own}
    number = publishing.next_number(kept)
    fields = fields.model_copy(update={"name": kept.name})
    try:
        prepared = publishing.prepare(fields, scope=kept.scope, number=number, extras=files)
    except PackageRefused as refused:
        raise Invalid(*(FieldError("", "package_refused", text) for text in refused.problems)) from None
    prepared = with_marks(prepared, base, added)
    lost = sorted(path for path, data in theirs.items() if files.get(path) != data)
    notes = [why or f"merged with {other.name}", *(f"{path} is that of {kept.name}" for path in lost)]
    made_by = SkillVersion.MadeBy.MERGE
    return _propose(base, prepared, made_by, trust=trust, at=at, why="; ".join(notes), newest=True, merges=other)


def _propose(
    base: SkillVersion,
    prepared: PreparedVersion,
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
            merged = merges or (base.merges if base.is_open else None)  # an edited merge is still one
            about: dict[str, Any] = {"by": trust.actor, "at": at, "changelog": why}
            return publishing.propose(skill, prepared, made_by=made_by, merges=merged, **about)
    except IntegrityError:
        raise Conflict("another version was proposed meanwhile") from None


def files_of(version: SkillVersion) -> dict[str, bytes]:
    """Every file of a version by path but those that are written from its fields. Conflict: its package is lost."""
    written = texts(Fields.model_validate(version.fields), version.number)
    held = {path: text.encode() for path, text in written.items() if path not in ("SKILL.md", RECIPE)}
    if all(file["path"] in written for file in version.files):  # without a look into the storage
        return held
    return dict(sorted({**extra_files(version), **held}.items()))


def extra_files(version: SkillVersion) -> dict[str, bytes]:
    """The files of a version that its fields do not hold."""
    return extras(_content(version), Fields.model_validate(version.fields))


def _content(version: SkillVersion) -> bytes:
    try:
        with storages.open_package(version.package) as file:
            content: bytes = file.read()
    except FileNotFoundError:
        lost = f"the package of {version} is missing from the storage: bring the file back, or upload the skill again"
        raise Conflict(lost) from None
    return content


def check_permission(skill: Skill, trust: Trust) -> None:
    """NotAllowed: the caller may not review, or not write into the skill's scope."""
    trust.require(Permission.REVIEW, "a new version by hand needs the permission review")
    trust.scope_to_write(skill.scope)
