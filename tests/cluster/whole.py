"""A whole cluster on one machine: primary, replica, PgBouncer, an object store, and hosts with web and jobs."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from django_q.tasks import async_task

from memos_site.platform.supervision.successor import VARIABLE
from tests.cluster.clients import tokens_of
from tests.cluster.servers import Pooler, Postgres, primary, replica
from tests.clusters import copied, migrated_cluster
from tests.journeys.installation import free_port
from tests.memos_site.processes import PATIENCE, belonging, children, kill_all, usual_signals
from tests.memos_site.site import ENQUEUE, QUEUE, Queue, Site
from tests.skills.stores import AWS, BUCKET, RefusingStore, refusing_s3_server

AGENT = ("--permission", "read", "--permission", "ingest", "--permission", "report", "--permission", "skills")
LATE = 30.0  # seconds after which a host that is not ready writes its stacks into its log

WAITS = """
SELECT pid, pg_blocking_pids(pid), state, wait_event_type, wait_event, now() - state_change, left(query, 200)
FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


@dataclass
class Host:
    """`manage.py serve` with so many web processes and jobs at a time, always on the same port."""

    folder: Path
    told: dict[str, str]
    workers: int = 1
    port: int = field(default_factory=free_port)
    site: Site | None = None
    frozen: list[int] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = ("serve", "--port", str(self.port), "--workers", f"{self.workers}")
        with usual_signals():
            self.site = Site(self.folder, *command, **self.told)

    def reload(self) -> None:
        """Have the code that is there now take over, as a deployment does."""
        self.supervisor.send_signal(signal.SIGHUP)

    @property
    def supervisor(self) -> subprocess.Popen[bytes]:
        assert self.site
        return self.site.process

    @property
    def said(self) -> str:
        return self.site.said if self.site else ""

    def processes(self) -> tuple[list[int], list[int]]:
        """Of web and of jobs: children of the supervisor and of its successors, who alone of them have none or some."""
        first = children(self.supervisor.pid)
        successors = [pid for pid in first if is_successor(pid)]
        ours = [pid for pid in first if pid not in successors] + [pid for one in successors for pid in children(one)]
        jobs = [pid for pid in ours if children(pid)]
        return [pid for pid in ours if pid not in jobs], jobs

    def health(self) -> dict[str, str]:
        """What it says of itself, or why it does not answer."""
        assert self.site
        self.site.url = self.url
        try:
            return self.site.health()
        except OSError as error:
            return {"host": self.url, "error": str(error)}

    def freeze(self) -> None:
        """Stop all processes that do jobs, as a machine that is suspended amid its work."""
        self.frozen = self.processes()[1]
        for group in self.frozen:
            with suppress(ProcessLookupError):  # it ended since, and is started again
                os.killpg(group, signal.SIGSTOP)

    def thaw(self) -> None:
        for group in self.frozen:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGCONT)
        self.frozen = []

    def stacks(self) -> None:
        """Have every process of this host write what each of its threads does into the log."""
        for pid in belonging(self.folder):
            with suppress(FileNotFoundError, ProcessLookupError):  # it ended since
                if catches(pid, signal.SIGUSR1):
                    os.kill(pid, signal.SIGUSR1)

    def end(self) -> None:
        self.thaw()
        kill_all(self.folder)
        if self.site:
            self.supervisor.wait(PATIENCE)


class PrimaryQueue(Queue):
    def __init__(self, server: Postgres) -> None:
        self.server, self.list_key = server, QUEUE

    def enqueue(self, task: str) -> int:
        [[row]] = self.server.sql(ENQUEUE, self.list_key, task)
        return int(str(row))


