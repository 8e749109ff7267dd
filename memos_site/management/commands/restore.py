import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from memos_site.management.commands.backup import KEY, PACKAGES
from memos_site.platform.env import ENV
from memos_site.platform.postgres import archive

LOST = "everybody signs in anew, and what was forgotten before dismissals had a key of their own may be stored again"


class Command(BaseCommand):
    help = "Reads a backup into an empty store; then run serve. Example: manage.py restore /backups/2026-11-21"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path)
        parser.add_argument("--force", action="store_true", help="restore what there is, although something is missing")

    def handle(self, *args: Any, directory: Path, force: bool, **options: Any) -> None:
        if not (directory / archive.DUMP).is_file():
            raise CommandError(f"{directory} is not a finished backup: it has no {archive.DUMP}")
        if not archive.is_empty():
            raise CommandError(
                "the database holds something, and a restore replaces nothing: stop Memos and move its data directory "
                "away, or point DATABASE_URL to an empty database"
            )
        lacking = "; ".join(missing(directory))
        if lacking and not force:
            raise CommandError(f"{lacking}. Nothing was restored; --force restores what there is")
        restore_packages(directory)  # before the database: a restore that is cut off in between is simply repeated
        restore_key(directory)
        try:
            archive.load(directory)
        except archive.Failed as problem:
            raise CommandError(str(problem)) from problem
        if absent := absent_packages():
            named = f"{len(absent):,} that the database names, such as {absent[0]}"
            lacking = "; ".join(filter(None, (lacking, f"packages are missing: {named}")))
        if lacking:
            self.stderr.write(f"restored without what is missing: {lacking}")
        self.stdout.write(f"restored from {directory}; `manage.py serve` brings it up to date")


def missing(directory: Path) -> Iterator[str]:
    """A sentence for each thing that the restored store would do without."""
    key, used = directory / KEY, (ENV.SECRET_KEY, *ENV.SECRET_KEY_FALLBACKS)
    if not key.exists() and not ENV.SECRET_KEY:
        yield f"the backup has no secret key: set SECRET_KEY to that of then, or {LOST}"
    elif ENV.SECRET_KEY and key.exists() and key.read_text(encoding="ascii") not in used:
        yield f"SECRET_KEY is not that of the backup: unset it, or add that to SECRET_KEY_FALLBACKS, or {LOST}"
    if not (directory / PACKAGES).exists() and isinstance(storages["skills"], FileSystemStorage):
        yield f"the backup has no packages ({PACKAGES}/): published skills could not be downloaded"


def restore_packages(directory: Path) -> None:
    storage = storages["skills"]
    if (directory / PACKAGES).exists() and isinstance(storage, FileSystemStorage):
        shutil.copytree(directory / PACKAGES, storage.location, dirs_exist_ok=True)


def absent_packages() -> list[str]:
    """What versions of skills name and their storage has not. In SQL: the schema may be that of an older release."""
    with connection.cursor() as cursor:
        if "skills_skillversion" not in connection.introspection.table_names(cursor):
            return []
        cursor.execute("SELECT DISTINCT package FROM skills_skillversion WHERE package <> '' ORDER BY 1")
        named = [package for (package,) in cursor.fetchall()]
    return [package for package in named if not storages["skills"].exists(package)]


def restore_key(directory: Path) -> None:
    """Whoever was signed in stays so. The key that this process made for itself when it started is replaced."""
    if (directory / KEY).exists():
        draft = Path(settings.DATA_DIR) / f"{KEY}.restored"
        shutil.copy2(directory / KEY, draft)
        draft.replace(draft.with_name(KEY))
