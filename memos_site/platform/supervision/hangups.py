"""Signals to a process that starts: SIGHUP is kept for its supervisor, which then takes new code; SIGINT ends it.

Imported before all that takes seconds, so it imports nothing of that kind.
"""

import os
import signal
import sys

_kept: list[int] = []
_interrupts: list[int] = []


def is_ignored() -> bool:
    """Whether this process ignores SIGHUP, as `nohup` and a supervisor tell it to."""
    return signal.getsignal(signal.SIGHUP) == signal.SIG_IGN


def has_terminal() -> bool:
    """Whether this process has a controlling terminal, which it has no more after a hangup."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def keep() -> None:
    """From now on SIGHUP does not end this process, unless it tells that its terminal is gone.

    SIGTERM does, also where the process is the first of a container: there it has no effect of its own.
    """
    if not is_ignored():
        had_terminal = has_terminal()
        signal.signal(signal.SIGHUP, lambda *_: _receive(terminal_lost=had_terminal and not has_terminal()))
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    if os.getpid() == 1:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def was_kept() -> bool:
    """Whether a SIGHUP came since `keep` or since the last call."""
    was_received = bool(_kept)
    _kept.clear()
    return was_received


def was_interrupted() -> bool:
    """Whether a SIGINT came since `keep`. Where this process goes on, its KeyboardInterrupt was lost: it was raised in
    a callback, as of a fork or of the collector, whose exceptions Python only prints."""
    return bool(_interrupts)


def _interrupt(number: int, _frame: object) -> None:
    _interrupts.append(number)
    raise KeyboardInterrupt


def _receive(*, terminal_lost: bool) -> None:
    if terminal_lost:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGHUP)
    _kept.append(signal.SIGHUP)
