import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import Tags, run_checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, connections

from consolidation import locks, schedules
from memories import embedding, people
from memos_site.platform.postgres.server import Server
from memos_site.platform.supervision import jobs, web
from memos_site.platform.supervision.broker import CrashSafeBroker
from memos_site.platform.supervision.supervisor import Supervisor

logger = logging.getLogger(__name__)
CURL = """curl -s {url}/api/v1/observations -H "Authorization: Bearer {token}" -H "Content-Type: application/json" \\
     -d '{{"source": "me", "subject": "build", "predicate": "needs", "object": "PostgreSQL"}}'"""


class Command(BaseCommand):
    help = "Starts everything: database, migrations, web server, job worker. Example: manage.py serve --port 8080"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 for all; then name yours in ALLOWED_HOSTS")
        parser.add_argument("--workers", type=int, default=2, metavar="N", help="web processes, and jobs at a time")

    def handle(self, *args: Any, host: str, port: int, workers: int, **options: Any) -> None:
        if workers < 1:
            raise CommandError("--workers must be at least 1")
        try:
            listener = web.listen(host, port)
            first = prepare()
            application = web.load()
        except (web.PortUnavailable, OperationalError) as problem:
            raise CommandError(str(problem)) from problem
        except KeyboardInterrupt:
            raise CommandError("stopped before it was up", returncode=130) from None
        if host not in settings.ALLOWED_HOSTS:
            settings.ALLOWED_HOSTS.append(host)
        url = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        if first:
            self.show([*first, "", CURL.format(url=url, token=first[-1].split()[-1])])  # the token ends the last line
        self.stdout.write(f"Memos runs at {url} (Ctrl-C stops it)")
        broker = CrashSafeBroker()
        children: dict[str, Callable[[], None]] = {"worker": lambda: jobs.run(broker, workers)}
        children |= {f"web {number + 1}": lambda: web.run(application, listener) for number in range(workers)}
        Supervisor(children).run()
        broker.release_jobs()
        if settings.EMBEDDED:
            Server(settings.DATA_DIR).leave()
        self.stdout.write("Memos has stopped")

    def show(self, lines: list[str]) -> None:
        """Write secrets to a terminal, else into a file that only its owner can read; never into a log."""
        if sys.stdout.isatty():
            self.stdout.write("\n".join(["", "Shown only this once:", *lines, ""]))
            return
        path = Path(settings.DATA_DIR) / "first-start"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write("\n".join([*lines, ""]))
        self.stdout.write(f"The administrator's password and an agent's token are in {path}")


def prepare() -> list[str] | None:
    """Migrate the database and create schedules, one process at a time; the lines to show on the first start."""
    with locks.hold("serve", wait=True):
        call_command("migrate", verbosity=0, interactive=False)
        first = people.first_start()
        schedules.ensure()
    for warning in run_checks(tags=[Tags.database], databases=["default"]):
        logger.warning("%s (%s)", warning.msg, warning.hint or warning.id)
    embedding.built_in().embed(["ready"])  # its table is read once, and shared by what is forked
    connections.close_all()  # a connection must not be shared with a fork
    return first
