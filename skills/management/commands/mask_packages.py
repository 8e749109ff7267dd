import io
import zipfile
from collections import Counter
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from memories.models import Memory
from memos_site.platform.outages import StoreUnavailable
from skills import orphans, publishing, storages
from skills.models import SkillVersion
from skills.packaging.packages import Package, pack_files


class Command(BaseCommand):
    help = (
        "Masks the credentials in packages of skills that were stored before packages were masked. Run it once after "
        "an upgrade from such a version; what holds none stays, and a stopped run goes on. Example: "
        "manage.py mask_packages"
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            counts = mask(self.stderr.write)
        except (OSError, StoreUnavailable) as error:
            raise CommandError(f"{error}; run it again, it goes on") from None
        self.stdout.write(f"{counts['masked']} packages masked, {counts['clean']} held no credential")
        if counts["lost"]:
            raise CommandError(f"{counts['lost']} are not in the store")


def mask(report: Callable[[str], None]) -> Counter[str]:
    """Mask the credentials in the packages of all versions; how many by what came of them.

    A version has another package and SHA-256 then, under its number: what it held must not be handed out. `lost`: the
    store has no package of it. Stopped at any moment, the next call goes on. OSError, StoreUnavailable.
    """
    counts: Counter[str] = Counter(masked=0, clean=0, lost=0)
    for version in SkillVersion.objects.select_related("skill__memory").iterator():
        outcome = _mask(version)
        counts[outcome] += 1
        if outcome != "clean":
            report(f"{version}: {outcome}")
    return counts


def _mask(version: SkillVersion) -> str:
    try:
        with storages.open_package(version.package) as file:
            files = _files(file.read())
    except FileNotFoundError:
        return "lost"
    folder, _, _ = next(iter(files)).partition("/")
    package = pack_files(folder, {path.removeprefix(f"{folder}/"): data for path, data in files.items()})
    if not package.is_masked:
        return "clean"
    _replace(version, package)
    return "masked"


def _files(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {path: archive.read(path) for path in archive.namelist()}


def _replace(version: SkillVersion, package: Package) -> None:
    former, path = version.package, storages.package_path(version.skill.scope, package.name, package.sha256)
    storages.store(path, package.content)
    columns = package.columns_at(path)
    with transaction.atomic():
        SkillVersion.objects.filter(pk=version.pk, package=former).update(**columns)
        memory = Memory.objects.select_for_update(of=("self",)).get(pk=version.skill.pk)
        publishing.update_payload(memory, version.skill, at=timezone.now())
    orphans.delete_unnamed(former)
