import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from memos_site.platform.env import ENV
from memos_site.platform.outages import StoreUnavailable
from memos_site.platform.postgres import archive
from skills import storages as package_store

PACKAGES, KEY = "skills", "secret_key"


class Command(BaseCommand):
    help = "Writes the whole store into a new directory, while it runs. Example: manage.py backup /backups/2026-11-21"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path)

    def handle(self, *args: Any, directory: Path, **options: Any) -> None:
        if directory.exists():
            raise CommandError(f"{directory} exists; name a new directory")
        try:
            with draft_of(directory) as draft:
                archive.dump(draft)
                packages = copy_packages(draft)  # after the database: each package that it names was written before
                key = copy_key(draft)
                draft.rename(directory)
        except (archive.ArchiveFailed, OSError) as problem:
            hint = "correct that and run the command again, which begins anew"
            raise CommandError(f"there is no backup in {directory}: {problem}\n{hint}") from problem
        if absent := absent_packages():
            self.stderr.write(absent)
        self.stdout.write(
            f"{directory}: the database, {packages}, {key}. It holds secrets: keep it as you keep the store"
        )


@contextmanager
def draft_of(directory: Path) -> Iterator[Path]:
    """A new folder beside it, in the place of one that a killed backup left; what fails leaves none, which would keep
    the disk full. BlockingIOError: one is being written."""
    draft = directory.with_name(directory.name + ".unfinished")
    if draft.exists():
        with lock(draft):
            shutil.rmtree(draft)
    draft.mkdir(mode=0o700, parents=True)
    with lock(draft):
        try:
            yield draft
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Hold a folder as long as this process lives."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BlockingIOError(f"another backup writes {folder}") from None
        yield
    finally:
        os.close(descriptor)


def copy_key(directory: Path) -> str:
    """Copy the secret key, unless the environment gives it; returns the part of the report that says which."""
    key = Path(settings.DATA_DIR) / KEY
    if ENV.SECRET_KEY or not key.exists():  # a file that is there all the same is not the key in use
        return "without the secret key, which the environment gives: keep that too"
    shutil.copy2(key, directory / KEY)
    return "the secret key"


def copy_packages(directory: Path) -> str:
    """Copy the packages of skills, if they are files here; returns the part of the report that says so."""
    storage = storages["skills"]
    if not isinstance(storage, FileSystemStorage):
        return "without the packages, which lie in their own storage"
    source = Path(storage.location)
    if source.exists():
        shutil.copytree(source, directory / PACKAGES, ignore=shutil.ignore_patterns(".*"))
    (directory / PACKAGES).mkdir(exist_ok=True)  # an empty folder says that no package is missing
    return "the packages"


def absent_packages() -> str:
    """A sentence about the packages that versions of skills name and the storage lacks, or that it does not answer.

    In SQL: the schema may be of an older release.
    """
    with connection.cursor() as cursor:
        if "skills_skillversion" not in connection.introspection.table_names(cursor):
            return ""
        cursor.execute("SELECT DISTINCT package FROM skills_skillversion WHERE package <> '' ORDER BY 1")
        names = [package for (package,) in cursor.fetchall()]
    try:
        stored_paths = {path for path, _ in package_store.stored_packages()}
    except StoreUnavailable as problem:
        return f"whether packages are there is not known: {problem}"
    absent_names = [package for package in names if package not in stored_paths]
    return (
        f"packages are missing: {len(absent_names):,} that the database names, such as {absent_names[0]}"
        if absent_names
        else ""
    )
