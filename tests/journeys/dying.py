"""A process that kills itself at a moment of its work."""

import signal
from typing import NamedTuple

from tests.journeys.installation import Installation

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
        os.kill(os.getpid(), signal.SIGKILL)
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


def die(home: Installation, moment: Moment, work: str) -> None:
    """Runs `work` in a process that is killed at the moment."""
    killed = home.begin("shell", "-v0", "-c", KILL.format(**moment._asdict()) + work)
    said = killed.communicate()
    assert killed.returncode == -signal.SIGKILL, said
    assert said[0] == ""
