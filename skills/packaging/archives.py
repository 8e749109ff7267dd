"""Reading a hostile zip in memory: sizes, names and kinds of its entries are checked, all problems reported at once."""

import io
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from skills.names import printable

MIB = 1024 * 1024
MAX_COMPRESSED = 5 * MIB
MAX_EXPANDED = 20 * MIB
MAX_RATIO = 100
MAX_ENTRIES = 200
MAX_SKILL_MD = 256 * 1024  # far above what an agent should load at once; reading it takes seconds at worst
_HEADER_BYTES = 512  # bytes of zip around each file that we write, at most
_ARCHIVES = re.compile(r"\.(zip|jar|whl|egg|docx|xlsx|pptx|tar|tgz|gz|bz2|xz|7z|rar|zst)$", re.IGNORECASE)
_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"7z\xbc\xaf", b"Rar!", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
_READ_ERRORS = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError, IndexError)


class PackageRefused(Exception):
    """A package cannot be read or written; `problems` holds a sentence for each reason."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(slots=True)
class Archive:
    """A zip in memory: the names of all files, the content of the acceptable ones, and a sentence for each problem."""

    names: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read(content: bytes) -> Archive:
    """Read a zip; never raises, problems stand in the result."""
    if len(content) > MAX_COMPRESSED:
        return Archive(problems=[f"the file is larger than {MAX_COMPRESSED // MIB} MiB"])
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _read(archive)
    except _READ_ERRORS:
        return Archive(problems=["this is not a readable zip file"])


def size_problems(files: Mapping[str, bytes]) -> list[str]:
    """A sentence for each limit that these files (path -> content) exceed; the same limits hold for uploads."""
    problems = []
    if len(files.get("SKILL.md", b"")) > MAX_SKILL_MD:
        problems.append(f"SKILL.md is larger than {MAX_SKILL_MD // 1024} KiB")
    if len(files) > MAX_ENTRIES:
        problems.append(f"{len(files)} files, the limit is {MAX_ENTRIES}")
    if sum(len(content) + _HEADER_BYTES for content in files.values()) > MAX_COMPRESSED:
        problems.append(f"the package is larger than {MAX_COMPRESSED // MIB} MiB")
    return problems


def _read(archive: zipfile.ZipFile) -> Archive:
    entries = archive.infolist()
    contents = Archive(names=[entry.orig_filename for entry in entries if not entry.is_dir()])
    contents.problems = [*_limit_problems(entries), *_duplicate_names(entries)]
    readable = not contents.problems
    for entry in entries:
        problems = list(_entry_problems(entry))
        contents.problems += problems
        if readable and not problems and not entry.is_dir():
            _read_entry(archive, entry, contents)
    return contents


def _read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, contents: Archive) -> None:
    """Read one entry: at most as much as its header declares, which `_limit_problems` has bounded."""
    try:
        with archive.open(entry) as file:
            content = file.read(entry.file_size + 1)
    except _READ_ERRORS:
        contents.problems.append(f"{printable(entry.filename)}: damaged")
        return
    if content.startswith(_MAGIC):
        contents.problems.append(f"{printable(entry.filename)}: an archive inside the archive")
        return
    contents.files[entry.filename] = content


def _limit_problems(entries: list[zipfile.ZipInfo]) -> Iterator[str]:
    if len(entries) > MAX_ENTRIES:
        yield f"{len(entries)} entries, the limit is {MAX_ENTRIES}"
    if sum(entry.file_size for entry in entries) > MAX_EXPANDED:
        yield f"more than {MAX_EXPANDED // MIB} MiB when expanded"
    for entry in entries:
        if entry.file_size > MAX_RATIO * max(entry.compress_size, 1):
            yield f"{printable(entry.orig_filename)}: expands more than {MAX_RATIO} times"


def _duplicate_names(entries: list[zipfile.ZipInfo]) -> Iterator[str]:
    """Names that differ only in letter case or Unicode form: on some systems they are the same file."""
    groups: dict[str, list[str]] = {}
    for entry in entries:
        groups.setdefault(unicodedata.normalize("NFC", entry.orig_filename).casefold(), []).append(entry.orig_filename)
    return (f"{printable(names[0])}: there {len(names)} times" for names in groups.values() if len(names) > 1)


def _entry_problems(entry: zipfile.ZipInfo) -> Iterator[str]:
    name, kind = entry.orig_filename, stat.S_IFMT(entry.external_attr >> 16)
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        yield f"{printable(name)}: an absolute path"
    if {"..", "."} & set(re.split(r"[/\\]", name)):
        yield f'{printable(name)}: "." or ".." in the path'
    if "\\" in name or not name.isprintable() or "//" in name:
        yield f"{printable(name)}: a backslash, an empty part or an unprintable character in the name"
    if kind == stat.S_IFLNK:
        yield f"{printable(name)}: a link"
    elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        yield f"{printable(name)}: not a plain file"
    if entry.flag_bits & 0x41:
        yield f"{printable(name)}: encrypted"
    elif entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        yield f"{printable(name)}: packed by a method that is not taken"
    if _ARCHIVES.search(name):
        yield f"{printable(name)}: an archive inside the archive"
