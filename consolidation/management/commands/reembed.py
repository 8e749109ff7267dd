"""The command `reembed`: write passages and vectors of all memories in the foreground."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from consolidation.models import Run
from consolidation.reembedding_run import reembed
from memories.indexing.reembedding import retry_set_aside


class Command(BaseCommand):
    help = (
        "Give every memory its passages and vectors, with the model that the settings name; the one before serves "
        "until all are there. Example: manage.py reembed"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--retry", action="store_true", help="try what was refused three times again")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["retry"]:
            self.stdout.write(f"{retry_set_aside()} are tried again")
        run = reembed(trigger=Run.Trigger.COMMAND, at=timezone.now())
        if run is None:
            raise CommandError("another worker is at it; its progress stands on the page Runs")
        for name, number in sorted(run.counters.items()):
            self.stdout.write(f"{name:24}{number:>8}")
        if run.error:
            self.stderr.write(run.error)
        if run.status != Run.Status.SUCCEEDED:
            sys.exit(1)
