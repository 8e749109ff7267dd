"""Writes the published skills into a folder, as agents read them: one folder a skill with its SKILL.md."""

import io
import re
import zipfile
from argparse import ArgumentParser
from pathlib import Path, PurePosixPath
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories.values.choices import Sensitivity
from memories.values.trust import everything
from memos_site.platform.outages import StoreUnavailable
from skills import storages
from skills.models import SkillVersion

FOLDER = re.compile(r"[a-z0-9-]{1,64}")  # the name in its SKILL.md, which a renamed skill keeps until its next version


class Command(BaseCommand):
    help = (
        "Write the published skills into a folder, one folder each. A skill that is there is written anew. "
        "Example: manage.py export_skills ~/.claude/skills --scope project:shop"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path)
        parser.add_argument("--scope", help="only of this scope; without it a name must not be in two of them")
        parser.add_argument("--clearance", choices=Sensitivity.labels, default="hyper", help="nothing above it")

    def handle(self, *args: Any, **options: Any) -> None:
        trust = everything().narrowed(max_sensitivity=Sensitivity.named(options["clearance"]))
        versions = SkillVersion.objects.filter(trust.visible("skill__memory__"), status=SkillVersion.Status.PUBLISHED)
        versions = versions.filter(skill__memory__status__in=("confirmed", "applied")).select_related("skill")
        if options["scope"] is not None:
            versions = versions.filter(skill__scope=options["scope"])
        version_by_name: dict[str, SkillVersion] = {}
        for version in versions.order_by("skill__name", "skill__scope"):
            if other := version_by_name.get(version.skill.name):
                scopes = f"{other.skill.scope!r} and {version.skill.scope!r}"
                raise CommandError(f"{version.skill.name} is in the scopes {scopes}: say which with --scope")
            version_by_name[version.skill.name] = version
        directory: Path = options["directory"].expanduser()
        lost_names = [name for name, version in version_by_name.items() if not self._write(directory, name, version)]
        self.stdout.write(f"{len(version_by_name) - len(lost_names)} skills in {directory}")
        if lost_names:
            raise CommandError(f"no package in the storage: {', '.join(lost_names)}")

    @staticmethod
    def _write(directory: Path, name: str, version: SkillVersion) -> bool:
        """Write the files of one package; False: the storage has lost it. CommandError: it cannot be written."""
        try:
            with storages.open_package(version.package) as file:
                content = file.read()
        except FileNotFoundError:
            return False
        except StoreUnavailable as failure:
            raise CommandError(str(failure)) from None
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for path in archive.namelist():
                    target = directory.joinpath(*_parts(path, name))
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(path))
        except OSError as error:
            raise CommandError(f"{error.filename or directory}: {error.strerror}") from None
        return True


def _parts(path: str, name: str) -> tuple[str, ...]:
    """The parts of a path within the folder of its skill. A storage that others write is not trusted to stay there."""
    parts = PurePosixPath(path).parts
    if not parts or not FOLDER.fullmatch(parts[0]) or len(parts) < 2 or ".." in parts:
        raise CommandError(f"the package of {name} holds {path!r}, which is outside of its folder")
    return parts
