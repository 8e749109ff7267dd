"""The database cluster in one directory: create it, check its version, clean up after a crash, start `postgres`.

Only the keeper calls this, and there is one keeper at a time. It needs nothing but the standard library.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memos_site.platform.postgres.system_account import Account

MAJOR = "18"
PORT = "5432"  # there is no port; it is a part of the socket's name
SOCKET = f".s.PGSQL.{PORT}"
NAME = USER = "memos"
SOCKET_PATH_LIMIT = 100  # bytes; the kernel's own limit is 108, on macOS 104
RECOVERY_SECONDS = 120.0
OPTIONS = {
    "listen_addresses": "",
    "port": PORT,
    "max_connections": "200",
    "unix_socket_permissions": "0700",
    "max_logical_replication_workers": "0",
    "io_method": "sync",  # no separate I/O workers: three processes less, nothing lost on a local disk
    "io_max_concurrency": "8",  # by itself 64 places a connection, 2 MB; one that is in use at a time is enough
    "jit": "off",
    "wal_buffers": "4MB",  # by itself 16 MB, which the server fills with zeros when it starts
    "gin_pending_list_limit": "1MB",  # which each search reads whole; 1.4 MB take it 3 ms
    "max_pred_locks_per_transaction": "10",  # the least: no transaction of ours is serializable
    "log_timezone": "UTC",
    "timezone": "UTC",
    "log_checkpoints": "off",
    "log_min_messages": "log",  # a client is told its errors; in the log they would be other people's data
} | ({"recovery_init_sync_method": "syncfs"} if sys.platform == "linux" else {})
OTHER_MAJOR = (
    "{data} was written by PostgreSQL {found}; this version of Memos brings PostgreSQL {major}. To upgrade: run "
    "`manage.py backup DIR` with the version that wrote it, move {data} away, then `manage.py restore DIR` with this."
)
NO_CLUSTER = "{data} is not empty, and holds no database: move away what is in it, or name another MEMOS_DATA_DIR"

NO_NAME = (
    "PostgreSQL's initdb asks for its user's name, and uid {uid} has none: run as a user of /etc/passwd "
    "(a container of our image as it is, or with --user 10001), mount a passwd file that names uid {uid}, or set "
    "DATABASE_URL to a server of your own"
)


class Unusable(Exception):
    """The cluster cannot be started, with the reason in a sentence for the operator."""


def environment() -> dict[str, str]:
    """Our environment without PG* variables, which would be hidden settings, and with messages in English."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}


class Cluster:
    def __init__(self, data: Path, binaries: Path) -> None:
        self.data, self.binaries = data, binaries
        self.account = Account.for_data(data)

    def run(self, program: str, *arguments: str | Path, text: str = "") -> None:
        command = self.account.command(self.binaries / program, *arguments, reaching=self.data)
        process = subprocess.run(  # noqa: S603 - our own program, no shell
            command, input=text, text=True, capture_output=True, env=environment(), check=False
        )
        if process.returncode:
            raise Unusable(f"{program} failed: {process.stderr.strip() or process.stdout.strip()}")

    def make(self) -> None:
        """Create the cluster in a neighbouring directory and rename it: a kill in between leaves nothing incomplete."""
        if not self.account.has_name():
            raise Unusable(NO_NAME.format(uid=self.account.uid))
        draft = self.data.with_name(self.data.name + ".new")
        if draft.exists():
            shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        if os.geteuid() == 0:
            self.account.take_ownership(draft)
        locale = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8")
        access = ("--auth-local=trust", "--auth-host=reject", f"--username={USER}")  # the directory's mode is the lock
        self.run("initdb", "-D", draft, *locale, *access, "--no-sync")
        self.run("postgres", "--single", "-F", "-D", draft, "template1", text=f"CREATE DATABASE {NAME};\n")
        self.run("initdb", "-D", draft, "--sync-only", *(["--sync-method=syncfs"] if sys.platform == "linux" else []))
        draft.rename(self.data)

    def prepare(self) -> None:
        """Create the cluster if needed and clean up after a crash. Unusable: it is of another PostgreSQL version."""
        if not self.data.exists() or not any(self.data.iterdir()):
            self.make()
        version = self.data / "PG_VERSION"
        if not version.exists():
            raise Unusable(NO_CLUSTER.format(data=self.data))
        major = version.read_text(encoding="ascii").strip()
        if major != MAJOR:
            raise Unusable(OTHER_MAJOR.format(data=self.data, found=major, major=MAJOR))
        if os.geteuid() == 0 and self.data.stat().st_uid == 0:
            self.account.take_ownership(self.data)
        self.clean_up_after_crash()

    def clean_up_after_crash(self) -> None:
        """Remove the files of a killed server: PostgreSQL trusts the pid in them, even if another process has it now.

        A running server without its keeper is stopped first. Whether backends of a killed one still write is not
        decided here: PostgreSQL sees that by the shared memory they hold, and refuses to start until they are gone.
        """
        deadline = time.monotonic() + RECOVERY_SECONDS
        while (pid := self.running_pid()) is not None:
            if time.monotonic() > deadline:
                raise Unusable(f"the PostgreSQL with pid {pid} uses {self.data} and does not stop")
            os.kill(pid, signal.SIGINT)
            time.sleep(0.05)
        self.remove_leftovers()

    def remove_leftovers(self) -> None:
        """Remove the pid file, the sockets and the socket directories of the last server."""
        for directory in (self.data, *self.short_directories()):
            for leftover in (directory / SOCKET, directory / f"{SOCKET}.lock"):
                leftover.unlink(missing_ok=True)
            if directory != self.data:
                directory.rmdir()
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def running_pid(self) -> int | None:
        """The pid in postmaster.pid, if a `postgres -D <our data>` has it; else None."""
        lines = postmaster_file(self.data)
        if not lines or not lines[0].strip().isdigit():
            return None
        pid = int(lines[0])
        return pid if ["-D", str(self.data)] in pairs(arguments_of(pid)) else None

    def has_short_directories(self) -> bool:
        """Whether the path of the data is too long for a socket."""
        return len(os.fsencode(self.data / SOCKET)) > SOCKET_PATH_LIMIT

    def short_prefix(self) -> str:
        return f"memos-{hashlib.sha256(os.fsencode(self.data)).hexdigest()[:12]}-"

    def short_directories(self) -> list[Path]:
        """Directories in /tmp for this cluster's sockets; a server that shuts itself down leaves its one behind."""
        if not self.has_short_directories():
            return []
        paths = Path("/tmp").glob(f"{self.short_prefix()}*")  # noqa: S108 - only of our name and owner
        return [path for path in paths if path.lstat().st_uid in (os.geteuid(), self.data.stat().st_uid)]

    def socket_directory(self) -> Path:
        """The directory for the socket: that of the data, or a new one in /tmp where the path would be too long."""
        if not self.has_short_directories():
            return self.data
        directory = Path(tempfile.mkdtemp(prefix=self.short_prefix(), dir="/tmp"))  # 0700, a name of its own
        if os.geteuid() == 0:
            self.account.take_ownership(directory)
        return directory

    def start(self) -> subprocess.Popen[bytes]:
        """Start `postgres` as a child; returns at once, before it is ready."""
        sockets = self.socket_directory()
        options = OPTIONS | sized_options(self.data) | {"unix_socket_directories": str(sockets)}
        flags = [flag for name, value in options.items() for flag in ("-c", f"{name}={value}")]
        command = self.account.command(self.binaries / "postgres", "-D", self.data, *flags, reaching=self.data)
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment())  # noqa: S603 - our own program, no shell

    def ready(self, pid: int) -> bool:
        """Whether the server with this pid accepts connections, by its postmaster.pid."""
        lines = postmaster_file(self.data)
        return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"


