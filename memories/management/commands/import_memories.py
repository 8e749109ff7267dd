"""Imports memories of another store, or of our own export; a second import goes on where the first one ended."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from memories.transfer.importing import Summary, import_file
from memories.transfer.options import Format, Options, Result, RowResult
from memories.transfer.sqlite_file import Unreadable
from memories.values.choices import ActorKind
from memories.values.trust import Actor, everything

COUNTED = (Result.IMPORTED, Result.CHANGED, Result.KNOWN, Result.SUPPRESSED, Result.LEFT_OUT, Result.FAILED)
FORMATS = [file_format.value for file_format in Format if file_format != Format.PACK]  # `import_pack` brings in those
PREVIEW_ROWS = 10  # rows of a preview


class Command(BaseCommand):
    help = (
        "Import memories from another store: Founder OS (memory.db, intelligence.db), Membrane (SQLite), mem0 (JSON or "
        "Markdown), OpenMemory (JSON lines), or our own export_memories. What people dismissed here stays dismissed. "
        "Example: manage.py import_memories memory.db --from founderos --scope team:sales --dry-run"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--from", dest="format", required=True, choices=FORMATS)
        parser.add_argument("--scope", help="of rows that name none: a name, or a template such as user:{user_id}")
        parser.add_argument(
            "--status", choices=["keep", "candidate"], default="keep", help="what was confirmed stays so, or waits"
        )
        parser.add_argument("--apply", action="store_true", help="what was applied is applied here too")
        parser.add_argument("--dry-run", action="store_true", help="only show what would come in")

    def handle(self, *args: Any, **options: Any) -> None:
        asked = Options(
            format=Format(options["format"]),
            trust=everything(Actor(ActorKind.SYSTEM, "import")),
            scope=options["scope"],
            keeps_status=options["status"] == "keep",
            applies=options["apply"],
        )
        summary = Summary()
        try:
            self._import(options["file"], asked, summary, keeps=not options["dry_run"])
        except Unreadable as unreadable:
            raise CommandError(str(unreadable)) from None
        finally:
            self._close(summary, dry_run=options["dry_run"])
        if summary.failed:
            sys.exit(1)

    def _import(self, path: Path, asked: Options, summary: Summary, *, keeps: bool) -> None:
        with tqdm(unit=" rows", disable=not self.stderr.isatty(), file=sys.stderr) as bar:
            for results in import_file(path, asked, at=timezone.now, keeps=keeps):
                for result in results:
                    summary.add(result)
                    self._tell(result)
                bar.update(len(results))

    def _tell(self, result: RowResult) -> None:
        for error in result.errors:
            self.stderr.write(f"{result.row}: {error}")

    def _close(self, summary: Summary, *, dry_run: bool) -> None:
        if dry_run:
            for result in summary.first[:PREVIEW_ROWS]:
                self.stdout.write(f"{result.status or result.result.value}  {result.shown[:100]}")
        if summary.statuses:
            self.stdout.write(", ".join(f"{n} {status}" for status, n in sorted(summary.statuses.items())))
        counts = ", ".join(f"{summary.counts[counter]} {counter.value.replace('_', ' ')}" for counter in COUNTED)
        self.stdout.write(f"{counts}; nothing was kept: a preview" if dry_run else counts)
