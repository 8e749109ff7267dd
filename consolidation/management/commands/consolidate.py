"""Runs consolidation in the foreground."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from consolidation.consolidating import KIND, consolidate, retry_set_aside
from consolidation.models import Run


class Command(BaseCommand):
    help = (
        "Read new episodes and propose what they teach. Waits for a scope that another worker holds. "
        "Example: manage.py consolidate"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--retry", action="store_true", help="try what was set aside after three attempts again")
        parser.add_argument("--kind", choices=[KIND], default=KIND)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["retry"]:
            self.stdout.write(f"{retry_set_aside()} are tried again")
        run = consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=timezone.now())
        if run is None:
            return
        for name, number in sorted(run.counters.items()):
            self.stdout.write(f"{name:24}{number:>8}")
        if run.status == Run.Status.FAILED:
            self.stderr.write(run.error)
            sys.exit(1)
