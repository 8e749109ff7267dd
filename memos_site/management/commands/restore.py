import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memos_site.management.commands.backup import KEY, PACKAGES, absent_packages
from memos_site.platform.env import ENV
from memos_site.platform.outages import StoreUnavailable
from memos_site.platform.postgres import archive
from skills import storages as package_store

WITHOUT_KEY = (
    "everybody signs in anew, and what was forgotten before dismissals had a key of their own may be stored again"
)


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
        problems = "; ".join(missing_parts(directory))
        if problems and not force:
            raise CommandError(f"{problems}. Nothing was restored; --force restores what there is")
        try:
            restore_packages(directory)  # before the database: a restore that is cut off in between is simply repeated
            restore_key(directory)
            archive.load(directory)
        except (archive.ArchiveFailed, StoreUnavailable, OSError) as problem:
            hint = "The database is as empty as it was: correct that and run the command again"
            raise CommandError(f"{directory} was not restored: {problem}\n{hint}") from problem
        if problems := "; ".join(filter(None, (problems, absent_packages()))):
            self.stderr.write(f"restored without what is missing: {problems}")
        self.stdout.write(f"restored from {directory}; `manage.py serve` brings it up to date")


def missing_parts(directory: Path) -> Iterator[str]:
    """A sentence for each thing that the restored store would lack."""
    key = directory / KEY
    if not key.exists() and not ENV.SECRET_KEY:
        yield f"the backup has no secret key: set SECRET_KEY to that of then, or {WITHOUT_KEY}"
    elif ENV.SECRET_KEY and key.exists() and key.read_text(encoding="ascii", errors="replace") not in ENV.SECRET_KEY:
        yield f"SECRET_KEY is not that of the backup: unset it, or add that after it, or {WITHOUT_KEY}"
    if not (directory / PACKAGES).exists() and isinstance(storages["skills"], FileSystemStorage):
        yield f"the backup has no packages ({PACKAGES}/): published skills could not be downloaded"


def restore_packages(directory: Path) -> None:
    source = directory / PACKAGES
    for path in sorted(file for file in source.rglob("*") if file.is_file()):
        package_store.store(path.relative_to(source).as_posix(), path.read_bytes())


def restore_key(directory: Path) -> None:
    """Replace the key that this process made at its start by that of the backup, so that sessions stay valid."""
    if (directory / KEY).exists():
        draft = Path(settings.DATA_DIR) / f"{KEY}.restored"
        shutil.copy2(directory / KEY, draft)
        draft.replace(draft.with_name(KEY))
