"""Foreign JSON files, read piece by piece: a list of objects, and objects one a line. Memory stays bounded."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import ijson
from ijson.common import JSONError

from memories.transfer.sqlite_file import Unreadable
from memories.values import strict_json
from memories.values.exceptions import FieldError, Invalid

LONGEST_LINE = 64 * 1024 * 1024
BLOCK = 64 * 1024
MIB = 1024 * 1024


def bounded_lines(file: BinaryIO, longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """The lines of a file; a line longer than `longest` is cut after `longest` + 1 bytes, the rest is skipped."""
    while line := file.readline(longest + 1):
        yield line
        while len(line) > longest and not line.endswith(b"\n"):
            line = file.readline(longest + 1)
            if not line:
                return


def objects_of_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | Invalid]]:
    """(number of the line, its object) of JSON lines, blank ones left out. Unreadable: the last line is cut off."""
    with path.open("rb") as file:
        _check_last_line(file, path)
        file.seek(0)
        for number, line in enumerate(bounded_lines(file), start=1):
            if line.strip():
                yield number, _object(line)


def _object(line: bytes) -> dict[str, Any] | Invalid:
    if len(line) > LONGEST_LINE:
        return Invalid(FieldError("", "too_large", f"the line is larger than {LONGEST_LINE // MIB} MiB"))
    try:
        value = strict_json.loads(line)
    except Invalid as invalid:
        return invalid
    if not isinstance(value, dict):
        return Invalid(FieldError("", "not_an_object", "must be a JSON object"))
    return value


def _check_last_line(file: BinaryIO, path: Path) -> None:
    """Unreadable: the last line is incomplete, as in a partial export, of which nothing is to be imported."""
    size = path.stat().st_size
    file.seek(max(0, size - LONGEST_LINE))
    tail = file.read().rstrip()
    last = tail[tail.rfind(b"\n") + 1 :]
    if not last.startswith(b"{"):
        return
    try:
        strict_json.loads(last)
    except Invalid as invalid:
        if invalid.errors[0].code == "not_json":
            raise Unreadable("the last line is cut off: the file is not complete") from None


class _EntrySizeGuard:
    """A file without its byte order mark. `since`: bytes read since the last complete entry, which the caller resets.
    Unreadable: an entry is too large."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.since = file, 0
        if file.read(len(BOM_UTF8)) != BOM_UTF8:
            file.seek(0)

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self.since += len(block)
        if self.since > LONGEST_LINE + BLOCK:
            raise Unreadable(f"an entry is larger than {LONGEST_LINE // MIB} MiB")
        return block


def objects_of_list(path: Path) -> Iterator[tuple[int, dict[str, Any] | Invalid]]:
    """(place, object) of a JSON list, or of the list `results` in an object. Unreadable: it is no whole JSON."""
    prefix = _prefix(path)
    _check_syntax(path, prefix)
    with path.open("rb") as file:
        guarded_file = _EntrySizeGuard(file)
        for number, value in enumerate(ijson.items(guarded_file, prefix, use_float=True, buf_size=BLOCK), start=1):
            guarded_file.since = 0
            wrong = Invalid(FieldError("", "not_an_object", "must be a JSON object"))
            yield number, value if isinstance(value, dict) else wrong


def _prefix(path: Path) -> str:
    with path.open("rb") as file:
        first = file.read(BLOCK).removeprefix(BOM_UTF8).lstrip()[:1]
    if first not in (b"[", b"{"):
        raise Unreadable("it is no JSON: neither a list nor an object")
    return "item" if first == b"[" else "results.item"


def _check_syntax(path: Path, prefix: str) -> None:
    """Parse the whole file before anything is imported. Unreadable says after how many entries it fails."""
    place, has_list = 0, prefix == "item"
    with path.open("rb") as file:
        guarded_file = _EntrySizeGuard(file)
        try:
            for where, event, _value in ijson.parse(guarded_file, use_float=True, buf_size=BLOCK):
                has_list = has_list or (where, event) == ("results", "start_array")
                if where == prefix and event.startswith(("end_", "start_")):
                    guarded_file.since, place = 0, place + (event == "end_map")
        except (JSONError, UnicodeDecodeError) as error:
            why = str(error).partition("\n")[0][:200]
            raise Unreadable(f"it is no whole JSON, after {place} entries: {why}") from None
    if not has_list:
        raise Unreadable("an object without a list `results`: it is no export of mem0")
