"""Exports all memories as JSON lines, which import_memories --from memos reads."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memories.models import Memory
from memories.transfer import exporting
from memories.values.choices import Sensitivity
from memories.values.trust import everything


class Command(BaseCommand):
    help = (
        "Export memories, episodes and relations as JSON lines, to a file or to the terminal. "
        "Example: manage.py export_memories backup.jsonl --scope project:shop --clearance medium"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", help="where to (default: standard output)")
        parser.add_argument("--scope", help="only of this scope")
        parser.add_argument("--clearance", choices=Sensitivity.labels, default="hyper", help="nothing above it")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path | None = options["file"]
        if path is None:
            self._write(partial(self.stdout.write, ending=""), options)
            return
        try:
            lines = self._write_into(path, options)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from None
        sys.stderr.write(f"{lines} lines\n")

    def _write_into(self, path: Path, options: dict[str, Any]) -> int:
        """Write a whole file or none. Nothing takes the place of a device or a pipe, nor of a link to a file."""
        if path.exists() and not path.is_file():
            with path.open("w", encoding="utf-8") as file:
                return self._write(file.write, options)
        path = path.resolve()
        part = path.with_name(f"{path.name}.part")
        try:
            part.touch(mode=0o600)
            with part.open("w", encoding="utf-8") as file:
                lines = self._write(file.write, options)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        return lines

    @staticmethod
    def _write(write: Callable[[str], object], options: dict[str, Any]) -> int:
        at, trust = timezone.now(), everything().narrowed(max_sensitivity=Sensitivity.named(options["clearance"]))
        rows = None
        if options["scope"] is not None:
            rows = Memory.objects.visible_to(trust).unexpired(at).filter(scope=options["scope"])
        written = 0
        for line in exporting.lines(trust, at=at, rows=rows):
            write(line)
            written += 1
        return written
