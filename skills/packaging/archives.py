"""Reading a zip from outside: nothing is written to disk, nothing believed, every problem named in one answer."""

import io
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from skills.names import shown

MIB = 1024 * 1024
COMPRESSED = 5 * MIB
EXPANDED = 20 * MIB
RATIO = 100
ENTRIES = 200
SKILL_MD = 256 * 1024  # far above what an agent should load at once; reading it takes seconds at worst
_HEADERS = 512  # bytes of zip around each file that we write, at most
_ARCHIVES = re.compile(r"\.(zip|jar|whl|egg|docx|xlsx|pptx|tar|tgz|gz|bz2|xz|7z|rar|zst)$", re.IGNORECASE)
_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"7z\xbc\xaf", b"Rar!", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError, IndexError)


class PackageRefused(Exception):
    """A package that is not taken, or not written, with every reason."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(slots=True)
class Archive:
    """What a zip holds: the names of its files, the content of those that may be read, and what is wrong with it."""

    names: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read(content: bytes) -> Archive:
    if len(content) > COMPRESSED:
        return Archive(problems=[f"the file is larger than {COMPRESSED // MIB} MiB"])
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _read(archive)
    except _DAMAGED:
        return Archive(problems=["this is not a readable zip file"])


def too_large(files: Mapping[str, bytes]) -> list[str]:
    """Why these files make no package: the limits hold for what is written as for what is read."""
    problems = []
    if len(files.get("SKILL.md", b"")) > SKILL_MD:
        problems.append(f"SKILL.md is larger than {SKILL_MD // 1024} KiB")
    if len(files) > ENTRIES:
        problems.append(f"{len(files)} files, the limit is {ENTRIES}")
    if sum(len(content) + _HEADERS for content in files.values()) > COMPRESSED:
        problems.append(f"the package is larger than {COMPRESSED // MIB} MiB")
    return problems


def _read(archive: zipfile.ZipFile) -> Archive:
    entries = archive.infolist()
    found = Archive(names=[entry.orig_filename for entry in entries if not entry.is_dir()])
    found.problems = [*_too_much(entries), *_doubled(entries)]
    readable = not found.problems
    for entry in entries:
        problems = list(_problems(entry))
        found.problems += problems
        if readable and not problems and not entry.is_dir():
            _take(archive, entry, found)
    return found


def _take(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, found: Archive) -> None:
    """The content of one entry: at most what its header declares, which `_too_much` has bounded."""
    try:
        with archive.open(entry) as file:
            content = file.read(entry.file_size + 1)
    except _DAMAGED:
        found.problems.append(f"{shown(entry.filename)}: damaged")
        return
    if content.startswith(_MAGIC):
        found.problems.append(f"{shown(entry.filename)}: an archive inside the archive")
        return
    found.files[entry.filename] = content


def _too_much(entries: list[zipfile.ZipInfo]) -> Iterator[str]:
    if len(entries) > ENTRIES:
        yield f"{len(entries)} entries, the limit is {ENTRIES}"
    if sum(entry.file_size for entry in entries) > EXPANDED:
        yield f"more than {EXPANDED // MIB} MiB when expanded"
    for entry in entries:
        if entry.file_size > RATIO * max(entry.compress_size, 1):
            yield f"{shown(entry.orig_filename)}: expands more than {RATIO} times"


def _doubled(entries: list[zipfile.ZipInfo]) -> Iterator[str]:
    """Names that are the same file on some system: letter case and Unicode forms do not tell files apart everywhere."""
    same: dict[str, list[str]] = {}
    for entry in entries:
        same.setdefault(unicodedata.normalize("NFC", entry.orig_filename).casefold(), []).append(entry.orig_filename)
    return (f"{shown(names[0])}: there {len(names)} times" for names in same.values() if len(names) > 1)


def _problems(entry: zipfile.ZipInfo) -> Iterator[str]:
    name, kind = entry.orig_filename, stat.S_IFMT(entry.external_attr >> 16)
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        yield f"{shown(name)}: an absolute path"
    if {"..", "."} & set(re.split(r"[/\\]", name)):
        yield f'{shown(name)}: "." or ".." in the path'
    if "\\" in name or not name.isprintable() or "//" in name:
        yield f"{shown(name)}: a backslash, an empty part or an unprintable character in the name"
    if kind == stat.S_IFLNK:
        yield f"{shown(name)}: a link"
    elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        yield f"{shown(name)}: not a plain file"
    if entry.flag_bits & 0x41:
        yield f"{shown(name)}: encrypted"
    elif entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        yield f"{shown(name)}: packed by a method that is not taken"
    if _ARCHIVES.search(name):
        yield f"{shown(name)}: an archive inside the archive"
