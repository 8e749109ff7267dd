"""The server's keeper: `python -S -m memos_site.platform.postgres.keeper DATA_DIR BINARIES`.

Returns when the server answers (0) or cannot (1, with the reason on stderr); behind it stays a small process, the
parent of `postgres`, that starts it again when it dies and stops it when nobody uses it any more. SIGTERM: stop now.
SIGUSR1: stay, used or not.
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

LOG_LIMIT = 1_000_000  # bytes, then one older file is kept
STILL_DYING = "is still in use"  # PostgreSQL of the shared memory that a killed server's last backends hold
STAY, UNUSED = signal.SIGUSR1, signal.SIGUSR2
AWAITED = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, STAY, UNUSED}


class Keeper:
    def __init__(self, data_dir: Path, cluster: Cluster) -> None:
        self.cluster, self.stay = cluster, False
        self.users = os.open(data_dir / "run" / "users", os.O_RDWR | os.O_CREAT, 0o600)
        self.log = data_dir / "postgres.log"
        self.postgres = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        """Starts the server and waits until it answers; after a kill, until the old one's last query has ended."""
        give_up = time.monotonic() + RECOVERY_SECONDS
        while True:
            logged = self.log.stat().st_size
            self.cluster.forget_the_dead()
            postgres = self.cluster.start()
            if self.answers(postgres):
                return postgres
            said = self.log.read_bytes()[logged:].decode(errors="replace").strip()
            if STILL_DYING not in said or time.monotonic() > give_up:
                raise Unusable(f"PostgreSQL does not start: {said or f'see {self.log}'}")
            time.sleep(0.1)

    def answers(self, postgres: subprocess.Popen[bytes]) -> bool:
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
        """A fast shutdown; if that hangs, an immediate one, which costs a recovery at the next start."""
        for number, seconds in ((signal.SIGINT, 60), (signal.SIGQUIT, 10), (signal.SIGKILL, 10)):
            postgres.send_signal(number)
            try:
                postgres.wait(seconds)
                break
            except subprocess.TimeoutExpired:
                continue
        self.cluster.tidy()

    def watch_users(self) -> None:
        def wait() -> None:
            fcntl.flock(self.users, fcntl.LOCK_EX)
            os.kill(os.getpid(), UNUSED)

        threading.Thread(target=wait, daemon=True).start()

    def keep(self) -> None:
        """Until nobody uses the server. The users' lock, once held, is held until the server has stopped."""
        self.watch_users()
        while True:
            said = signal.sigwait(AWAITED)
            if said == STAY:
                self.stay = True
            elif said == UNUSED and self.stay:
                fcntl.flock(self.users, fcntl.LOCK_UN)
            elif said == signal.SIGCHLD:
                if self.postgres.poll() is not None:
                    self.postgres = self.start()
            else:
                self.stop(self.postgres)
                return


def lock(data_dir: Path) -> int | None:
    """The one keeper's lock, with its pid in it; None while another one lives."""
    handle = os.open(data_dir / "run" / "keeper", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    os.ftruncate(handle, 0)
    os.write(handle, str(os.getpid()).encode())
    return handle


def leave_terminal(log: Path) -> None:
    os.setsid()
    if log.exists() and log.stat().st_size > LOG_LIMIT:
        log.replace(log.with_suffix(".log.1"))
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (written, 1), (written, 2)):
        os.dup2(source, target)


def keeper(data_dir: Path, binaries: Path, *, said: int) -> None:
    leave_terminal(data_dir / "postgres.log")
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    try:
        held = lock(data_dir)
        if held is not None:
            cluster = Cluster(data_dir / "postgres", binaries)
            cluster.prepare()
            it = Keeper(data_dir, cluster)
    except (Unusable, OSError) as error:
        os.write(said, str(error).encode())
        raise
    os.close(said)
    if held is not None:
        it.keep()


def main(data_dir: Path, binaries: Path) -> int:
    heard, said = os.pipe()
    if os.fork() == 0:
        os.close(heard)
        keeper(data_dir, binaries, said=said)
        return 0
    os.close(said)
    with os.fdopen(heard, encoding="utf-8") as end:
        problem = end.read()
    sys.stderr.write(problem)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
