"""Make a pack: a zip of Agent Skills folders, `memories.jsonl`, `pack.json`, and manifests by which Claude Code and
Gemini CLI take it as a plugin.
"""

import hashlib
import json
import re
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from consolidation.models import Pack
from memories.models import Memory
from memories.models.value_counts import count_values
from memories.transfer import exporting
from memories.values.choices import BELIEVED, Type
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.field_errors import format_instant
from memories.values.trust import Trust
from skills import downloads
from skills.models import Skill, SkillVersion
from skills.packaging import zip_of, zip_reading

KIND, VERSION = "memos-pack", 1
MANIFEST, MEMORIES, SKILLS = "pack.json", "memories.jsonl", "skills/"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NAME_IN_WORDS = "must be small letters, digits and single hyphens"
# What leads to runs that stay here, or is worth nothing elsewhere
OF_RUNS = ("evidence", "sources", "thread_id", "track_record")
LEFT_OUT = (*OF_RUNS, "times_used", "times_confirmed", "last_used_at", "confidence")
MOST = 500  # memories
MOST_COUNTED, MOST_SCOPES = 10_000, 40


@dataclass(frozen=True)
class Contents:
    memories: list[Memory]
    versions: list[SkillVersion]


def known_in(scope: str, trust: Trust, *, at: datetime) -> Any:
    """The memories of a scope that a pack may hold: what is believed there, of facts, preferences and the like."""
    return _known(trust, at=at).filter(scope=scope).order_by("-confidence", "pk")


def published_in(scope: str, trust: Trust) -> Any:
    """The skills of a scope that a pack may hold."""
    return _published(trust).filter(scope=scope).select_related("memory").with_published().order_by("name")


def scopes_to_pack(trust: Trust, *, at: datetime) -> list[tuple[str, int, int]]:
    """Return each scope with its memories and skills that a pack may hold, the fullest first; counted among the first
    MOST_COUNTED rows of each kind."""
    memories, skills = (
        count_values({"rows": (rows.order_by(), ["scope"])}, MOST_COUNTED).get("scope", Counter[str]())
        for rows in (_known(trust, at=at), Skill.objects.filter(pk__in=_published(trust).values("pk")))
    )
    scopes = [(scope, memories[scope], skills[scope]) for scope in {*memories, *skills} - {""}]
    return sorted(scopes, key=lambda one: (-one[1] - one[2], one[0]))[:MOST_SCOPES]


def _known(trust: Trust, *, at: datetime) -> Any:
    return Memory.objects.told_to(trust).unexpired(at).filter(type=Type.SEMANTIC, status__in=BELIEVED)


def _published(trust: Trust) -> Any:
    return Skill.objects.visible_to(trust).downloadable().distinct()


def chosen(
    scope: str, trust: Trust, *, at: datetime, memories: Sequence[UUID] | None, skills: Sequence[str] | None
) -> Contents:
    """What was chosen of a scope; None: everything. Invalid: something cannot be packed, or there is too much."""
    known, published = known_in(scope, trust, at=at), published_in(scope, trust)
    rows = list((known if memories is None else known.filter(pk__in=memories))[: MOST + 1])
    chosen_skills = list(published if skills is None else published.filter(name__in=skills))
    missing = {str(id) for id in memories or ()} - {str(row.pk) for row in rows}
    absent = set(skills or ()) - {skill.name for skill in chosen_skills}
    errors = [FieldError("/memories", "not_there", f"{id} is not believed here") for id in sorted(missing)[:20]]
    errors += [FieldError("/skills", "not_there", f"{name} is not published here") for name in sorted(absent)[:20]]
    if len(rows) > MOST:
        errors = [FieldError("/memories", "too_many", f"more than {MOST} memories: choose some of them")]
    if not errors and not rows and not chosen_skills:
        errors = [FieldError("/scope", "empty", "there is nothing to pack in this scope")]
    if errors:
        raise Invalid(*errors)
    return Contents(rows, [version for skill in chosen_skills if (version := skill.published)])


def keep(contents: Contents, trust: Trust, *, name: str, scope: str, description: str, at: datetime) -> Pack:
    """Store the choice, for `contents_now`."""
    levels = [row.sensitivity for row in (*contents.memories, *(version.skill.memory for version in contents.versions))]
    return Pack.objects.create(
        name=name,
        scope=scope,
        description=description,
        memories=[row.pk for row in contents.memories],
        skills=[version.skill.name for version in contents.versions],
        sensitivity=max(levels),
        made_by=trust.actor.name,
        created_at=at,
    )


