"""The storage of packages, `STORAGES["skills"]`: a directory, S3 or OSS.

A path contains the hash of its content: equal paths, equal files. So nothing is ever renamed or overwritten.
"""

import hashlib
import logging
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, cast

from django.core.files.base import ContentFile, File
from django.core.files.storage import storages

from memos_site.platform.outages import StoreUnavailable

log = logging.getLogger("memos.storages")
_PATH = re.compile(r"[^/]+/[^/]+/(?:[0-9a-f]{64}\.zip|\.draft-[^/]+)")  # of our own making
FULL = {"InsufficientStorage", "QuotaExceeded", "StorageFull", "XMinioStorageFull", "EntityTooLarge"}
CODE = re.compile(r"[A-Za-z0-9.]{1,64}")
CONNECT_SECONDS, READ_SECONDS = 5, 20  # of silence; a call is tried twice at most


def package_path(scope: str, name: str, sha256: str) -> str:
    return f"{scope or '_'}/{name}/{sha256}.zip"


def store(path: str, content: bytes) -> None:
    """Write a package unless it exists. OSError, StoreUnavailable: it failed, and no partial file is left behind."""
    storage = storages["skills"]
    with suppress(FileNotFoundError):
        with storage.open(path) as file:
            if file.read() == content:
                return
        storage.delete(path)  # its name tells what it should be: this one was damaged outside of our hands
    storage.save(path, ContentFile(content))


def holds(path: str) -> bool:
    return bool(storages["skills"].exists(path))


def open_package(path: str, *, intact: bool = True) -> "File[bytes]":
    """The file of a package. FileNotFoundError: the storage has lost it, or, as it has to be `intact`, damaged it."""
    file = cast("File[bytes]", storages["skills"].open(path))
    if intact and _PATH.fullmatch(path):
        if hashlib.sha256(file.read()).hexdigest() != PurePosixPath(path).stem:
            file.close()
            log.error("%s is damaged: its content is not that of its name", path)
            raise FileNotFoundError(path)
        file.seek(0)
    return file


def presigned_url(path: str, *, filename: str) -> str | None:
    """An address that downloads a package for five minutes; None where the caller streams it."""
    storage: Any = storages["skills"]
    url: str | None = storage.presigned_url(path, filename=filename)
    return url


def stored_packages() -> Iterator[tuple[str, datetime]]:
    """The path and time of writing of every package; other files of a shared bucket are left out."""
    storage: Any = storages["skills"]
    return ((path, at) for path, at in storage.stored_files() if _PATH.fullmatch(path))


def delete(path: str) -> None:
    storages["skills"].delete(path)


def no_answer(store: str) -> StoreUnavailable:
    """The failure of a store behind the network: words that hold neither addresses nor keys."""
    return StoreUnavailable(f"{store} does not answer; nothing has changed")


def failure(store: str, status: int, code: str) -> StoreUnavailable:
    """The failure behind an answer. `code`: the name that the store gives it, shown only if it looks like a name."""
    answer = f"{status} {code}" if CODE.fullmatch(code) else str(status)
    if status == 507 or code in FULL:
        return StoreUnavailable(f"{store} is full ({answer}); nothing has changed")
    if status in (401, 403):
        return StoreUnavailable(f"{store} refuses the configured credentials ({answer}); nothing has changed")
    problem = f"answered {answer}" if status else f"cannot be used ({code})"
    return StoreUnavailable(f"{store} {problem}; nothing has changed")
