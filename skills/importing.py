"""Taking in a skill that somebody made elsewhere: a version proposed like any other, and its memory if it is new.

`prepare` reads, packs, scans and stores; `record` writes the rows. Between the two nothing is lost: a package without a
row is swept after a day.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from memories.intake import admission
from memories.intake.inserting import insert_memories
from memories.intake.statements import NOTHING_TOLD, Statement, WriteResult
from memories.lifecycle.ladder import Ladder
from memories.models import Memory, Passage
from memories.scanning import credentials
from memories.values.choices import LIVE, ActorKind, Origin, Sensitivity, Status, Type
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.field_types import SCOPE, SCOPE_IN_WORDS
from memories.values.trust import Trust
from skills import publishing, scanning
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.packaging import Package, PackageRefused, UnpackedSkill, pack_files, unpack, unpack_files, with_name
from skills.packaging.unpacking import is_text
from skills.publishing import PreparedVersion


@dataclass(frozen=True)
class PreparedImport:
    """A stored package, where it belongs, and the skill of that name if there is one."""

    version: PreparedVersion
    scope: str
    warnings: list[str]
    skill: Skill | None


@dataclass(frozen=True)
class Imported:
    """What came of an upload. `version` None: nothing was stored or may be shown, see `write_result`.

    `created` false with a version: these very files are there already.
    """

    version: SkillVersion | None
    warnings: list[str]
    created: bool = False
    write_result: WriteResult | None = None


def read(content: Mapping[str, bytes] | bytes, *, pointer: str = "/file") -> UnpackedSkill:
    """The skill in a zip, or in the files of a folder by path. Invalid names every problem."""
    try:
        return unpack(content) if isinstance(content, bytes) else unpack_files(content)
    except PackageRefused as refused:
        raise Invalid(*(FieldError(pointer, "package_refused", text, True) for text in refused.problems)) from None


def checked_scope(scope: str) -> str:
    """Invalid: no name of a scope."""
    if not re.fullmatch(SCOPE, scope):
        raise Invalid(FieldError("/scope", "invalid", SCOPE_IN_WORDS))
    return scope


def prepare(upload: UnpackedSkill, *, scope: str | None, trust: Trust, pointer: str = "/file") -> PreparedImport:
    """Pack, scan and store an upload. Outside of any transaction: the storage is a foreign system.

    Invalid: too large when packed; NotAllowed: not a scope of the caller.
    """
    original = upload
    if _removes(trust):
        upload = _without_secrets(upload, pointer=pointer)
    secrets = [] if upload is original else _secrets(original)
    place = trust.scope_to_write(scope)
    skill = Skill.objects.find(upload.fields.name, scope=place)
    number = publishing.next_number(skill) if skill else 1
    upload, package = pack_upload(upload, skill, pointer=pointer)
    version = publishing.prepare_package(upload.fields, package, scope=place, number=number)
    version = replace(version, findings=scanning.gravest_first([*secrets, *version.findings]))
    return PreparedImport(version, place, upload.warnings, skill)


def pack_upload(upload: UnpackedSkill, skill: Skill | None, *, pointer: str = "/file") -> tuple[UnpackedSkill, Package]:
    """The upload, renamed to the present name of its skill, and its package. Invalid: too large."""
    try:
        if skill and skill.name != upload.fields.name:
            upload = with_name(upload, skill.name)
        return upload, pack_files(upload.fields.name, upload.files)
    except PackageRefused as refused:
        raise Invalid(*(FieldError(pointer, "package_refused", text, True) for text in refused.problems)) from None


def _removes(trust: Trust) -> bool:
    """Whether credentials are removed from what this caller uploads; a person's words are kept."""
    return trust.actor.kind == ActorKind.AGENT


def _without_secrets(upload: UnpackedSkill, *, pointer: str) -> UnpackedSkill:
    """The skill with each credential in its texts replaced by a placeholder; the same object where there is none."""
    files = {
        path: credentials.removed(data.decode()).encode() if is_text(data) else data
        for path, data in upload.files.items()
    }
    if files == upload.files:
        return upload
    clean_skill = read({f"{upload.fields.name}/{path}": data for path, data in files.items()}, pointer=pointer)
    return UnpackedSkill(
        clean_skill.fields, clean_skill.files, [*upload.warnings, "credentials in its files were removed"]
    )


def _secrets(original: UnpackedSkill) -> list[dict[str, Any]]:
    """The findings of credentials that were removed: a reviewer is told of them, and their excerpts show none."""
    texts = {path: data.decode() for path, data in original.files.items() if is_text(data)}
    findings = scanning.scan_secrets(texts)
    return [asdict(replace(finding, excerpt=credentials.removed(finding.excerpt))) for finding in findings]


def record(
    skill_import: PreparedImport,
    *,
    trust: Trust,
    at: datetime,
    sensitivity: Sensitivity | None = None,
    changelog: str = "",
    sources: Sequence[Mapping[str, Any]] = (),
    by_hand: bool = True,
) -> Imported:
    """Propose the version, of a new skill or the one of that name; what agents download does not change.

    `sources`: provenance of a new skill. `by_hand`: a person who brings in this very skill decides over dismissals.
    Conflict: somebody else was faster, or (for a person by hand) the skill was dismissed.
    """
    person_decides = by_hand and trust.actor.kind == ActorKind.PERSON
    changelog = credentials.removed(changelog) if _removes(trust) else changelog
    try:
        with transaction.atomic():
            if skill_import.skill is not None:
                return _next_version(
                    skill_import,
                    skill_import.skill,
                    trust=trust,
                    at=at,
                    changelog=changelog,
                    person_decides=person_decides,
                )
            fields: dict[str, Any] = {"sensitivity": sensitivity, "changelog": changelog, "sources": [*sources]}
            return _first_version(skill_import, trust=trust, at=at, person_decides=person_decides, **fields)
    except IntegrityError:
        raise Conflict(f"{skill_import.version.fields.name} was changed in the meantime: send it again") from None


