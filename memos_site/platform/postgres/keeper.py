"""The server's keeper: `python -S -m memos_site.platform.postgres.keeper DATA_DIR BINARIES`.

Exits when the server answers (0) or cannot start (1, with the reason on stderr), and leaves a small process behind: the
parent of `postgres`, which restarts it when it dies and stops it when nobody uses it any more. SIGTERM: stop now.
SIGUSR1: keep running, used or not.
"""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from memos_site.platform.postgres.cluster import RECOVERY_SECONDS, Cluster, Unusable
from memos_site.platform.postgres.disk_reserve import Reserve

LOG_LIMIT = 1_000_000  # bytes; above it the log is renamed, and one older file remains
MEMORY_IN_USE = "is still in use"  # PostgreSQL's message while backends of a killed server hold its shared memory
KEEP_RUNNING, UNUSED = signal.SIGUSR1, signal.SIGUSR2
SIGNALS = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, KEEP_RUNNING, UNUSED}


class Keeper:
    def __init__(self, data_dir: Path, cluster: Cluster) -> None:
        self.cluster, self.keep_running = cluster, False
        self.users = os.open(data_dir / "run" / "users", os.O_RDWR | os.O_CREAT, 0o600)
        self.log = data_dir / "postgres.log"
        self.reserve = Reserve(cluster.data, cluster.account)
        self.reserve.look()
        self.postgres = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server and wait until it answers; after a kill also until the old one's last query has ended."""
        deadline = time.monotonic() + RECOVERY_SECONDS
        while True:
            log_size = self.log.stat().st_size
            self.cluster.clean_up_after_crash()
            postgres = self.cluster.start()
            if self.answers(postgres):
                return postgres
            messages = self.log.read_bytes()[log_size:].decode(errors="replace").strip()
            if MEMORY_IN_USE not in messages or time.monotonic() > deadline:
                raise Unusable(f"PostgreSQL does not start: {messages or f'see {self.log}'}")
            time.sleep(0.1)

    def answers(self, postgres: subprocess.Popen[bytes]) -> bool:
        """Wait until the server is ready; False if it ended. Unusable: its recovery takes too long."""
        deadline = time.monotonic() + RECOVERY_SECONDS
        while postgres.poll() is None:
            if self.cluster.ready(postgres.pid):
                return True
            if time.monotonic() > deadline:
                self.stop(postgres)
                raise Unusable(f"PostgreSQL did not recover within {RECOVERY_SECONDS:.0f} s: see {self.log}")
            time.sleep(0.01)
        return False

    def stop(self, postgres: subprocess.Popen[bytes]) -> None:
        """Shut the server down fast; if that hangs, immediately, which costs a recovery at the next start."""
        for number, seconds in ((signal.SIGINT, 60), (signal.SIGQUIT, 10), (signal.SIGKILL, 10)):
            postgres.send_signal(number)
            try:
                postgres.wait(seconds)
                break
            except subprocess.TimeoutExpired:
                continue
        self.cluster.remove_leftovers()

    def watch_users(self) -> None:
        """Send UNUSED to this process as soon as nobody holds the users' lock any more."""

        def wait() -> None:
            fcntl.flock(self.users, fcntl.LOCK_EX)
            os.kill(os.getpid(), UNUSED)

        threading.Thread(target=wait, daemon=True).start()

    def keep(self) -> None:
        """Keep the server running until nobody uses it; the users' lock, once ours, is held until it has stopped."""
        self.watch_users()
        self.reserve.watch(lambda: self.postgres.send_signal(signal.SIGHUP))  # it reads its settings
        while True:
            number = signal.sigwait(SIGNALS)
            if number == KEEP_RUNNING:
                self.keep_running = True
            elif number == UNUSED and self.keep_running:
                fcntl.flock(self.users, fcntl.LOCK_UN)
            elif number == signal.SIGCHLD:
                if self.postgres.poll() is not None:
                    self.postgres = self.start()
            else:
                self.stop(self.postgres)
                return


def lock(data_dir: Path) -> int | None:
    """Take the keeper's lock and write our pid into it; None while another keeper has it."""
    handle = os.open(data_dir / "run" / "keeper", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    os.ftruncate(handle, 0)
    os.write(handle, str(os.getpid()).encode())
    return handle


def detach(log: Path) -> None:
    """Leave the terminal's session, and write stdout and stderr to the log."""
    os.setsid()
    if log.exists() and log.stat().st_size > LOG_LIMIT:
        log.replace(log.with_suffix(".log.1"))
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    no_input = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((no_input, 0), (output, 1), (output, 2)):
        os.dup2(source, target)


def run_keeper(data_dir: Path, binaries: Path, *, report: int) -> None:
    """Start the server and keep it. `report`: a pipe that gets the reason of a failure, and is closed once it runs."""
    detach(data_dir / "postgres.log")
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        handle = lock(data_dir)
        if handle is not None:
            cluster = Cluster(data_dir / "postgres", binaries)
            cluster.prepare()
            keeper = Keeper(data_dir, cluster)
    except (Unusable, OSError) as error:
        os.write(report, str(error).encode())
        raise
    os.close(report)
    if handle is not None:
        keeper.keep()


def main(data_dir: Path, binaries: Path) -> int:
    """Fork the keeper and wait for its report; the exit code."""
    reader, report = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        run_keeper(data_dir, binaries, report=report)
        return 0
    os.close(report)
    with os.fdopen(reader, encoding="utf-8") as file:
        problem = file.read()
    sys.stderr.write(problem)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
