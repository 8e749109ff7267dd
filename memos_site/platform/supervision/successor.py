"""New code for a running supervisor: its own command once more, in a new process that takes over when it is ready.

The successor loads the code that lies there now, and gets the listening socket; so connections are accepted all the
time. It has children of its own, and says through a pipe when all of them work. The supervisor that started it stays
its parent: the process id by which an init system knows the service remains.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memos_site.platform.postgres.launch import die_with_parent
from memos_site.platform.supervision.child import GRACE, Child

VARIABLE = "MEMOS_SUCCESSOR"  # numbers: the supervisor's pid, the pipe for READY, the listening socket or -1
READY = b"ready"


class Inheritance(NamedTuple):
    """What a successor has from the supervisor that started it."""

    parent: int
    report: int
    listener: int

    def announce(self) -> None:
        """Tell the supervisor that all children work; the former ones may end."""
        with suppress(OSError):  # it wants to know no more
            os.write(self.report, READY)
            os.close(self.report)

    def socket(self) -> socket.socket:
        return socket.socket(fileno=self.listener)


def inheritance() -> Inheritance | None:
    """The inheritance of this process if a supervisor started it as its successor, with which it then ends; else None.

    Call it once.
    """
    value = os.environ.pop(VARIABLE, "")
    if not value:
        return None
    handover = Inheritance(*map(int, value.split()))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # only the first supervisor loads new code
    die_with_parent(signal.SIGTERM)
    if os.getppid() != handover.parent:
        sys.exit("the supervisor is gone")
    for descriptor in (handover.report, handover.listener):
        if descriptor >= 0:
            os.set_inheritable(descriptor, False)
    return handover


class Invocation(NamedTuple):
    """How this process was started. Make it before anything changes the environment."""

    command: list[str]
    directory: str
    environment: Mapping[str, str]

    @classmethod
    def of_this_process(cls) -> "Invocation":
        return cls(list(sys.orig_argv), _start_directory(), dict(os.environ))


def _start_directory() -> str:
    """The current directory by the name that the shell had for it: a symbolic link may lead elsewhere meanwhile."""
    name = os.environ.get("PWD", "")
    with suppress(OSError):
        if Path(name).is_absolute() and Path(name).samefile(Path.cwd()):
            return name
    return str(Path.cwd())


class Successor(Child):
    """The invocation as a child, with the listening socket if there is one."""

    process: subprocess.Popen[bytes]
    grace = GRACE + 5.0  # it has children to wait for

    def __init__(self, invocation: Invocation, listener: socket.socket | None) -> None:
        super().__init__("the new process")
        self.invocation, self.listener = invocation, listener
        self.report: int | None = None

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def exitcode(self) -> int | None:
        return self.process.poll()

    def start(self) -> None:
        self.forget()
        self.started = time.monotonic()
        self.report, report = os.pipe()
        os.set_blocking(self.report, False)
        listener = self.listener.fileno() if self.listener else -1
        environment = {VARIABLE: f"{os.getpid()} {report} {listener}"}
        try:
            self.process = subprocess.Popen(  # noqa: S603 - our own program, no shell
                self.invocation.command,
                cwd=self.invocation.directory,
                env={**self.invocation.environment, **environment},
                pass_fds=[descriptor for descriptor in (report, listener) if descriptor >= 0],
                process_group=0,
            )
        finally:
            os.close(report)

    def is_ready(self) -> bool:
        """Whether it has said so by now."""
        if self.report is None:
            return False
        try:
            answer = os.read(self.report, len(READY))
        except BlockingIOError:
            return False
        self.forget()  # it said what it had to say, or has closed the pipe
        return answer == READY

    def forget(self) -> None:
        """Do not listen to it any more."""
        if self.report is not None:
            os.close(self.report)
            self.report = None

    def end(self) -> None:
        self.forget()
        super().end()

    def join(self) -> None:
        self.process.wait()
