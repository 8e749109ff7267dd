import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from socket import socket
from typing import Any, TypeVar

from django.conf import settings
from django.core.checks import CheckMessage, Tags, run_checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, InternalError, OperationalError, connection, connections
from django.db.migrations.exceptions import MigrationSchemaMissing
from django.utils import timezone

from consolidation import schedules
from memories import accounts, embedding, leases, scanning
from memories.indexing import upkeep
from memories.values.exceptions import Conflict
from memos_site.demo import load as load_demo
from memos_site.platform import env, measures, outages
from memos_site.platform.postgres.launch import die_with_parent
from memos_site.platform.postgres.server import Server
from memos_site.platform.supervision import hangups, jobs, web
from memos_site.platform.supervision.child import FORK, Ready, Work
from memos_site.platform.supervision.successor import Inheritance, Invocation, Successor, inheritance
from memos_site.platform.supervision.supervisor import Supervisor

T = TypeVar("T")
READ_SECONDS = 2.0  # more than a start takes anyway, for what the first searches read
LOOK_EVERY = 0.1  # seconds, at whether another process has ended its start
REFUSALS = (web.PortUnavailable, OperationalError, InternalError, MigrationSchemaMissing, Conflict, BrokenProcessPool)
logger = logging.getLogger(__name__)
CURL = """curl -s {url}/api/v1/observations -H "Authorization: Bearer {token}" -H "Content-Type: application/json" \\
     -d '{{"source": "me", "subject": "build", "predicate": "needs", "object": "PostgreSQL"}}'"""


class Command(BaseCommand):
    requires_system_checks = (env.CHECK,)  # the others, which import all views, beside the migrations
    help = "Starts everything: database, migrations, web server, job worker. Example: manage.py serve --port 8080"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 for all; then name yours in ALLOWED_HOSTS")
        parser.add_argument("--workers", type=int, default=2, metavar="N", help="web processes, and jobs at a time")
        parser.add_argument("--demo", action="store_true", help="fill an empty store with a made-up team first")

    def handle(self, *args: Any, host: str, port: int, workers: int, demo: bool, **options: Any) -> None:
        if workers < 1:
            raise CommandError("--workers must be at least 1")
        handover, invocation = inheritance(), Invocation.of_this_process()
        try:
            listener = handover.socket() if handover else web.listen(host, port)
            url = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
            application = self.load(url, demo=demo, is_successor=bool(handover))
        except REFUSALS as problem:
            is_full = settings.EMBEDDED and "read-only transaction" in str(problem)  # the cause stays in the fork
            raise CommandError(f"the disk is full ({problem})" if is_full else str(problem)) from problem
        except KeyboardInterrupt:
            raise CommandError("stopped before it was up", returncode=130) from None
        if host not in settings.ALLOWED_HOSTS:
            settings.ALLOWED_HOSTS.append(host)
        if not handover:
            self.stdout.write(f"Memos runs at {url} (Ctrl-C stops it)")
        self.supervise(application, listener, workers, handover, invocation)
        if not handover:
            self.stdout.write("Memos has stopped")

    def supervise(
        self,
        application: Any,
        listener: socket,
        workers: int,
        handover: Inheritance | None,
        invocation: Invocation,
    ) -> None:
        """Run the children until they are to end."""
        broker = jobs.broker_of(leases.Heartbeat())
        children: dict[str, Work] = {"worker": partial(do_jobs, broker, workers, listener)}
        measures.share(workers)
        children |= {f"web {n + 1}": partial(answer_requests, application, listener, n) for n in range(workers)}
        Supervisor(
            children,
            successor=None if handover else lambda: Successor(invocation, listener),
            announce=handover.announce if handover else None,
            at_end=broker.release_jobs,
        ).run()
        if settings.EMBEDDED:
            Server(settings.DATA_DIR).leave()

    def load(self, url: str, *, demo: bool, is_successor: bool) -> Any:
        """Bring up the database and read what all children share; return the application."""
        connection.ensure_connection()  # starts the embedded database, which all forks share the use of
        connections.close_all()  # a connection must not be shared with a fork
        reading = nullcontext() if is_successor else meanwhile(read_what_searches_read, at_most=READ_SECONDS)
        with reading, in_a_fork(partial(prepare, url, demo=demo and not is_successor)) as preparation:
            self.check()
            embedding.built_in().embed(["ready"])  # its table is read once, and shared by what is forked
            scanning.flags("ready")  # likewise its patterns are compiled
            schedules.load()
            application = web.load()
            result_of(preparation)
        connections.close_all()
        web.freeze()
        return application


