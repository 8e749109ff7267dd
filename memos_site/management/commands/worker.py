from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from memos_site.platform.supervision import jobs
from memos_site.platform.supervision.broker import CrashSafeBroker
from memos_site.platform.supervision.supervisor import Supervisor


class Command(BaseCommand):
    help = "Runs the job worker alone, as on a further host: manage.py worker --workers 4"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workers", type=int, default=2, metavar="N", help="jobs at the same time (default 2)")

    def handle(self, *args: Any, workers: int, **options: Any) -> None:
        if workers < 1:
            raise CommandError("--workers must be at least 1")
        connections["default"].ensure_connection()  # a problem of the database is reported here, once
        connections.close_all()  # a connection must not be shared with a fork
        broker = CrashSafeBroker()
        Supervisor({"worker": lambda: jobs.run(broker, workers)}).run()
        broker.release_jobs()
