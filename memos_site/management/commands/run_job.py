"""The command `run_job`: do one scheduled job now, in the foreground."""

from argparse import ArgumentParser
from contextlib import nullcontext
from datetime import datetime
from typing import Any
from unittest import mock

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.module_loading import import_string

from consolidation import schedules
from consolidation.models import Run
from memories.values.field_errors import NOT_AN_INSTANT, parse_instant


class Command(BaseCommand):
    help = (
        "Do a scheduled job now, as the worker would, and print what it did; without a name: list the jobs. "
        "Exit code 1: it failed. Example: manage.py run_job close_silent"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", help="such as close_silent, or memories.tasks.close_silent")
        parser.add_argument("--at", help="as if it were this time (RFC 3339); only with DEBUG")

    def handle(self, *args: Any, name: str | None, at: str | None, **options: Any) -> None:
        jobs = {func.rpartition(".")[2]: func for func in (*schedules.JOBS, *schedules.AT_START)}
        if name is None:
            self.stdout.write("\n".join(sorted(jobs)))
            return
        func = jobs.get(name, name)
        if func not in jobs.values():
            raise CommandError(f"there is no job {name!r}, but {', '.join(sorted(jobs))}")
        moment = _moment(at)
        # jobs read the clock where they begin, and hand the time on
        with mock.patch.object(timezone, "now", lambda: moment) if moment else nullcontext():
            try:
                did = str(import_string(func)())
            except Exception as error:
                raise CommandError(f"{func} failed: {type(error).__name__}: {error}") from error
        if did.startswith(Run.Status.FAILED):  # of its run, which has the error
            raise CommandError(f"{func} {did}")
        self.stdout.write(f"{func}: {did}")


def _moment(text: str | None) -> datetime | None:
    """The time of `--at`, None without it."""
    if text is None:
        return None
    if not settings.DEBUG:
        raise CommandError("--at is for development: it needs DEBUG")
    moment = parse_instant(text)
    if moment is None:
        raise CommandError(f"--at {NOT_AN_INSTANT}")
    return moment