@dataclass
class Cluster:
    primary: Postgres
    replica: Postgres
    pooler: Pooler
    store: RefusingStore
    hosts: list[Host]
    agent: str = ""
    reviewer: str = ""

    @property
    def said(self) -> str:
        return "\n".join(f"{host.url}\n{host.said}" for host in self.hosts)

    def enqueue(self, task: str) -> None:
        """Put a job into the queue of all hosts."""
        with suppress(psycopg.Error):
            async_task(task, broker=PrimaryQueue(self.primary))  # type: ignore[no-untyped-call]  # django-q has no types

    def start_replica(self) -> None:
        self.replica.start("fsync=off")

    def resume_replica(self) -> None:
        with suppress(psycopg.Error):
            self.replica.sql("SELECT pg_wal_replay_resume()")

    def heal(self) -> None:
        """Start whatever is down and thaw what is frozen, and wait until every host says that it is ready."""
        for server in (self.primary, self.replica):
            if server.process is None or server.process.poll() is not None:
                server.start("fsync=off")
        if self.pooler.process is None or self.pooler.process.poll() is not None:
            self.pooler.start()
        began, looked = time.monotonic(), False
        for host in self.hosts:
            host.thaw()
        while late := [host for host in self.hosts if not ready(host)]:
            waited = time.monotonic() - began
            assert waited < PATIENCE, "\n".join(f"{host.health()} {host.said[-20000:]}" for host in late)
            if waited > LATE and not looked:
                looked = True
                self.look_at(late)
            time.sleep(0.2)

    def look_at(self, late: list[Host]) -> None:
        """Print why these hosts are not ready: what they say, what their threads do, what the database waits for."""
        for host in late:
            host.stacks()
        time.sleep(1)
        for host in late:
            print(f"not ready after {LATE:.0f} s: {host.health()}\n{host.said[-20000:]}")
        for row in self.primary.sql(WAITS):
            print(*row)
        print(self.pooler.said[-2000:])


def is_successor(pid: int) -> bool:
    """Whether a supervisor started this process with new code, by what the kernel says of it."""
    try:
        return f"\0{VARIABLE}=".encode() in b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def catches(pid: int, number: int) -> bool:
    """Whether the process has a handler for the signal; it would end of one for which it has none yet."""
    caught = re.search(r"^SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return caught is not None and bool(int(caught[1], 16) >> (number - 1) & 1)


def ready(host: Host) -> bool:
    """Started again where it has ended, as an init system does: a start fails while the database is away."""
    if host.site is None or host.supervisor.poll() is not None:
        host.start()
    return host.health().get("worker") == "ok"


@contextmanager
def cluster(temporary: pytest.TempPathFactory, *, hosts: int = 3, workers: int = 1) -> Iterator[Cluster]:
    with TemporaryDirectory(prefix="memos-test-") as path, refusing_s3_server() as store:
        folder = Path(path)
        folder.chmod(0o711)
        first = primary(copied(migrated_cluster(temporary), folder) / "postgres").start("fsync=off")
        second = replica(first, folder / "replica").start("fsync=off")
        (folder / "pooler").mkdir()
        pooler = Pooler(folder / "pooler", first).start()
        told = _settings(pooler, second, store.url)
        made = Cluster(first, second, pooler, store, [Host(_new(folder, n), told, workers) for n in range(hosts)])
        try:
            made.heal()
            site = made.hosts[0].site
            assert site
            beside = told | {"DATABASE_REPLICA_URLS": ""}
            agents = {"load": AGENT, "judge": [*AGENT, "--permission", "review"]}
            tokens = tokens_of(site.data_dir, agents, **beside)
            made.agent, made.reviewer = tokens["load"], tokens["judge"]
            yield made
        finally:
            for host in made.hosts:
                host.end()
            pooler.stop()
            for server in (second, first):
                server.stop()


def _new(folder: Path, number: int) -> Path:
    place = folder / f"host{number}"
    place.mkdir()
    return place


def _settings(pooler: Pooler, second: Postgres, store: str) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "tests.cluster.settings",
        "DATABASE_URL": pooler.url,
        "DATABASE_POOLER": "transaction",
        "DATABASE_REPLICA_URLS": second.url,
        "SKILLS_REPO_BACKEND": "S3",
        "SKILLS_S3_BUCKET": BUCKET,
        "AWS_ENDPOINT_URL_S3": store,
        **AWS,
    }
