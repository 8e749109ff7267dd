"""Bring a pack in: its memories and skills as candidates, each with where it came from.

What people dismissed here stays dismissed, and a pack that comes twice changes nothing. A pack decides nothing here: of
its lines only what waits for people is taken.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from consolidation.packs.making import KIND, LEFT_OUT, MANIFEST, MEMORIES, SKILLS, VERSION
from memories.transfer.importing import import_file
from memories.transfer.options import Options, Result, RowResult
from memories.transfer.sqlite_file import Unreadable
from memories.values import strict_json
from memories.values.choices import LIVE, Status
from memories.values.exceptions import Conflict, Invalid, NotAllowed
from memories.values.field_errors import format_instant, parse_instant
from memories.values.trust import Trust
from skills import importing
from skills.models import Skill
from skills.packaging import zip_reading
from skills.packaging.unpacking import UnpackedSkill
from skills.publishing import SINGLE_STATUSES

Json = dict[str, Any]
OF_PACKS = ("memory", "semantic")  # kind and type of each line


@dataclass(frozen=True)
class Pack:
    """`skills`: by name, the files of its folder by path."""

    manifest: Json
    lines: list[Json]
    skills: dict[str, dict[str, bytes]]

    @property
    def source(self) -> Json:
        """Where a row of this pack comes from, as its provenance says."""
        fields = {name: str(self.manifest.get(key, ""))[:500] for name, key in ORIGIN_FIELDS.items()}
        made_at = parse_instant(self.manifest.get("made_at"))
        return {"kind": "pack", "ref": self.ref, **fields, "timestamp": format_instant(made_at) if made_at else None}

    @property
    def ref(self) -> str:
        return str(self.manifest.get("name", ""))[:64]

    @property
    def changelog(self) -> str:
        sentence = self.source
        where = sentence["scope"] or "no scope"
        return f"From the pack {self.ref} of {where}, made by {sentence['created_by']} at {sentence['timestamp']}"


ORIGIN_FIELDS = {"scope": "scope", "created_by": "made_by", "hash": "memories_sha256"}


def read(content: bytes) -> Pack:
    """Unreadable: it is no pack, a hostile one, or of a newer version."""
    archive = zip_reading.read(content)
    if archive.problems:
        raise Unreadable(f"this pack cannot be read: {'; '.join(archive.problems[:5])}")
    if MANIFEST not in archive.files:
        raise Unreadable(f"this is no pack: it holds no {MANIFEST}")
    manifest = _loaded(archive.files[MANIFEST], MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("kind") != KIND:
        raise Unreadable(f"this is no pack: {MANIFEST} does not say that it is a {KIND}")
    if manifest.get("version") != VERSION:
        raise Unreadable(f"this pack is of version {manifest.get('version')!r}, and version {VERSION} is read here")
    return Pack(manifest, _lines(archive.files.get(MEMORIES, b"")), _skills(archive.files))


def _lines(content: bytes) -> list[Json]:
    lines = [_loaded(line, MEMORIES) for line in content.splitlines() if line.strip()]
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, dict) or (line.get("kind"), line.get("type")) != OF_PACKS:
            raise Unreadable(f"{MEMORIES}, line {number}: a pack holds nothing but memories of the type semantic")
    return lines


def _skills(files: dict[str, bytes]) -> dict[str, dict[str, bytes]]:
    skills: dict[str, dict[str, bytes]] = {}
    for path, data in files.items():
        if path.startswith(SKILLS) and path.count("/") > 1:
            skills.setdefault(path.split("/")[1], {})[path.removeprefix(SKILLS)] = data
    return skills


def _loaded(text: bytes, name: str) -> Any:
    try:
        return strict_json.loads(text)
    except Invalid as invalid:
        raise Unreadable(f"{name}: {invalid.errors[0].detail}") from None


def bring_in(
    content: bytes, options: Options, *, at: Callable[[], datetime], keeps: bool = True
) -> Iterator[list[RowResult]]:
    """What came of each row, batch by batch. `keeps` false: nothing is kept, what would come in is told. Unreadable."""
    pack = read(content)
    scope = options.scope if options.scope is not None else str(pack.manifest.get("scope") or "")
    options = replace(options, scope=scope or None, keeps_status=False, applies=False)
    with tempfile.TemporaryDirectory(prefix="memos-pack-") as directory:
        path = Path(directory) / MEMORIES
        path.write_text("".join(f"{json.dumps(_placed(line, scope, pack))}\n" for line in pack.lines))
        yield from import_file(path, options, at=at, keeps=keeps)
    for name, files in sorted(pack.skills.items()):
        try:
            unpacked = importing.read(files, pointer=f"/{SKILLS}{name}")
            place = options.trust.scope_to_write(scope)
            work = _record if keeps else _foretell
            yield [work(f"skill {name}", unpacked, place, pack, options.trust, at())]
        except (Invalid, Conflict, NotAllowed) as refusal:
            yield [RowResult.failed(f"skill {name}", refusal)]


def _placed(line: Json, scope: str, pack: Pack) -> Json:
    """The line with its new scope and where it came from; whatever it says of its worth, it waits for people."""
    kept = {name: value for name, value in line.items() if name not in LEFT_OUT}
    return {**kept, "scope": scope, "status": "candidate", "sources": [pack.source]}


def _record(label: str, unpacked: UnpackedSkill, scope: str, pack: Pack, trust: Trust, at: datetime) -> RowResult:
    prepared = importing.prepare(unpacked, scope=scope, trust=trust)
    done = importing.record(
        prepared, trust=trust, at=at, changelog=pack.changelog, sources=[pack.source], by_hand=False
    )
    shown = unpacked.fields.description[:200]
    if done.write_result is not None and done.write_result.suppressed:
        return RowResult(label, Result.SUPPRESSED, shown=shown)
    if done.version is None or not done.created:
        return RowResult(label, Result.KNOWN)
    if prepared.skill is not None:
        return RowResult(label, Result.CHANGED, shown=shown)
    return RowResult(label, Result.IMPORTED, status=Status.CANDIDATE, shown=shown)


def _foretell(label: str, unpacked: UnpackedSkill, scope: str, _pack: Pack, trust: Trust, _at: datetime) -> RowResult:
    """What would come of a skill, without a package in the store. Of one above the caller nothing is told."""
    shown = unpacked.fields.description[:200]
    skill = Skill.objects.find(unpacked.fields.name, scope=scope)
    if skill is None:
        return RowResult(label, Result.IMPORTED, status=Status.CANDIDATE, shown=shown)
    if not trust.sees(skill.memory):
        return RowResult(label, Result.KNOWN)
    if skill.memory.status not in LIVE:
        return RowResult(label, Result.SUPPRESSED, shown=shown)
    _unpacked, package = importing.pack_upload(unpacked, skill)
    if skill.versions.filter(status__in=SINGLE_STATUSES, sha256=package.sha256).exists():
        return RowResult(label, Result.KNOWN)
    return RowResult(label, Result.CHANGED, shown=shown)
