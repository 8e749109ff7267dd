"""Reading a hostile zip in memory: sizes, names and kinds of its entries are checked, all problems reported at once."""

import io
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from skills.names import printable

MIB = 1024 * 1024
MAX_COMPRESSED = 5 * MIB
MAX_EXPANDED = 20 * MIB
MAX_RATIO = 100
MAX_ENTRIES = 200
MAX_SKILL_MD = 256 * 1024  # far above what an agent should load at once; reading it takes seconds at worst
TOO_LARGE = f"the package is larger than {MAX_COMPRESSED // MIB} MiB"
NESTED = "an archive inside the archive"
_SAYS_UTF8 = 0x800  # the flag of an entry
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
    """A zip in memory: the names of all files, the content of the acceptable ones, and a sentence for each problem.

    `unread`: acceptable names whose content was not read, because the zip exceeds a limit.
    """

    names: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
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


def of_files(files: Mapping[str, bytes]) -> Archive:
    """The files of a folder by path, under the rules of a zip; never raises, problems stand in the result."""
    twice = [*duplicate_names(map(plain_name, files))]
    files = {plain_name(name): content for name, content in files.items()}
    archive = Archive(names=[*files], problems=twice)
    if len(files) > MAX_ENTRIES:
        archive.problems.append(f"{len(files)} entries, the limit is {MAX_ENTRIES}")
    if sum(map(len, files.values())) > MAX_EXPANDED:
        archive.problems.append(f"more than {MAX_EXPANDED // MIB} MiB")
    for name, content in files.items():
        problems = [*name_problems(name), *([f"{printable(name)}: {NESTED}"] if is_archive(content) else [])]
        archive.problems += problems
        if not problems:
            archive.files[name] = content
    return archive


def is_archive(content: bytes) -> bool:
    return content.startswith(_MAGIC)


def plain_name(name: str) -> str:
    """A path as `zip x.zip ./*` and published examples write it (`./scripts/plan.py`), without its first `./`, and in
    the Unicode form of texts, which links have: macOS names files in another one.
    """
    return unicodedata.normalize("NFC", name.removeprefix("./") or name)


def _name(entry: zipfile.ZipInfo) -> str:
    """The path of an entry. That of macOS' archiver is UTF-8 too, though it does not say so."""
    name = entry.orig_filename
    if not entry.flag_bits & _SAYS_UTF8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode()
    return plain_name(name)


def size_problems(files: Mapping[str, bytes]) -> list[str]:
    """A sentence for each limit that these files (path -> content) exceed before they are packed."""
    problems = []
    if len(files.get("SKILL.md", b"")) > MAX_SKILL_MD:
        problems.append(f"SKILL.md is larger than {MAX_SKILL_MD // 1024} KiB")
    if len(files) > MAX_ENTRIES:
        problems.append(f"{len(files)} files, the limit is {MAX_ENTRIES}")
    if sum(map(len, files.values())) > MAX_EXPANDED:
        problems.append(f"more than {MAX_EXPANDED // MIB} MiB when expanded")
    return problems


def _read(archive: zipfile.ZipFile) -> Archive:
    entries = [entry for entry in archive.infolist() if entry.orig_filename != "./"]
    names = [(_name(entry), entry.is_dir()) for entry in entries]
    contents = Archive(names=[name for name, is_folder in names if not is_folder])
    contents.problems = [*_limit_problems(entries), *duplicate_names([name for name, _ in names])]
    readable = not contents.problems
    for entry in entries:
        problems = list(_entry_problems(entry))
        contents.problems += problems
        if problems or entry.is_dir():
            continue
        if readable:
            _read_entry(archive, entry, contents)
        else:
            contents.unread.append(_name(entry))
    return contents


def _read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, contents: Archive) -> None:
    """Read one entry: at most as much as its header declares, which `_limit_problems` has bounded."""
    try:
        with archive.open(entry) as file:
            content = file.read(entry.file_size + 1)
    except _READ_ERRORS:
        contents.problems.append(f"{printable(_name(entry))}: damaged")
        return
    if is_archive(content):
        contents.problems.append(f"{printable(_name(entry))}: {NESTED}")
        return
    contents.files[_name(entry)] = content


def _limit_problems(entries: list[zipfile.ZipInfo]) -> Iterator[str]:
    if len(entries) > MAX_ENTRIES:
        yield f"{len(entries)} entries, the limit is {MAX_ENTRIES}"
    if sum(entry.file_size for entry in entries) > MAX_EXPANDED:
        yield f"more than {MAX_EXPANDED // MIB} MiB when expanded"
    for entry in entries:
        if entry.file_size > MAX_RATIO * max(entry.compress_size, 1):
            yield f"{printable(_name(entry))}: expands more than {MAX_RATIO} times"


def duplicate_names(names: Iterable[str]) -> Iterator[str]:
    """A sentence for each name that cannot be unpacked beside the others: names that differ only in letter case or
    Unicode form are one file on some systems, and no file is a folder too.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(unicodedata.normalize("NFC", name).casefold(), []).append(name)
    folders = {str(folder) for name in groups for folder in PurePosixPath(name).parents}
    for key, group in groups.items():
        if len(group) > 1:
            yield f"{printable(group[0])}: there {len(group)} times"
        elif key in folders:
            yield f"{printable(group[0])}: a file, and a folder with other files"


def _entry_problems(entry: zipfile.ZipInfo) -> Iterator[str]:
    name, kind = printable(_name(entry)), stat.S_IFMT(entry.external_attr >> 16)
    yield from name_problems(_name(entry))
    if kind == stat.S_IFLNK:
        yield f"{name}: a link"
    elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        yield f"{name}: not a plain file"
    if entry.flag_bits & 0x41:
        yield f"{name}: encrypted"
    elif entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        yield f"{name}: the compression method is not supported"


def name_problems(name: str) -> list[str]:
    """A sentence for each reason why no file of a package may be called so."""
    problems = []
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        problems.append("an absolute path")
    if {"..", "."} & set(re.split(r"[/\\]", name)):
        problems.append('"." or ".." in the path')
    if "\\" in name or not name.isprintable() or "//" in name:
        problems.append("a backslash, an empty part or an unprintable character in the name")
    if _ARCHIVES.search(name):
        problems.append(NESTED)
    return [f"{printable(name)}: {problem}" for problem in problems]
