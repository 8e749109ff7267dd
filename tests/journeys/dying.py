"""A process that kills or freezes itself at a moment of its work."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.journeys.installation import Begun, Installation
from tests.memos_site.processes import until

KILL = """
import os, signal
from importlib import import_module
from django.core.management import call_command
*path, last = {name!r}.split(".")
place = import_module({module!r})
for part in path:
    place = getattr(place, part)
real, calls = getattr(place, last), [0]
def deadly(*args, **kwargs):
    if calls[0] == {calls}:
        {done} and real(*args, **kwargs)
        {end}
    calls[0] += 1
    return real(*args, **kwargs)
setattr(place, last, deadly)
"""


class Moment(NamedTuple):
    """The call of `module.name` after `calls` others; `done`: when it has been done, else when it begins."""

    module: str
    name: str
    calls: int
    done: bool = False


SHORT_LEASES = """
from memories import leases
leases.SECONDS, leases.IDLE_SECONDS = 1.0, 3.0
"""
DIE = "os.kill(os.getpid(), signal.SIGKILL)"
# in a group of its own: when the shell of the tests ends, the kernel wakes what is stopped in its group
FREEZE = "open({path!r}, 'w').write(str(os.getpid())); os.setpgid(0, 0); os.kill(os.getpid(), signal.SIGSTOP)"


@contextmanager
def frozen(home: Installation, moment: Moment, work: str, folder: Path) -> Iterator[Begun]:
    """`work` in a process that is frozen at the moment, and goes on at the end of the block."""
    path = folder / "frozen"
    code = KILL.format(**moment._asdict(), end=FREEZE.format(path=str(path)))
    process = home.begin("shell", "-v0", "-c", SHORT_LEASES + code + work)
    until(lambda: is_stopped(path), what="the frozen process")
    try:
        yield process
    finally:
        os.kill(int(path.read_text()), signal.SIGCONT)


def is_stopped(path: Path) -> bool:
    pid = path.read_text() if path.exists() else ""
    return bool(pid) and Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def die(home: Installation, moment: Moment, work: str) -> None:
    """Runs `work` in a process that is killed at the moment."""
    killed = home.begin("shell", "-v0", "-c", KILL.format(**moment._asdict(), end=DIE) + work)
    said = killed.communicate()
    assert killed.returncode == -signal.SIGKILL, said
    assert said[0] == ""
