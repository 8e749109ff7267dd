"""Packing the fields of a skill version into a zip, and the reverse.

The same fields and version give the same bytes: sorted names, fixed times and modes, no compression (deflated bytes
differ between zlib versions; packages are small).
"""

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass

from skills.manifest import Fields
from skills.packaging import unpacking
from skills.packaging.archives import PackageRefused, size_problems
from skills.packaging.skill_md_writer import RECIPE, skill_md
from skills.packaging.unpacking import UnpackedSkill

__all__ = ["File", "Package", "PackageRefused", "UnpackedSkill", "pack", "texts", "unpack"]

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest a zip can say


@dataclass(frozen=True, slots=True)
class File:
    path: str  # inside the skill's folder
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    skill_md: str
    files: tuple[File, ...]
    content: bytes
    sha256: str


def pack(fields: Fields, version: int) -> Package:
    """Pack the fields of a version. PackageRefused: the package would exceed the limits of `unpack`."""
    files = {path: text.encode() for path, text in texts(fields, version).items()}
    if problems := size_problems(files):
        raise PackageRefused(problems)
    content = _zip({f"{fields.name}/{path}": text for path, text in files.items()})
    return Package(
        name=fields.name,
        skill_md=files["SKILL.md"].decode(),
        files=tuple(File(path, len(text), _sha256(text)) for path, text in files.items()),
        content=content,
        sha256=_sha256(content),
    )


def unpack(content: bytes) -> UnpackedSkill:
    """The fields in an uploaded zip, with warnings about changes and omissions. PackageRefused names every problem."""
    unpacked = unpacking.read(content)
    if problems := size_problems({path: text.encode() for path, text in texts(unpacked.fields, 1).items()}):
        raise PackageRefused(problems)
    return unpacked


def texts(fields: Fields, version: int) -> dict[str, str]:
    """The text of every file of the package by its path in the skill's folder, sorted by path."""
    files = {"SKILL.md": skill_md(fields, version)}
    for folder, group in (("scripts", fields.scripts), ("reference", fields.others), ("assets", fields.assets)):
        files |= {f"{folder}/{name}": text for name, text in (group or {}).items()}
    if fields.recipe:
        steps = [step.model_dump(exclude_defaults=True) for step in fields.recipe]
        files[RECIPE] = json.dumps(steps, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return dict(sorted(files.items()))


def _zip(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path, content in sorted(files.items()):
            info = zipfile.ZipInfo(path, _EPOCH)
            info.create_system = 3  # Unix, wherever this runs
            info.external_attr = 0o100644 << 16
            archive.writestr(info, content)
    return buffer.getvalue()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
