"""The files of a skill on the page that edits it: a row each, one more for a new file, and what is uploaded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest
from django.utils.translation import gettext as _

from memories.values.exceptions import FieldError, Invalid
from skills.file_edits import MAX_TEXT, FileEdit
from skills.models import SkillVersion
from skills.packaging import is_text, zip_reading
from skills.scanning import WRITTEN_BY_MODEL

MAX_PAGE = 1024 * 1024  # bytes of texts on one page; files beyond it are listed without their text
AT_FIRST = 12 * 1024  # bytes of texts that the page sends at once; of other files when a person opens them
MAX_ROWS = 2 * zip_reading.MAX_ENTRIES


@dataclass
class FileRow:
    """`text` None: the content is not shown, for it is no text or too long. `errors` by "path" and "text".

    `is_withheld`: it is a text that the page leaves out until a person opens it, and that stays as it is.
    """

    path: str = ""
    former: str = ""
    text: str | None = ""
    removed: bool = False
    size: int = 0
    written_by_model: bool = False
    changed: bool = False
    is_withheld: bool = False
    is_requested: bool = False
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not (self.path or self.former or self.text)

    @property
    def is_open(self) -> bool:
        """Whether the page shows the row unfolded: something was typed here, or is wrong."""
        return bool(self.errors) or self.is_requested or self.is_edited

    @property
    def is_edited(self) -> bool:
        return self.removed or self.changed or self.path != self.former

    @property
    def edit(self) -> FileEdit:
        return FileEdit(self.path, self.former, self.text, self.removed)


def of_version(version: SkillVersion, files: Mapping[str, bytes]) -> list[FileRow]:
    marks = {finding["file"] for finding in version.scan.get("findings", ()) if finding["rule"] == WRITTEN_BY_MODEL}
    rows, room, at_first = [], MAX_PAGE, AT_FIRST
    for path, data in files.items():
        is_shown = is_text(data) and len(data) <= min(MAX_TEXT, room)
        room -= len(data) if is_shown else 0
        text = data.decode() if is_shown else None
        is_withheld = is_shown and len(data) > at_first
        at_first -= len(data) if is_shown and not is_withheld else 0
        row = FileRow(path, path, text, size=len(data), written_by_model=path in marks, is_withheld=is_withheld)
        rows.append(row)
    return rows


def of_request(request: HttpRequest, version_rows: Iterable[FileRow]) -> list[FileRow]:
    """The rows as they were typed, with uploaded texts in their places. `version_rows`: those of the version.

    Invalid: an upload is no text, or too large. The rows are in the order of the page, empty ones left out.
    """
    facts = {row.path: row for row in version_rows}
    rows = []
    for number in range(MAX_ROWS):
        if (path := request.POST.get(f"file-{number}-path")) is None:
            break
        former = request.POST.get(f"file-{number}-former", "")
        row = FileRow(path.strip(), former, request.POST.get(f"file-{number}-text"))
        row.removed = f"file-{number}-remove" in request.POST
        if origin := facts.get(former):
            row.size, row.written_by_model = origin.size, origin.written_by_model
            row.is_withheld = row.text is None and origin.text is not None
            if row.is_withheld and former == request.POST.get("open"):
                row.text, row.is_withheld, row.is_requested = origin.text, False, True
            row.changed = row.text is not None and row.text.splitlines() != (origin.text or "").splitlines()
        rows.append(row)
    return [row for row in rows if not row.is_empty]


def add_uploads(rows: list[FileRow], uploads: Iterable[Any], *, reference_folder: str) -> None:
    """Put the texts of uploaded files into the rows of their names, or into new ones. Invalid names each wrong one."""
    problems = []
    for upload in uploads:
        assert isinstance(upload, UploadedFile)
        name, data = str(upload.name), upload.read(MAX_TEXT + 1)
        if len(data) > MAX_TEXT:
            problems.append(_("%(name)s: larger than %(n)s KiB") % {"name": name, "n": MAX_TEXT // 1024})
        elif not is_text(data):
            problems.append(_("%(name)s: not a text in UTF-8") % {"name": name})
        else:
            row = _row_for(rows, name, reference_folder)
            row.text, row.is_withheld = data.decode(), False
    if problems:
        raise Invalid(*(FieldError("/uploads", "invalid", text) for text in problems))


def _row_for(rows: list[FileRow], name: str, reference_folder: str) -> FileRow:
    matches = [row for row in rows if PurePosixPath(row.path).name == name]
    if len(matches) != 1:
        folder = reference_folder if name.endswith(".md") else "scripts"
        matches = [FileRow(f"{folder}/{name}")]
        rows += matches
    return matches[0]


def put_errors(rows: list[FileRow], errors: Iterable[FieldError]) -> list[FieldError]:
    """Put errors that point to a file into its row; return the others."""
    other_errors = []
    for error in errors:
        match error.pointer.split("/"):
            case ["", "files", number, name]:
                rows[int(number)].errors[name] = error.detail
            case _:
                other_errors.append(error)
    return other_errors
