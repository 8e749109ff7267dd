"""A process that keeps others running, and stops them all on a signal."""

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
FIRST_PAUSE, LONGEST_PAUSE, STABLE_AFTER = (
    0.1,
    30.0,
    60.0,
)  # seconds; a child that ran stably starts again after the first pause
SAME_SIGNAL_SECONDS = 1.0  # a signal repeated within this time counts once
GRACE = 15.0  # seconds to finish after a SIGTERM, then SIGKILL
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
log = logging.getLogger("memos.supervisor")


class Child:
    """A process that should always run: `work` is called in a fork and returns after a SIGTERM."""

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self.name, self.work = name, work
        self.process: Any = None
        self.pause, self.started, self.due = FIRST_PAUSE, 0.0, 0.0

    def start(self) -> None:
        self.process = FORK.Process(target=self._run, name=self.name)
        self.started = time.monotonic()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)  # until the child has handlers of its own
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def _run(self) -> None:
        os.setpgid(0, 0)
        die_with_parent(signal.SIGTERM)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        if os.getppid() == self.process._parent_pid:
            self.work()

    def handle_exit(self) -> None:
        """Kill the rest of its process group, log the reason, and schedule the next start."""
        self.kill()
        self.process.join()
        self.pause = (
            FIRST_PAUSE if time.monotonic() - self.started > STABLE_AFTER else min(self.pause * 2, LONGEST_PAUSE)
        )
        self.due = time.monotonic() + self.pause
        log.error("%s %s; starting it again in %.1f s", self.name, exit_reason(self.process.exitcode), self.pause)

    def kill(self) -> None:
        """Kill the whole process group: the process and whatever it started."""
        with suppress(ProcessLookupError, PermissionError):  # gone; on macOS a group of zombies is "not permitted"
            os.killpg(self.process.pid, signal.SIGKILL)


def is_ignored(number: int) -> bool:
    return signal.getsignal(number) == signal.SIG_IGN


def exit_reason(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        return f"was killed by {signal.Signals(-exitcode).name}"
    return f"ended with code {exitcode}"


class Supervisor:
    def __init__(self, children: dict[str, Callable[[], None]]) -> None:
        self.children = [Child(name, work) for name, work in children.items()]
        self.stop_signals, self.last_signal_at = 0, -SAME_SIGNAL_SECONDS

    def run(self) -> None:
        """Run the children until SIGTERM, SIGINT or the end of the terminal; returns when all have ended.

        A second signal kills those that still run.
        """
        reader, writer = os.pipe()
        for end in (reader, writer):
            os.set_blocking(end, False)
        numbers = [number for number in STOP_SIGNALS if not (number == signal.SIGHUP and is_ignored(number))]  # nohup
        handlers = {number: signal.signal(number, self._count_signal) for number in numbers}
        handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)  # not ignored: it wakes us
        wakeup = signal.set_wakeup_fd(writer)
        try:
            self._keep_running(reader)
            self._stop(reader)
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in handlers.items():
                signal.signal(number, handler)
            os.close(reader)
            os.close(writer)

    def _count_signal(self, *_: object) -> None:
        """Count a stop signal; one to the whole group comes twice at once and counts once."""
        now = time.monotonic()
        if now - self.last_signal_at > SAME_SIGNAL_SECONDS:
            self.stop_signals, self.last_signal_at = self.stop_signals + 1, now

    def _keep_running(self, reader: int) -> None:
        for child in self.children:
            child.start()
        while not self.stop_signals:
            running = [child for child in self.children if not child.due]
            pauses = [child.due - time.monotonic() for child in self.children if child.due]
            self._wait(reader, min(pauses, default=None))
            for child in running:
                if child.process.exitcode is not None and not self.stop_signals:
                    child.handle_exit()
            for child in self.children:
                if child.due and child.due <= time.monotonic() and not self.stop_signals:
                    child.due = 0.0
                    child.start()

    def _wait(self, reader: int, seconds: float | None) -> None:
        """Wait for a signal, such as the end of a child, or until the time is over.

        Not by multiprocessing's sentinel pipe: processes that the child started hold that open after its end.
        """
        select.select([reader], [], [], None if seconds is None else max(0.0, seconds))
        with suppress(BlockingIOError):
            os.read(reader, 512)

    def _stop(self, reader: int) -> None:
        deadline = time.monotonic() + GRACE
        for child in self.children:
            if child.process.is_alive():
                child.process.terminate()
        while running := [child for child in self.children if child.process.exitcode is None]:
            if self.stop_signals > 1 or time.monotonic() > deadline:
                for child in running:
                    log.error("%s does not stop: killing it", child.name)
                    child.kill()
                    child.process.join()
            else:
                self._wait(reader, deadline - time.monotonic())
        for child in self.children:
            child.kill()
