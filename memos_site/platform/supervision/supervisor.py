"""A process that keeps others running, replaces them by new ones on SIGHUP, and stops them all on another signal."""

import logging
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

from memos_site.platform.supervision import hangups
from memos_site.platform.supervision.child import STOP_SIGNALS, Child, Fork, Work, exit_reason
from memos_site.platform.supervision.successor import Successor

SAME_SIGNAL_SECONDS = 1.0  # a signal repeated within this time counts once
log = logging.getLogger("memos.supervisor")


def _pipe() -> tuple[int, int]:
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    return ends


class Supervisor:
    """`successor` makes the process that SIGHUP starts. `announce` is called once all children are ready: by a
    successor, which ends with code 1 if one of them ends before. `at_end` is called when children have been stopped."""

    def __init__(
        self,
        children: Mapping[str, Work],
        *,
        successor: Callable[[], Successor] | None = None,
        announce: Callable[[], None] | None = None,
        at_end: Callable[[], None] = lambda: None,
    ) -> None:
        self.wakeups, self.readiness = _pipe(), _pipe()
        self.children: list[Child] = [Fork(name, work, self.readiness[1]) for name, work in children.items()]
        self.make_successor, self.announce, self.at_end = successor, announce, at_end
        self.unready = set(children)
        self.retiring: list[Child] = []
        self.successor: Successor | None = None
        self.stop_signals, self.last_signal_at = 0, -SAME_SIGNAL_SECONDS
        self.stop_signal, self.reload_requested, self.failed = signal.SIGTERM, False, False

    def run(self) -> None:
        """Run the children until SIGTERM, SIGINT, SIGQUIT or the end of the terminal; returns when all have ended.

        SIGQUIT also lets clients that keep their connections end these. A second signal kills those that still run.
        """
        with self._handlers():
            if not hangups.was_interrupted():
                self._keep_running()
                self._stop()
        if self.failed:
            sys.exit(1)

    @contextmanager
    def _handlers(self) -> Iterator[None]:
        handlers = {number: signal.signal(number, self._request_stop) for number in STOP_SIGNALS}
        handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)  # not ignored: it wakes us
        if not hangups.is_ignored():  # by nohup, or in a successor
            had_terminal = hangups.has_terminal()
            handlers[signal.SIGHUP] = signal.signal(
                signal.SIGHUP, lambda *_: self._hang_up(terminal_lost=had_terminal and not hangups.has_terminal())
            )
            self.reload_requested |= hangups.was_kept()
        wakeup = signal.set_wakeup_fd(self.wakeups[1])
        try:
            yield
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in handlers.items():
                signal.signal(number, handler)
            for end in (*self.wakeups, *self.readiness):
                os.close(end)

    def _request_stop(self, number: int, _frame: object = None) -> None:
        """Count a stop signal; one to the whole group comes twice at once and counts once."""
        now = time.monotonic()
        if now - self.last_signal_at > SAME_SIGNAL_SECONDS:
            self.stop_signals, self.last_signal_at = self.stop_signals + 1, now
            self.stop_signal = signal.SIGQUIT if number == signal.SIGQUIT else signal.SIGTERM

    def _hang_up(self, *, terminal_lost: bool) -> None:
        if terminal_lost or self.make_successor is None:
            self._request_stop(signal.SIGHUP)
        else:
            self.reload_requested = True

    def _keep_running(self) -> None:
        for child in self.children:
            child.start()
        while not self.stop_signals and not self.failed:
            self._reload()
            running_children = [child for child in self.children if not child.due]
            times = [child.due for child in self.children if child.due] + [child.deadline for child in self.retiring]
            self._wait(min(times, default=None))
            self._collect_retired()
            for child in running_children:
                if child in self.children and child.exitcode is not None and not self.stop_signals:
                    self._handle_exit(child)
            for child in self.children:
                if child.due and child.due <= time.monotonic() and not self.stop_signals:
                    self._start_again(child)

    def _start_again(self, child: Child) -> None:
        """Start a child that has ended; later, where that is not possible now."""
        child.due = 0.0
        try:
            child.start()
        except OSError as error:
            child.postpone()
            log.error("%s cannot be started: %s; trying again in %.1f s", child.name, error, child.pause)

    def _wait(self, until: float | None) -> None:
        """Wait for a signal, such as the end of a child, for one that is ready, or until that time.

        Not by multiprocessing's sentinel pipe: processes that the child started hold that open after its end.
        """
        report = self.successor.report if self.successor else None
        ends = [self.wakeups[0], self.readiness[0], *([report] if report is not None else [])]
        select.select(ends, [], [], None if until is None else max(0.0, until - time.monotonic()))
        with suppress(BlockingIOError):
            os.read(self.wakeups[0], 512)
        with suppress(BlockingIOError):
            self.unready -= set(os.read(self.readiness[0], 4096).decode().splitlines())
        if not self.unready and self.announce:
            self.announce()
            self.announce = None

    def _handle_exit(self, child: Child) -> None:
        reason = child.delay_start()
        if self.announce:
            log.error("%s %s before all processes were ready", child.name, reason)
            self.failed = True
        else:
            log.error("%s %s; starting it again in %.1f s", child.name, reason, child.pause)

    def _reload(self) -> None:
        """Start a successor where that is requested; let it take over when it is ready, or forget it if it ended."""
        if self.reload_requested and self.make_successor:
            self.reload_requested = False
            if self.successor:
                self._retire(self.successor)
                self.successor = None
            log.info("starting new processes with the code that is there now")
            self._start_successor(self.make_successor())
        new = self.successor
        if new and new.is_ready():
            log.info("the new processes are ready: the former ones answer what they have accepted, and end")
            former, self.children, self.successor = self.children, [new], None
            for child in former:
                if not child.due:
                    self._retire(child)
        elif new and new.exitcode is not None:
            log.error("%s %s before it was ready: the former ones go on", new.name, exit_reason(new.exitcode))
            new.end()
            self.successor = None

    def _start_successor(self, successor: Successor) -> None:
        try:
            successor.start()
        except OSError as error:  # its directory or its program is not there
            successor.forget()
            log.error("%s cannot be started: %s: the former ones go on", successor.name, error)
        else:
            self.successor = successor

    def _retire(self, child: Child) -> None:
        child.signal(signal.SIGQUIT)
        self.retiring.append(child)

    def _collect_retired(self) -> None:
        over = [child for child in self.retiring if child.exitcode is not None or child.deadline < time.monotonic()]
        for child in over:
            self._end(child)
            self.retiring.remove(child)
        still_ours = any(isinstance(child, Fork) for child in self.children)  # over is a successor that was given up
        if over and not self.retiring and not still_ours:
            log.info("the former processes have ended")
            self.at_end()

    def _end(self, child: Child) -> None:
        if child.exitcode is None:
            log.error("%s does not stop: killing it", child.name)
        child.end()

    def _stop(self) -> None:
        children = [*self.children, *([self.successor] if self.successor else [])]
        for child in children:
            child.signal(self.stop_signal)
        children += self.retiring
        while running_children := [child for child in children if child.exitcode is None]:
            for child in running_children:
                if self.stop_signals > 1 or time.monotonic() > child.deadline:
                    self._end(child)
            self._wait(min(child.deadline for child in running_children))
        for child in children:
            child.end()
        self.at_end()
