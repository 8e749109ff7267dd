"""What a person changes in the files of a skill: other texts, other paths, more of them, fewer of them."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memories.values.exceptions import FieldError, Invalid
from skills.packaging import is_text, path_problem, zip_reading

MAX_TEXT = 256 * 1024  # bytes of a file that is edited as a text; larger ones come in a package


@dataclass(frozen=True)
class FileEdit:
    """One file as it should be. `former`: its path until now, "" for a new one; `text` None: its content stays."""

    path: str
    former: str = ""
    text: str | None = None
    removed: bool = False


def apply(files: Mapping[str, bytes], edits: Sequence[FileEdit]) -> dict[str, bytes]:
    """The files by path after the edits; those that no edit names stay as they are.

    Invalid names everything that is wrong, with pointers as `/files/2/path` for the third edit.
    """
    edited_paths = {edit.former for edit in edits}
    result = {path: data for path, data in files.items() if path not in edited_paths}
    taken_paths, errors = {_comparison_key(path) for path in result}, []
    for index, edit in enumerate(edits):
        if edit.removed:
            continue
        content = _content(edit, files.get(edit.former))
        problems = [("path", text) for text in _path_problems(edit, files, taken_paths)]
        problems += [("text", text) for text in _content_problems(edit, content)]
        errors += [FieldError(f"/files/{index}/{name}", "invalid", text) for name, text in problems]
        result[edit.path] = content
        taken_paths.add(_comparison_key(edit.path))
    if errors:
        raise Invalid(*errors)
    return dict(sorted(result.items()))


def _path_problems(edit: FileEdit, files: Mapping[str, bytes], taken_paths: Iterable[str]) -> list[str]:
    if not edit.path:
        return ["a file needs a path, for example scripts/check.py"]
    if edit.former and edit.former not in files:
        return [f"there is no {edit.former} in the version that this is based on"]
    if _comparison_key(edit.path) in taken_paths:
        return [f"there is another {edit.path}"]
    problem = path_problem(edit.path) if edit.path != edit.former else ""
    return [problem] if problem else []


def _content_problems(edit: FileEdit, content: bytes) -> list[str]:
    if edit.text is None:
        return []
    if not is_text(content):
        return ["this is not a text"]
    if len(content) > MAX_TEXT:
        return [f"larger than {MAX_TEXT // 1024} KiB: such a file comes in a package"]
    return [zip_reading.NESTED] if zip_reading.is_archive(content) else []


def _content(edit: FileEdit, former: bytes | None) -> bytes:
    """The bytes of a file. A text that came back with the line ends of a browser is the former one."""
    if edit.text is None:
        return former or b""
    text = _with_plain_line_ends(edit.text)
    if former is None or not is_text(former):
        return _encode(text)
    before = former.decode()
    if text == _with_plain_line_ends(before):
        return former
    has_windows_line_ends = "\r\n" in before and before.count("\n") == before.count("\r\n")
    return _encode(text.replace("\n", "\r\n") if has_windows_line_ends else text)


def _with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _encode(text: str) -> bytes:
    return text.encode(errors="surrogatepass")  # no text of UTF-8, which `_content_problems` names


def _comparison_key(path: str) -> str:
    """The key that is equal for paths that some systems take for the same file."""
    return unicodedata.normalize("NFC", path).casefold()
