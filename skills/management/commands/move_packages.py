from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage.handler import StorageHandler
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memos_site.platform.outages import StoreUnavailable
from memos_site.platform.service_settings import directory_storage, package_storage
from skills import orphans

BACKENDS = ("LOCAL", "S3", "OSS")


class Command(BaseCommand):
    help = (
        "Copies the packages of skill versions into the store that SKILLS_REPO_BACKEND names, from the one that it "
        "named before. What is there stays; a stopped copy goes on. Example: manage.py move_packages --from LOCAL"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        place = "LOCAL, S3 or OSS, by the settings that are still in the environment; or the directory of a LOCAL store"
        parser.add_argument("--from", required=True, dest="former", metavar="STORE", help=place)

    def handle(self, *args: Any, former: str, **options: Any) -> None:
        try:
            counts = orphans.copy_from(self._store(former), self.stderr.write)
        except (OSError, StoreUnavailable) as error:
            raise CommandError(f"{error}; run it again, it goes on") from None
        self.stdout.write(f"{counts['copied']} packages copied, {counts['there']} were there")
        if counts["lost"] or counts["damaged"]:
            raise CommandError(f"{counts['lost']} are not in the former store, {counts['damaged']} are damaged there")

    @staticmethod
    def _store(former: str) -> Any:
        if former.upper() in BACKENDS:
            place = package_storage(settings.DATA_DIR, backend=former.upper())
        elif Path(former).is_dir():
            place = directory_storage(Path(former))
        else:
            raise CommandError(f"{former}: neither {', '.join(BACKENDS)} nor a directory")
        if place == settings.STORAGES["skills"]:
            raise CommandError(f"{former} is the present store: set SKILLS_REPO_BACKEND to the new one first")
        return StorageHandler({"former": place})["former"]  # type: ignore[dict-item]  # as the settings hold them