def contents_now(pack: Pack, trust: Trust, *, at: datetime) -> Contents:
    """What of a kept choice may be packed now and is visible to the caller. Conflict: nothing of it."""
    rows = list(known_in(pack.scope, trust, at=at).filter(pk__in=pack.memories))
    skills = published_in(pack.scope, trust).filter(name__in=pack.skills)
    contents = Contents(rows, [version for skill in skills if (version := skill.published)])
    if not contents.memories and not contents.versions:
        raise Conflict("nothing of this pack is believed or published any more")
    return contents


def left_out(pack: Pack, contents: Contents) -> dict[str, list[str]]:
    """The ids and names that were chosen and are not in its contents."""
    ids = {row.pk for row in contents.memories}
    names = {version.skill.name for version in contents.versions}
    return {
        "memories": [str(pk) for pk in pack.memories if pk not in ids],
        "skills": sorted(set(pack.skills) - names),
    }


def version_of(made_at: datetime) -> str:
    """The version of a pack as a plugin: a later one is higher."""
    return f"1.0.{int(made_at.timestamp())}"


def checked_name(name: str) -> str:
    """Invalid: no name of a pack."""
    if not NAME.fullmatch(name) or len(name) > 64:
        raise Invalid(FieldError("/name", "invalid", NAME_IN_WORDS))
    return name


def make(
    contents: Contents, trust: Trust, *, name: str, scope: str, description: str, at: datetime, pack: Pack | None = None
) -> bytes:
    """The zip. Invalid: it is too large to be taken in again. Lost: the package of a skill is not in the store.

    `pack`: the kept choice that it is made of again, whose version it has; what is left out of it is named.
    """
    lines = _lines(contents.memories, trust, at=at)
    files = {MEMORIES: lines}
    for version in contents.versions:
        files |= {f"{SKILLS}{path}": content for path, content in files_of(version).items()}
    manifest = {
        "kind": KIND,
        "version": VERSION,
        "name": name,
        "description": description,
        "scope": scope,
        "made_by": trust.actor.name,
        "made_at": format_instant(at),
        "memories": len(contents.memories),
        "memories_sha256": hashlib.sha256(lines).hexdigest(),
        "skills": {version.skill.name: version.sha256 for version in contents.versions},
    }
    number = version_of(pack.created_at if pack else at)
    manifest |= {"left_out": left_out(pack, contents)} if pack else {}
    plugin = {"name": name, "version": number, "description": description or f"Skills of {scope or name}"}
    manifests = {MANIFEST: manifest, ".claude-plugin/plugin.json": plugin, "gemini-extension.json": plugin}
    for path, value in manifests.items():
        files[path] = f"{json.dumps(value, ensure_ascii=False, indent=2)}\n".encode()
    return zipped(files)


def headers(name: str) -> dict[str, str]:
    """Of an answer that is a pack."""
    return {"Content-Disposition": f'attachment; filename="{name}.zip"'}


def _lines(memories: Sequence[Memory], trust: Trust, *, at: datetime) -> bytes:
    """As an export writes them, without what leads to runs that stay here."""
    rows = Memory.objects.filter(pk__in=[row.pk for row in memories])
    records = (json.loads(line) for line in exporting.lines(trust, at=at, rows=rows))
    kept = ({key: _kept(key, value) for key, value in line.items() if key not in LEFT_OUT} for line in records)
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in kept).encode()


def _kept(name: str, value: Any) -> Any:
    """A payload names its evidence too, and a request the run that it comes of."""
    if name == "requests":
        return [{"text": request["text"]} for request in value]
    return {key: inner for key, inner in value.items() if key != "evidence"} if isinstance(value, dict) else value


def files_of(version: SkillVersion) -> dict[str, bytes]:
    """The files of its package by their paths, which begin with the skill's folder. Lost: it is not in the store."""
    with downloads.package_of(version) as file, zipfile.ZipFile(file) as package:
        return {entry.filename: package.read(entry) for entry in package.infolist() if not entry.is_dir()}


def zipped(files: dict[str, bytes]) -> bytes:
    """The zip of these files; Invalid: it is too large to be taken in."""
    problems, packed = zip_reading.size_problems(files), zip_of(files)
    if len(packed) > zip_reading.MAX_COMPRESSED:
        problems.append(zip_reading.TOO_LARGE)
    if problems:
        raise Invalid(FieldError("", "too_large", "; ".join(problems)))
    return packed
