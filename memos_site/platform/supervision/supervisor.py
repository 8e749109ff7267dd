"""One process that keeps others running, and stops them all when it is told to."""

import logging
import multiprocessing
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from memos_site.platform.postgres.launch import die_with_parent

FORK = multiprocessing.get_context("fork")
FIRST_PAUSE, LONGEST_PAUSE, STEADY = 0.1, 30.0, 60.0  # seconds; who ran steadily begins again with the first pause
ONE_WISH = 1.0  # seconds within which a repeated signal is the same wish
GRACE = 15.0  # seconds to finish after a SIGTERM, then SIGKILL
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
log = logging.getLogger("memos.supervisor")


class Child:
    """A process that should run: `work` is called in a fork and returns when it was told to stop."""

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self.name, self.work = name, work
        self.process: Any = None
        self.pause, self.started, self.due = FIRST_PAUSE, 0.0, 0.0

    def start(self) -> None:
        self.process = FORK.Process(target=self._be, name=self.name)
        self.started = time.monotonic()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)  # until the child has handlers of its own
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _be(self) -> None:
        os.setpgid(0, 0)
        die_with_parent(signal.SIGTERM)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        if os.getppid() == self.process._parent_pid:
            self.work()

    def ended(self) -> None:
        """Sweeps what it left, says so, and plans the next start."""
        self.kill()
        self.process.join()
        self.pause = FIRST_PAUSE if time.monotonic() - self.started > STEADY else min(self.pause * 2, LONGEST_PAUSE)
        self.due = time.monotonic() + self.pause
        log.error("%s %s; starting it again in %.1f s", self.name, how(self.process.exitcode), self.pause)

    def kill(self) -> None:
        """Ends the whole group: the process and whatever it started."""
        with suppress(ProcessLookupError, PermissionError):  # gone; on macOS a group of zombies is "not permitted"
            os.killpg(self.process.pid, signal.SIGKILL)


def ignored(number: int) -> bool:
    return signal.getsignal(number) == signal.SIG_IGN


def how(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        return f"was killed by {signal.Signals(-exitcode).name}"
    return f"ended with code {exitcode}"


class Supervisor:
    def __init__(self, children: dict[str, Callable[[], None]]) -> None:
        self.children = [Child(name, work) for name, work in children.items()]
        self.asked, self.asked_at = 0, -ONE_WISH

    def run(self) -> None:
        """Until SIGTERM, SIGINT or the end of its terminal; returns when no child is left.

        A second signal kills at once what still runs.
        """
        heard, told = os.pipe()
        for end in (heard, told):
            os.set_blocking(end, False)
        wanted = [number for number in STOPPING if not (number == signal.SIGHUP and ignored(number))]  # nohup
        before = {number: signal.signal(number, self._ask) for number in wanted}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)  # not ignored: it wakes us
        wakeup = signal.set_wakeup_fd(told)
        try:
            self._keep(heard)
            self._stop(heard)
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(heard)
            os.close(told)

    def _ask(self, *_: object) -> None:
        """A signal to the whole group comes twice at once: only one that comes later is a second one."""
        now = time.monotonic()
        if now - self.asked_at > ONE_WISH:
            self.asked, self.asked_at = self.asked + 1, now

    def _keep(self, heard: int) -> None:
        for child in self.children:
            child.start()
        while not self.asked:
            living = [child for child in self.children if not child.due]
            pauses = [child.due - time.monotonic() for child in self.children if child.due]
            self._wait(heard, min(pauses, default=None))
            for child in living:
                if child.process.exitcode is not None and not self.asked:
                    child.ended()
            for child in self.children:
                if child.due and child.due <= time.monotonic() and not self.asked:
                    child.due = 0.0
                    child.start()

    def _wait(self, heard: int, seconds: float | None) -> None:
        """Until a signal comes, for one the end of a child, or the time is over.

        Not by the pipe that multiprocessing offers for it: whatever the child started holds that open after its end.
        """
        select.select([heard], [], [], None if seconds is None else max(0.0, seconds))
        with suppress(BlockingIOError):
            os.read(heard, 512)

    def _stop(self, heard: int) -> None:
        deadline = time.monotonic() + GRACE
        for child in self.children:
            if child.process.is_alive():
                child.process.terminate()
        while living := [child for child in self.children if child.process.exitcode is None]:
            if self.asked > 1 or time.monotonic() > deadline:
                for child in living:
                    log.error("%s does not stop: killing it", child.name)
                    child.kill()
                    child.process.join()
            else:
                self._wait(heard, deadline - time.monotonic())
        for child in self.children:
            child.kill()
