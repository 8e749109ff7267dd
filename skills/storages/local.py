"""Packages as files in a directory."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage

DRAFT = ".draft-"


class LocalStorage(FileSystemStorage):
    """A file system storage that writes files atomically and never replaces an existing one."""

    def _save(self, name: str, content: "File[bytes]") -> str:
        path = Path(self.path(name))
        private_folders(Path(self.location), path.parent)
        descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=DRAFT)
        try:
            with os.fdopen(descriptor, "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(draft, path)
        finally:
            Path(draft).unlink()
        return name

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name  # the name is the content's hash: a file of that name is this file

    def stored_files(self) -> Iterator[tuple[str, datetime]]:
        """The name and time of every file, and of drafts that a killed process left behind."""
        root = Path(self.location)
        for path in root.glob("*/*/*"):
            with suppress(FileNotFoundError):
                yield path.relative_to(root).as_posix(), datetime.fromtimestamp(path.stat().st_mtime, UTC)

    def presigned_url(self, name: str, *, filename: str) -> None:
        """None: files here are streamed by the view that authorised the download."""


def private_folders(root: Path, folder: Path) -> None:
    """Create `root` and the missing folders down to `folder`, with mode 0700."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in (*reversed(folder.parents), folder):
        if path.is_relative_to(root):
            path.mkdir(mode=0o700, exist_ok=True)