def do_jobs(broker: Any, workers: int, listener: socket, ready: Ready) -> None:
    """The work of the job cluster, which keeps no copy of the listening socket: it may outlive the supervisor by the
    seconds of a job in hand, and the port would be taken as long."""
    listener.close()
    jobs.run(broker, workers, ready)


def answer_requests(application: Callable[..., Any], listener: socket, number: int, ready: Ready) -> None:
    """The work of the web process of that number."""
    measures.count_in(number)
    web.run(application, listener, ready)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Hold a lock before there are tables for leases: that of a transaction, open on a connection of its own.

    It is asked for again and again. A statement that waited for it would hold a snapshot, for whose end an index built
    CONCURRENTLY by the holder waits: neither would ever go on.
    """
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            while not _is_locked(cursor):
                time.sleep(LOOK_EVERY)
        yield
    finally:
        other.close()


def _is_locked(cursor: Any) -> bool:
    cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended('memos:serve', 0))")
    return bool(cursor.fetchone()[0])


def check_database() -> list[CheckMessage]:
    """Warnings about what the database holds. CommandError: an error, so that nothing may start."""
    messages = run_checks(tags=[Tags.database], databases=["default"])
    for error in messages:
        if error.is_serious():
            raise CommandError(f"{error.msg} ({error.hint or error.id})")
    return messages


def prepare(url: str, *, demo: bool = False) -> None:
    """Migrate the database and create schedules, one process at a time; a first start shows its secrets.

    `demo`: load the demo team. Conflict: the store holds other data.
    """
    with _one_at_a_time():
        call_command("migrate", verbosity=0, interactive=False)
        accounts.first_start(lambda lines: show(lines_to_show(lines, url)))
        schedules.ensure()
    for warning in check_database():
        logger.warning("%s (%s)", warning.msg, warning.hint or warning.id)
    if demo:
        load_demo(at=timezone.now())
    with outages.dispensable("the first jobs"):
        schedules.enqueue_first()


def show(lines: list[str]) -> None:
    """Write secrets to a terminal, else into a file that only its owner can read; never into a log."""
    text = "\n".join(["", "Shown only this once:", *lines, "", ""])
    if not sys.stdout.isatty():
        path = Path(settings.DATA_DIR) / "first-start"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write("\n".join([*lines, ""]))
        text = f"The secrets of this first start are in {path}\n"
    sys.stdout.write(text)
    sys.stdout.flush()


def lines_to_show(first: list[str], url: str) -> list[str]:
    """What the first start made, and with an agent's token, which ends the last line, a call to try it with."""
    label, _, token = first[-1].rpartition(" ")
    return [*first, "", CURL.format(url=url, token=token)] if label.startswith("agent token") else first


@contextmanager
def in_a_fork(work: Callable[[], T]) -> Iterator[Future[T]]:
    """`work`, done during the block in a process of its own, which gives back the memory that it took: migrations
    load the models of all their states, and the processes that serve would keep it for ever."""
    with ProcessPoolExecutor(1, mp_context=FORK, initializer=die_with_parent, initargs=(signal.SIGTERM,)) as fork:
        try:
            yield fork.submit(work)
        except (KeyboardInterrupt, SystemExit):  # perhaps in this process alone; the end of the block waits for both
            for process in active_children():
                process.terminate()
            raise


def result_of(future: Future[T]) -> T:
    """Wait for it. KeyboardInterrupt: also one that was raised before, in a callback, where Python only prints it."""
    while not wait([future], LOOK_EVERY).done:
        if hangups.was_interrupted():
            raise KeyboardInterrupt
    return future.result()


@contextmanager
def meanwhile(work: Callable[[], object], *, at_most: float) -> Iterator[None]:
    """Do `work` in a process of its own during the block; so many seconds after its end that is killed."""
    process = FORK.Process(target=_work_beside, args=(work,), name="beside")
    process.start()
    try:
        yield
        process.join(at_most)
    finally:
        process.kill()
        process.join()


def _work_beside(work: Callable[[], object]) -> None:
    die_with_parent(signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    work()


def read_what_searches_read() -> None:
    """Read the indexes of searches into memory; errors of the database are ignored."""
    with suppress(DatabaseError):
        upkeep.read_first()
