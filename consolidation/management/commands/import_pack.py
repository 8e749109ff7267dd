"""Brings a pack into a scope: its memories and skills as candidates, each with where it came from."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from consolidation.packs.bringing_in import bring_in
from memories.transfer.importing import Summary
from memories.transfer.options import Format, Options
from memories.transfer.sqlite_file import Unreadable
from memories.values.choices import ActorKind
from memories.values.trust import Actor, everything


class Command(BaseCommand):
    help = (
        "Bring in a pack that another scope or store made (page Packs, POST packs): all of it waits for people, and "
        "what they dismissed here stays dismissed. "
        "Example: manage.py import_pack refunds.zip --scope project:shop --dry-run"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--scope", help="where it is brought in; without it the scope that the pack was made of")
        parser.add_argument("--dry-run", action="store_true", help="only show what would come in")

    def handle(self, *args: Any, **options: Any) -> None:
        trust = everything(Actor(ActorKind.SYSTEM, "import"))
        asked, summary = Options(format=Format.PACK, trust=trust, scope=options["scope"]), Summary()
        try:
            content = options["file"].read_bytes()
            for results in bring_in(content, asked, at=timezone.now, keeps=not options["dry_run"]):
                for result in results:
                    summary.add(result)
                    self.stdout.write(f"{result.result.value.replace('_', ' ')}  {result.row}  {result.shown[:100]}")
                    for error in result.errors:
                        self.stderr.write(f"{result.row}: {error}")
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}") from None
        except Unreadable as unreadable:
            raise CommandError(str(unreadable)) from None
        if summary.failed:
            sys.exit(1)
