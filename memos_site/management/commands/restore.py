import shutil
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memos_site.management.commands.backup import KEY, PACKAGES
from memos_site.postgres import archive


class Command(BaseCommand):
    help = "Reads a backup into an empty store; then run serve. Example: manage.py restore /backups/2026-11-21"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path)

    def handle(self, *args: Any, directory: Path, **options: Any) -> None:
        if not (directory / archive.DUMP).is_file():
            raise CommandError(f"{directory} is not a finished backup: it has no {archive.DUMP}")
        if not archive.is_empty():
            raise CommandError(
                "the database holds something, and a restore replaces nothing: stop Memos and move its data directory "
                "away, or point DATABASE_URL to an empty database"
            )
        restore_packages(directory)  # before the database: a restore that is cut off in between is simply repeated
        restore_key(directory)
        try:
            archive.load(directory)
        except archive.Failed as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(f"restored from {directory}; `manage.py serve` brings it up to date")


def restore_packages(directory: Path) -> None:
    storage = storages["skills"]
    if (directory / PACKAGES).exists() and isinstance(storage, FileSystemStorage):
        shutil.copytree(directory / PACKAGES, storage.location, dirs_exist_ok=True)


def restore_key(directory: Path) -> None:
    """Whoever was signed in stays so. The key that this process made for itself when it started is replaced."""
    if (directory / KEY).exists():
        draft = Path(settings.DATA_DIR) / f"{KEY}.restored"
        shutil.copy2(directory / KEY, draft)
        draft.replace(draft.with_name(KEY))
