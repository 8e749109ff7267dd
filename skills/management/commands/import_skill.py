"""Takes in skills from zips or folders: each becomes a proposed version, as an upload does."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from memories.values.choices import ActorKind
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.trust import Actor, everything
from memos_site.platform.outages import StoreUnavailable
from skills import importing
from skills.importing import Imported
from skills.packaging import zip_reading

BY = Actor(ActorKind.SYSTEM, "import")


class Command(BaseCommand):
    help = (
        "Take in skills, each a zip or a folder with a SKILL.md; they wait to be published. The same files again "
        "change nothing. Example: manage.py import_skill ~/.claude/skills/* --scope project:shop"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--scope", default="", help="where they belong; without it every scope")
        parser.add_argument("--changelog", default="", help="what they change, for who publishes them")

    def handle(self, *args: Any, **options: Any) -> None:
        failure_count = 0
        for path in options["paths"]:
            try:
                result = _import(path.expanduser(), scope=options["scope"], changelog=options["changelog"][:2_000])
            except (Invalid, Conflict, OSError, StoreUnavailable) as refusal:
                failure_count += 1
                reasons = [error.detail for error in refusal.errors] if isinstance(refusal, Invalid) else [str(refusal)]
                self.stderr.write("\n".join([f"{path}: refused", *(f"  {reason}" for reason in reasons)]))
            else:
                self.stdout.write("\n".join([f"{path}: {_words(result)}", *(f"  {text}" for text in result.warnings)]))
        if failure_count:
            sys.exit(1)


def _import(path: Path, *, scope: str, changelog: str) -> Imported:
    trust = everything(BY)
    skill = importing.read(_content(path))
    skill_import = importing.prepare(skill, scope=importing.checked_scope(scope), trust=trust)
    return importing.record(skill_import, trust=trust, at=timezone.now(), changelog=changelog)


def _content(path: Path) -> bytes | dict[str, bytes]:
    """The zip, or the files of a folder by path. Invalid: a link, or more than a package holds; OSError: unreadable."""
    if not path.is_dir():
        with path.open("rb") as file:
            return file.read(zip_reading.MAX_COMPRESSED + 1)
    files: dict[str, bytes] = {}
    room = zip_reading.MAX_EXPANDED + 1
    for file_path in sorted(path.rglob("*")):
        name = file_path.relative_to(path).as_posix()
        if file_path.is_symlink():
            raise Invalid(FieldError("/file", "package_refused", f"{name}: a link"))
        if file_path.is_file():
            with file_path.open("rb") as file:
                files[name] = file.read(room)
            room -= len(files[name])
        if room <= 0 or len(files) > zip_reading.MAX_ENTRIES:
            break  # the rest changes no answer: it is refused
    return files


def _words(done: Imported) -> str:
    if done.version is None:
        return "dismissed before, so it is not taken in again"
    name = f"{done.version.skill.name} {done.version.number}"
    return f"{name} waits to be published" if done.created else f"these very files are there already, as {name}"
