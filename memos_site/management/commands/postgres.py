import signal
import subprocess
import sys
from argparse import REMAINDER
from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from psycopg import pq

from memos_site.platform.postgres.cluster import NAME, PORT, USER, Unusable
from memos_site.platform.postgres.server import Server, binaries

REPORT = """SELECT format('%s, %s, %s connections', split_part(version(), ' on ', 1),
    pg_size_pretty(pg_database_size(current_database())),
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()))"""


class Command(BaseCommand):
    help = (
        "The embedded PostgreSQL: postgres status | start | stop | psql [ARGUMENTS]. Example: postgres psql -c '\\dt'"
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["status", "start", "stop", "psql"])
        parser.add_argument("arguments", nargs=REMAINDER, help="for psql")

    def handle(self, *args: Any, action: str, arguments: list[str], **options: Any) -> None:
        if not settings.EMBEDDED:
            raise CommandError("DATABASE_URL is set: Memos uses that database, not the embedded one")
        server = Server(settings.DATA_DIR)
        try:
            if action == "psql":
                sys.exit(psql(server, arguments))
            self.stdout.write({"status": status, "start": start, "stop": stop}[action](server))
        except Unusable as problem:
            raise CommandError(str(problem)) from problem


def status(server: Server) -> str:
    state = server.ping()
    if state != pq.Ping.OK:
        return "not running" if state == pq.Ping.NO_RESPONSE else "running, but not yet answering"
    with psycopg.connect(host=server.host(), port=PORT, user=USER, dbname=NAME) as connection:
        row = connection.execute(REPORT).fetchone()
    return f"running in {server.data}: {row[0] if row else ''}"


def start(server: Server) -> str:
    server.keep_running()
    return f"running in {server.data} until `manage.py postgres stop`"


def stop(server: Server) -> str:
    return "stopped" if server.stop() else "it did not run"


def psql(server: Server, arguments: list[str]) -> int:
    """Run psql as a child: the server may stop as soon as this process, which uses it, has ended."""
    server.ensure_running()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for psql
    command = [str(binaries() / "psql"), "-h", server.host(), "-p", PORT, "-U", USER, "-d", NAME, *arguments]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own program, no shell
