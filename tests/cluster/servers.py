"""The servers of a cluster, for real and on one machine: PostgreSQL over TCP, streaming replicas, PgBouncer."""

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from memos_site.platform.postgres.cluster import Cluster, environment
from memos_site.platform.postgres.server import binaries
from tests.journeys.installation import free_port
from tests.memos_site.processes import children, runs, until

PASSWORD = "of-the-tests"
ROW = "host {database} memos 127.0.0.1/32 scram-sha-256\n"
SETTINGS = ("wal_level=replica", "max_wal_senders=8", "hot_standby=on", "max_connections=200", "wal_keep_size=64MB")


@dataclass
class Postgres:
    """A server that only TCP reaches. `data`: its directory, which `start` finds complete."""

    data: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def cluster(self) -> Cluster:
        return Cluster(self.data, binaries())

    @property
    def url(self) -> str:
        return f"postgres://memos:{PASSWORD}@127.0.0.1:{self.port}/memos"

    def start(self, *settings: str) -> "Postgres":
        cluster = self.cluster
        cluster.remove_leftovers()
        options = ["listen_addresses=127.0.0.1", f"port={self.port}", "unix_socket_directories=", *SETTINGS, *settings]
        flags = [flag for option in options for flag in ("-c", option)]
        command = cluster.account.command(
            cluster.binaries / "postgres", "-D", cluster.data, *flags, reaching=cluster.data
        )
        with (self.data.parent / f"{self.data.name}.log").open("a") as log:
            self.process = subprocess.Popen(command, env=environment(), stdout=log, stderr=log)
        process = self.process
        until(lambda: cluster.ready(process.pid) or process.poll() is not None, what=self.said)
        assert process.poll() is None, self.said
        return self

    @property
    def said(self) -> str:
        return (self.data.parent / f"{self.data.name}.log").read_text()

    def stop(self, number: int = signal.SIGINT) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait()

    def kill(self) -> None:
        """As a machine that loses its power: the server and all its backends at once."""
        assert self.process
        self.process.send_signal(signal.SIGSTOP)  # it starts no more of them
        backends = children(self.process.pid)
        for pid in (self.process.pid, *backends):
            with suppress(ProcessLookupError):  # one ends by itself when it notices
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        until(lambda: not any(map(runs, backends)), what="the end of all backends, which hold the shared memory")

    def sql(self, statement: str, *given: object) -> list[tuple[object, ...]]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), given or None)
            return cursor.fetchall() if cursor.description else []


def primary(data: Path) -> Postgres:
    """The migrated cluster in `data`, with a password and the right to replicate."""
    server = Postgres(data)
    with (data / "pg_hba.conf").open("w") as rules:
        rules.write(ROW.format(database="all") + ROW.format(database="replication"))
    server.cluster.run(
        "postgres", "--single", "-D", data, "memos", text=f"ALTER USER memos PASSWORD '{PASSWORD}' REPLICATION\n"
    )
    return server


def replica(of: Postgres, data: Path) -> Postgres:
    """A streaming replica of a running server, made with pg_basebackup."""
    data.mkdir(mode=0o700)
    account = of.cluster.account
    if os.geteuid() == 0:
        os.chown(data, account.uid, account.gid)
    source = f"host=127.0.0.1 port={of.port} user=memos password={PASSWORD}"
    of.cluster.run("pg_basebackup", "-d", source, "-D", data, "-R", "-c", "fast", "-X", "stream")
    (data / "postmaster.pid").unlink(missing_ok=True)
    return Postgres(data)


@dataclass
class Pooler:
    """PgBouncer before one server, in transaction mode."""

    folder: Path
    server: Postgres
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgres://memos:{PASSWORD}@127.0.0.1:{self.port}/memos"

    @property
    def said(self) -> str:
        return (self.folder / "pgbouncer.log").read_text()

    def start(self) -> "Pooler":
        program, account = Path(found() or "pgbouncer"), self.server.cluster.account
        (self.folder / "users").write_text(f'"memos" "{PASSWORD}"\n')
        (self.folder / "pgbouncer.ini").write_text(self._ini())
        if os.geteuid() == 0:
            account.take_ownership(self.folder)
        command = account.command(program, self.folder / "pgbouncer.ini", reaching=self.folder)
        with (self.folder / "pgbouncer.log").open("a") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        until(self.answers, what=self.said)
        return self

    def _ini(self) -> str:
        lines = [
            "[databases]",
            f"* = host=127.0.0.1 port={self.server.port}",
            "[pgbouncer]",
            "listen_addr = 127.0.0.1",
            f"listen_port = {self.port}",
            "unix_socket_dir =",
            "auth_type = scram-sha-256",
            f"auth_file = {self.folder}/users",
            "pool_mode = transaction",
            "default_pool_size = 8",
            "max_client_conn = 500",
            "server_reset_query_always = 0",
            "query_wait_timeout = 20",
        ]
        return "\n".join([*lines, ""])

    def answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, number: int = signal.SIGINT) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait()


def found() -> str | None:
    """The program of PgBouncer; None where it is not installed."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
