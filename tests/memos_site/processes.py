"""Real processes for the tests of what happens when they die: users of a server, commands, and who is left."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import psycopg

from memos_site.platform.postgres.cluster import NAME, PORT, USER
from memos_site.platform.postgres.server import Server

Found = TypeVar("Found")
PATIENCE = 240.0  # seconds that anything may take: a bound for what hangs, not for what is slow on a busy machine
SOURCE = Path(__file__).resolve().parents[2]
USER_OF_THE_SERVER = """
import sys
from pathlib import Path
from typing import TypeVar
from memos_site.platform.postgres.server import Server
Server(Path(sys.argv[1])).ensure_running()
print("ready", flush=True)
sys.stdin.read()
"""


def until(seen: Callable[[], Found], *, seconds: float = PATIENCE, what: str = "") -> Found:
    """What `seen` returns as soon as it is true; fails when it never is."""
    deadline = time.monotonic() + seconds
    while not (found := seen()):
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s in vain for {what or seen}"
        time.sleep(0.05)
    return found


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "PYTEST_CURRENT_TEST")}
    return kept | {"MEMOS_DATA_DIR": str(data_dir)} | more


@contextmanager
def usual_signals() -> Iterator[None]:
    """What is started in the block takes SIGHUP and SIGINT, also where the tests run in the background or by nohup."""
    hangup, interrupt = (
        signal.signal(signal.SIGHUP, signal.SIG_DFL),
        signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, hangup)
        signal.signal(signal.SIGINT, interrupt)


class Using:
    """A process that uses the server in `data_dir` until it is told to leave, or dies."""

    def __init__(self, data_dir: Path, *, user: int | None = None, more: Mapping[str, str] | None = None) -> None:
        command = [sys.executable, "-c", USER_OF_THE_SERVER, str(data_dir)]
        if user is not None:  # who may not be able to enter the interpreter's directories
            launch = "memos_site.platform.postgres.launch"
            command = [sys.executable, "-m", launch, f"{user}", f"{user}", "search", *command]
        self.process = subprocess.Popen(
            command,
            cwd=SOURCE,
            env=environment(data_dir, **(more or {})),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def ready(self) -> "Using":
        assert self.process.stdout and self.process.stderr
        assert self.process.stdout.readline() == "ready\n", self.process.stderr.read()
        return self

    def leave(self) -> None:
        self.process.communicate("")

    def signal(self, number: int) -> None:
        self.process.send_signal(number)
        self.process.communicate()


@contextmanager
def using(data_dir: Path, more: Mapping[str, str] | None = None) -> Iterator[Using]:
    user = Using(data_dir, more=more).ready()
    try:
        yield user
    finally:
        user.leave()


def belonging(data_dir: Path) -> list[int]:
    """Every living process that works for this data directory, by what the kernel says of it."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and _works(entry, data_dir)]


def _works(entry: Path, data_dir: Path) -> bool:
    said = f"{data_dir}".encode()
    try:
        if said in (entry / "cmdline").read_bytes() or said in (entry / "environ").read_bytes():
            return True
        return entry.joinpath("cwd").readlink().is_relative_to(data_dir)
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False


def nobody_left(data_dir: Path) -> bool:
    return not belonging(data_dir)


def kill_all(data_dir: Path) -> None:
    """Again and again: one may have forked between two looks."""
    until(lambda: not _killed(data_dir))


def _killed(data_dir: Path) -> list[int]:
    pids = belonging(data_dir)
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return pids


def runs(pid: int) -> bool:
    """Whether it is there and has not ended, be it that nobody has asked how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(pid: int) -> list[int]:
    entries = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [int(entry.name) for entry in entries if _parent(entry) == pid]


def _parent(entry: Path) -> int:
    try:
        return int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def postmaster(data_dir: Path) -> int:
    return int((data_dir / "postgres" / "postmaster.pid").read_text().split()[0])


def sql(data_dir: Path, statement: str, *, autocommit: bool = False) -> list[tuple[object, ...]]:
    """Runs a statement on the server without taking part in it."""
    host = Server(data_dir).host()
    with psycopg.connect(host=host, port=PORT, user=USER, dbname=NAME, autocommit=autocommit) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []
