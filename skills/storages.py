"""The storage of packages, `STORAGES["skills"]`. A path contains the hash of its content: equal paths, equal files."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, storages


class LocalStorage(FileSystemStorage):
    """A file system storage that writes files atomically and never replaces an existing one."""

    def _save(self, name: str, content: "File[bytes]") -> str:
        path = Path(self.path(name))
        private_folders(Path(self.location), path.parent)
        descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
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


def private_folders(root: Path, folder: Path) -> None:
    """Create `root` and the missing folders down to `folder`, with mode 0700."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in (*reversed(folder.parents), folder):
        if path.is_relative_to(root):
            path.mkdir(mode=0o700, exist_ok=True)


def package_path(scope: str, name: str, sha256: str) -> str:
    return f"{scope or '_'}/{name}/{sha256}.zip"


def store(path: str, content: bytes) -> None:
    """Write a package unless it exists. OSError (disk full, ...) leaves no partial file behind."""
    storage = storages["skills"]
    if not storage.exists(path):
        storage.save(path, ContentFile(content))
