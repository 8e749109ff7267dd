from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from consolidation import schedules
from memories import leases
from memos_site.management.commands.serve import check_database
from memos_site.platform.supervision import jobs
from memos_site.platform.supervision.successor import Invocation, Successor, inheritance
from memos_site.platform.supervision.supervisor import Supervisor


class Command(BaseCommand):
    help = "Runs the job worker alone, as on a further host: manage.py worker --workers 4"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workers", type=int, default=2, metavar="N", help="jobs at the same time (default 2)")

    def handle(self, *args: Any, workers: int, **options: Any) -> None:
        if workers < 1:
            raise CommandError("--workers must be at least 1")
        handover, invocation = inheritance(), Invocation.of_this_process()
        connections["default"].ensure_connection()  # a problem of the database is reported here, once
        check_database()
        schedules.load()
        connections.close_all()  # a connection must not be shared with a fork
        broker = jobs.broker_of(leases.Heartbeat())
        Supervisor(
            {"worker": lambda ready: jobs.run(broker, workers, ready)},
            successor=None if handover else lambda: Successor(invocation, None),
            announce=handover.announce if handover else None,
            at_end=broker.release_jobs,
        ).run()
