"""Removes old transcripts now, or tells what would go: an estimate from the sizes of the tables that hold them."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from consolidation import retention
from memories.models import Event

MOST_DAYS = 36_500  # as of TRANSCRIPT_RETENTION_DAYS
TABLES = ("memories_event", "memories_passage", "memories_vector")
SIZE = "SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest(%s::text[]) AS name"
ONLY_DRY = "--days goes with --dry-run: what is removed is told by TRANSCRIPT_RETENTION_DAYS alone"
NOT_SET = "transcripts are kept for good: set TRANSCRIPT_RETENTION_DAYS, or say --days with --dry-run"


class Command(BaseCommand):
    help = (
        "Remove the transcripts of runs that ended TRANSCRIPT_RETENTION_DAYS ago and of which everything was learned, "
        "as the daily job does. Evidence, outcomes and counts stay; it cannot be undone. "
        "Example: manage.py remove_transcripts --dry-run --days 90"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only tell how many would go")
        parser.add_argument("--days", type=int, help="with --dry-run: as if TRANSCRIPT_RETENTION_DAYS were so many")

    def handle(self, *args: Any, **options: Any) -> None:
        dry, days = options["dry_run"], options["days"]
        if days is not None and not dry:
            raise CommandError(ONLY_DRY)
        if days is not None and not 1 <= days <= MOST_DAYS:
            raise CommandError(f"--days: at least 1, at most {MOST_DAYS}")
        if not (days or settings.TRANSCRIPT_RETENTION_DAYS):
            raise CommandError(NOT_SET)
        if not dry:
            removed = retention.remove(at=timezone.now())
            self.stdout.write(f"{removed['transcripts']} transcripts with {removed['events']} events removed")
            return
        transcripts = retention.due(at=timezone.now(), days=days)
        size = filesizeformat(transcripts["events"] * _bytes_of_an_event())
        self.stdout.write(
            f"{transcripts['transcripts']} transcripts with {transcripts['events']} events would go, about {size}"
        )


def _bytes_of_an_event() -> int:
    with connection.cursor() as cursor:
        cursor.execute(SIZE, [list(TABLES)])
        return int(cursor.fetchone()[0]) // max(1, Event.objects.count())
