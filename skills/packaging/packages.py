"""Packing the fields of a skill version, or uploaded files, into a zip, and the reverse.

The same files give the same bytes: sorted names, fixed times and modes, no compression while the package is small
(deflated bytes differ between zlib versions).
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from memories.scanning import credentials
from skills.manifest import Fields
from skills.packaging import unpacking, zip_reading
from skills.packaging.skill_md_writer import RECIPE, skill_md
from skills.packaging.unpacking import UnpackedSkill
from skills.packaging.zip_reading import MAX_COMPRESSED, MAX_RATIO, PackageRefused, size_problems

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest a zip can say
_HEADER_BYTES = 512  # of zip around each file that we write, at most


@dataclass(frozen=True, slots=True)
class File:
    path: str  # inside the skill's folder
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Package:
    """`content`: the zip, credentials masked; `contents`: every file as it was written, by its path in the folder."""

    name: str
    skill_md: str
    files: tuple[File, ...]
    content: bytes = field(repr=False)
    sha256: str
    contents: Mapping[str, bytes] = field(repr=False, compare=False)

    def columns_at(self, path: str) -> dict[str, Any]:
        """What the row of a version says of its package, which is stored under this path."""
        package_columns = {"package": path, "sha256": self.sha256, "size": len(self.content)}
        return {"skill_md": self.skill_md, "files": [asdict(file) for file in self.files], **package_columns}

    @property
    def is_masked(self) -> bool:
        """Whether a file as it was written holds a credential, which the zip does not."""
        return any(file.sha256 != _sha256(self.contents[file.path]) for file in self.files)

    @property
    def texts(self) -> dict[str, str]:
        """The files that are texts."""
        return {path: data.decode() for path, data in self.contents.items() if unpacking.is_text(data)}


def pack(fields: Fields, version: int, extras: Mapping[str, bytes] | None = None) -> Package:
    """Pack the fields of a version. PackageRefused: the package would exceed the limits of `unpack`.

    `extras`: files that the fields do not hold, by path; one that the fields do hold is left out.
    """
    own_files = {path: text.encode() for path, text in texts(fields, version).items()}
    return pack_files(fields.name, {**(extras or {}), **own_files})


def pack_files(name: str, files: Mapping[str, bytes]) -> Package:
    """Pack files by their path in the skill's folder, as they are. PackageRefused: as of `pack`."""
    if problems := [*size_problems(files), *zip_reading.duplicate_names(files)]:
        raise PackageRefused(problems)
    sorted_files = dict(sorted(files.items()))
    contents = {path: _mask(data) for path, data in sorted_files.items()}
    content = zip_of({f"{name}/{path}": data for path, data in contents.items()})
    if len(content) > MAX_COMPRESSED:
        raise PackageRefused([zip_reading.TOO_LARGE])
    return Package(
        name=name,
        skill_md=contents["SKILL.md"].decode(),
        files=tuple(File(path, len(data), _sha256(data)) for path, data in contents.items()),
        content=content,
        sha256=_sha256(content),
        contents=sorted_files,
    )


def unpack(content: bytes) -> UnpackedSkill:
    """The skill in an uploaded zip, with warnings about changes and omissions. PackageRefused names every problem."""
    return unpacking.read(zip_reading.read(content))


def unpack_files(files: Mapping[str, bytes]) -> UnpackedSkill:
    """The skill in the files of an uploaded folder, by path. PackageRefused names every problem."""
    return unpacking.read(zip_reading.of_files(files))


def extras(content: bytes, fields: Fields) -> dict[str, bytes]:
    """The files of a stored package that its fields do not hold."""
    own_paths = {f"{fields.name}/{path}" for path in texts(fields, 1)}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = [name for name in archive.namelist() if name not in own_paths]
        return {name.partition("/")[2]: archive.read(name) for name in names}


def texts(fields: Fields, version: int) -> dict[str, str]:
    """The text of every file of the fields by its path in the skill's folder, sorted by path."""
    files = {"SKILL.md": skill_md(fields, version)}
    groups = (("scripts", fields.scripts), (fields.reference_folder, fields.others), ("assets", fields.assets))
    for folder, group in groups:
        files |= {f"{folder}/{name}": text for name, text in (group or {}).items()}
    if fields.recipe:
        steps = [step.model_dump(exclude_defaults=True) for step in fields.recipe]
        files[RECIPE] = json.dumps(steps, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return dict(sorted(files.items()))


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """A zip of files by path: the same files, the same bytes. `unpack` takes what is in it."""
    fits = sum(len(data) + _HEADER_BYTES for data in files.values()) <= MAX_COMPRESSED
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path, data in sorted(files.items()):
            info = zipfile.ZipInfo(path, _EPOCH)
            info.create_system = 3  # Unix, wherever this runs
            info.external_attr = 0o100644 << 16
            deflate = not fits and len(data) <= MAX_RATIO * len(zlib.compress(data))  # else our import would refuse it
            archive.writestr(info, data, zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED)
    return buffer.getvalue()


def _mask(data: bytes) -> bytes:
    """The content without credentials, as a package holds it; the fields of a version keep them."""
    return credentials.masked(data.decode()).encode() if unpacking.is_text(data) else data


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
