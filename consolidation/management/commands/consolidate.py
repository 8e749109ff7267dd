"""The command `consolidate`: run consolidation and the pattern rules in the foreground."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from consolidation import consolidation_run, pattern_run
from consolidation.models import Run

KINDS = (consolidation_run.KIND, pattern_run.KIND)


class Command(BaseCommand):
    help = (
        "Read new episodes, and what plugins reported, and propose what they teach. Waits for a scope that another "
        "worker holds. Example: manage.py consolidate --kind patterns"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--retry", action="store_true", help="try what was set aside after three attempts again")
        parser.add_argument("--kind", choices=KINDS, help="only this; without it everything")

    def handle(self, *args: Any, **options: Any) -> None:
        kind, runs = options["kind"], []
        if options["retry"]:
            aside = consolidation_run.retry_set_aside() + pattern_run.retry_set_aside()
            self.stdout.write(f"{aside} are tried again")
        if kind in (None, consolidation_run.KIND):
            runs.append(consolidation_run.consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=timezone.now()))
        if kind in (None, pattern_run.KIND):
            asked = kind is not None
            runs.append(
                pattern_run.apply_rules(trigger=Run.Trigger.COMMAND, wait=True, at=timezone.now(), record_empty=asked)
            )
        well = [self._tell(run) for run in runs if run]
        if not all(well):
            sys.exit(1)

    def _tell(self, run: Run) -> bool:
        """Whether it went well."""
        for name, number in sorted(run.counters.items()):
            self.stdout.write(f"{name:24}{number:>8}")
        if run.status == Run.Status.FAILED:
            self.stderr.write(run.error)
        return run.status != Run.Status.FAILED
