"""The processes that a supervisor keeps running."""

import multiprocessing
import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from memos_site.platform.postgres.launch import die_with_parent

FORK = multiprocessing.get_context("fork")
FIRST_PAUSE, LONGEST_PAUSE, STABLE_AFTER = (
    0.1,
    30.0,
    60.0,
)  # seconds; a child that ran stably starts again after the first pause
GRACE = 15.0  # seconds to finish after a signal, then SIGKILL
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
SIGNALS = (*STOP_SIGNALS, signal.SIGHUP)
Ready = Callable[[], None]
Work = Callable[[Ready], None]


class Child(ABC):
    """A process that should always run, in a process group of its own."""

    grace = GRACE

    def __init__(self, name: str) -> None:
        self.name = name
        self.pause, self.started, self.due, self.deadline = FIRST_PAUSE, 0.0, 0.0, 0.0

    @property
    @abstractmethod
    def pid(self) -> int: ...

    @property
    @abstractmethod
    def exitcode(self) -> int | None:
        """The exit code, negative after a signal; None while it runs."""

    @abstractmethod
    def start(self) -> None:
        """Start the process. OSError: it cannot be started, and all is as before."""

    @abstractmethod
    def join(self) -> None:
        """Wait for its end."""

    def signal(self, number: int) -> None:
        """Send a signal to end it, which also limits the time that it still has."""
        self.deadline = time.monotonic() + self.grace
        if self.exitcode is None:
            os.kill(self.pid, number)

    def delay_start(self) -> str:
        """Kill the rest of its process group and schedule the next start; the reason of its end."""
        self.end()
        self.postpone()
        return exit_reason(self.exitcode)

    def postpone(self) -> None:
        """Schedule the next start: after twice the former pause, unless it ran stably."""
        self.pause = (
            FIRST_PAUSE if time.monotonic() - self.started > STABLE_AFTER else min(self.pause * 2, LONGEST_PAUSE)
        )
        self.due = time.monotonic() + self.pause

    def end(self) -> None:
        """Kill the whole process group, the process and whatever it started, and wait for it."""
        with suppress(ProcessLookupError, PermissionError):  # gone; on macOS a group of zombies is "not permitted"
            os.killpg(self.pid, signal.SIGKILL)
        self.join()


class Fork(Child):
    """A child that does one kind of work in a fork: `work` returns after a SIGTERM or SIGQUIT.

    It gets a function to call as soon as it works, which writes its name as a line into the pipe `readiness`.
    """

    process: Any = None

    def __init__(self, name: str, work: Work, readiness: int) -> None:
        super().__init__(name)
        self.work, self.readiness = work, readiness

    @property
    def pid(self) -> int:
        return int(self.process.pid)

    @property
    def exitcode(self) -> int | None:
        code: int | None = self.process.exitcode
        return code

    def start(self) -> None:
        former, self.process = self.process, FORK.Process(target=self._run, name=self.name)
        self.started = time.monotonic()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until the child has handlers of its own
        try:
            self.process.start()
        except OSError:  # no memory, or no process left
            self.process = former
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def _run(self) -> None:
        os.setpgid(0, 0)
        die_with_parent(signal.SIGTERM)
        signal.set_wakeup_fd(-1)
        for number in (*STOP_SIGNALS, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # is for the supervisor
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        if os.getppid() == self.process._parent_pid:
            self.work(self._report_ready)

    def _report_ready(self) -> None:
        os.write(self.readiness, f"{self.name}\n".encode())

    def join(self) -> None:
        self.process.join()


def exit_reason(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        return f"was killed by {signal.Signals(-exitcode).name}"
    return f"ended with code {exitcode}"
