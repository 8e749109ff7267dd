"""Commands without the two seconds of imports that each costs: one process imports everything and forks for each.

A fork is a process of its own, with its own connection to the database, and can be killed for real.
"""

import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.journeys.installation import ROOT, Installation
from tests.memos_site.processes import PATIENCE, until

COMMAND = [sys.executable, "-m", "tests.journeys.forking"]


@dataclass
class Fork:
    """One command in a fork; what it says is in files."""

    said: Path
    parent: subprocess.Popen[str]
    returncode: int = field(default=0, init=False)

    def communicate(self, input: None = None, timeout: float | None = None) -> tuple[str, str]:
        ended = self.said.with_suffix(".ended")
        until(lambda: ended.exists() or self.parent.poll(), seconds=timeout or PATIENCE, what=f"the end of {self.said}")
        self.returncode = int(ended.read_text())
        return self.said.with_suffix(".out").read_text(), self.said.with_suffix(".err").read_text()


@dataclass(frozen=True)
class Forking(Installation):
    """An installation whose commands are forks; `start` is still the real command line."""

    folder: Path
    parent: subprocess.Popen[str]
    numbers: Iterator[int]

    def begin(self, *arguments: str) -> Fork:
        assert self.parent.stdin
        said = self.folder / f"{next(self.numbers)}"
        self.parent.stdin.write(json.dumps([str(said), *arguments]) + "\n")
        self.parent.stdin.flush()
        return Fork(said, self.parent)


@contextmanager
def forking(folder: Path, settings: Mapping[str, str]) -> Iterator[Forking]:
    """The installation in `data` of this folder. Its database stays up until the end."""
    whole = Installation(folder / "data", settings=settings)
    parent = subprocess.Popen(COMMAND, env=whole.environment, cwd=ROOT, text=True, stdin=subprocess.PIPE)
    yield Forking(whole.data, folder, parent, count(), settings=settings)
    parent.communicate()
    assert parent.returncode == 0


def main() -> None:
    import django

    django.setup()
    from django.db import connection
    from django.urls import get_resolver

    from memories.embedding import built_in

    assert get_resolver().url_patterns
    built_in().embed(["read the table"])
    connection.ensure_connection()  # the part that this process takes in the server is its forks' part too
    connection.close()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        if os.fork() == 0:
            _watch(*json.loads(line))


def _watch(said: str, *arguments: str) -> None:
    """Runs the command in a fork, and says how that one ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if child == 0:
        os._exit(_run(said, *arguments))
    ended, new = Path(f"{said}.ended"), Path(f"{said}.new")
    new.write_text(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
    new.rename(ended)
    os._exit(0)


def _run(said: str, *arguments: str) -> int:
    from django.core.management import execute_from_command_line

    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{said}.{name}", os.O_WRONLY | os.O_CREAT), number)
    try:
        execute_from_command_line(["manage.py", *arguments])
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    main()