def _next_version(
    skill_import: PreparedImport, skill: Skill, *, trust: Trust, at: datetime, changelog: str, person_decides: bool
) -> Imported:
    memory = Memory.objects.select_for_update().get(pk=skill.pk)
    is_visible = trust.sees(memory)
    if memory.status not in LIVE:
        return _dismissed_result(skill_import, memory, is_visible=is_visible, person_decides=person_decides)
    for version in skill.versions.filter(
        status__in=publishing.SINGLE_STATUSES, sha256=skill_import.version.package.sha256
    ):
        return Imported(version, skill_import.warnings) if is_visible else Imported(None, [], write_result=NOTHING_TOLD)
    if memory.status == Status.CANDIDATE and (
        write_result := _reword(memory, skill_import, trust=trust, at=at, person_decides=person_decides)
    ):
        return Imported(None, [], write_result=write_result)
    version = _propose(skill_import, skill, trust=trust, at=at, changelog=changelog)
    if not is_visible:
        return Imported(None, [], write_result=NOTHING_TOLD)
    return Imported(version, skill_import.warnings, created=True)


def _reword(
    memory: Memory, skill_import: PreparedImport, *, trust: Trust, at: datetime, person_decides: bool
) -> WriteResult | None:
    """Give the memory of a skill that nobody has decided the words of the new version, through the admission gate.

    None: done. Else these words were dismissed, and nothing changed.
    """
    statement = _statement(skill_import.version.fields, memory.scope, trust=trust, sensitivity=None)
    dismissal, columns = admission.admit_new_words(memory, statement, trust=trust, decided=person_decides)
    if dismissal.blocking is not None:
        return admission.suppress(dismissal.blocking, statement, trust=trust, at=at)
    # what runs told of the skill stays
    columns["payload"] = {**columns["payload"], **memory.payload, **_steps(columns["payload"])}
    Memory.objects.filter(pk=memory.pk).update(**columns, updated_at=at)
    memory.refresh_from_db()
    Passage.objects.rewrite(memory)
    return None


def _steps(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {name: payload[name] for name in ("recipe", "required_tools", "failure_modes", "fallbacks")}


def _dismissed_result(
    skill_import: PreparedImport, memory: Memory, *, is_visible: bool, person_decides: bool
) -> Imported:
    """The answer where people dismissed the skill. Conflict: a person uploads it, who can restore it first."""
    if not is_visible:
        return Imported(None, [], write_result=NOTHING_TOLD)
    if person_decides:
        raise Conflict(f"{skill_import.version.fields.name} is {memory.status}: restore it first, then upload")
    return Imported(None, [], write_result=WriteResult(memory, suppressed=True, notice=admission.DISMISSED))


def _first_version(
    skill_import: PreparedImport,
    *,
    trust: Trust,
    at: datetime,
    person_decides: bool,
    sensitivity: Sensitivity | None,
    changelog: str,
    sources: Sequence[Mapping[str, Any]],
) -> Imported:
    fields = skill_import.version.fields
    statement = _statement(fields, skill_import.scope, trust=trust, sensitivity=sensitivity)
    columns: dict[str, Any] = {"provenance": {"sources": sources}} if sources else {}
    admission_result = admission.admit(statement, trust=trust, at=at, decided=person_decides, **columns)
    if admission_result.memory is None:
        return Imported(
            None,
            [],
            write_result=admission.suppress(admission_result.dismissal.blocking, statement, trust=trust, at=at),
        )
    memory = admission_result.memory
    insert_memories([memory], by=trust.actor, at=at, why=changelog)
    skill = Skill.objects.create(memory=memory, scope=memory.scope, name=fields.name, title=fields.title)
    version = _propose(skill_import, skill, trust=trust, at=at, changelog=changelog)
    return Imported(version, skill_import.warnings, created=True)


def _statement(fields: Fields, scope: str, *, trust: Trust, sensitivity: Sensitivity | None) -> Statement:
    source = trust.source_to_write(None)
    payload = {
        "kind": Type.COMPETENCE.value,
        "skill_name": fields.name,
        "triggers": [],
        "recipe": [step.model_dump(mode="json") for step in fields.recipe],
        "required_tools": sorted({step.tool for step in fields.recipe if step.tool}),
        "failure_modes": fields.failure_modes,
        "fallbacks": fields.fallbacks,
    }
    direct = trust.actor.kind == ActorKind.PERSON
    return Statement(
        content=fields.description,
        key="",
        scope=scope,
        source=source,
        confidence=Ladder.of_settings().start(source=source, direct=direct, confidence=None),
        category=None,
        origin=Origin.IMPORTED,
        type=Type.COMPETENCE,
        payload=payload,
        sensitivity=sensitivity,
    )


def _propose(skill_import: PreparedImport, skill: Skill, *, trust: Trust, at: datetime, changelog: str) -> SkillVersion:
    made_by = SkillVersion.MadeBy.UPLOAD
    return publishing.propose(skill, skill_import.version, made_by=made_by, by=trust.actor, at=at, changelog=changelog)