def postmaster_file(data: Path) -> list[str]:
    """Lines of postmaster.pid: pid, data, start, port, socket directory, address, shared memory, status."""
    try:
        return (data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []


def arguments_of(pid: int) -> list[str]:
    """The command line of a process; empty for one that is gone or a zombie."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/cmdline").exists():
            return []
    ps = ["/bin/ps", "-o", "command=", "-p", str(pid)]  # a system without /proc
    return subprocess.run(ps, capture_output=True, text=True, check=False).stdout.split()  # noqa: S603 - our own program, no shell


def pairs(words: list[str]) -> Iterator[list[str]]:
    return (words[at : at + 2] for at in range(len(words)))


SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - where PostgreSQL puts what processes share
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
MIN_SHARED_MEMORY = 1 << 30  # bytes; containers have 64 MiB by default, too little to build a large index
MIN_BUFFERS, FEW_BUFFERS, MAX_BUFFERS = 128, 512, 4096  # MiB; few: enough for 300,000 passages
BUFFER_SHARE = 8  # one part in so many of the memory
GROWTH = 2  # times the size of the store, which may grow before the next start


def sized_options(data: Path) -> dict[str, str]:
    """Options by size: up to an eighth of the memory as buffers; index builds in files if shared memory is small.

    With PostgreSQL's default of 128 MiB a search among a million passages takes twice as long; but unused buffers cost
    18 MB a GiB, so what the store in `data` cannot fill is not taken.
    """
    most = min(max(memory() // BUFFER_SHARE >> 20, MIN_BUFFERS), MAX_BUFFERS)
    buffers = min(most, max(GROWTH * _size(data) >> 20, FEW_BUFFERS))
    small = not _shared_memory_suffices()
    return {"shared_buffers": f"{buffers}MB"} | ({"dynamic_shared_memory_type": "mmap"} if small else {})


def memory() -> int:
    """Bytes of memory of this machine, or of the container if it has less."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = CONTAINER_LIMIT.read_text().strip()
    except OSError:
        return physical
    return min(physical, int(limit)) if limit.isdigit() else physical


def _size(data: Path) -> int:
    """Bytes of the tables and indexes of a cluster; a file that goes meanwhile counts nothing."""
    total = 0
    for path in (data / "base").glob("*/*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def _shared_memory_suffices() -> bool:
    """Whether shared memory is large enough; only Linux has a directory for it, with a size."""
    if not SHARED_MEMORY.is_dir():
        return True
    memory = os.statvfs(SHARED_MEMORY)
    return memory.f_blocks * memory.f_frsize >= MIN_SHARED_MEMORY
