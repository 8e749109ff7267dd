"""Jobs that leave a trace: who did them, and how often they were finished."""

import os
import signal
import time
from pathlib import Path


def note(path: str, word: str) -> None:
    """Adds a line: the word, the worker, the worker's parent."""
    with Path(path).open("a") as file:
        file.write(f"{word} {os.getpid()} {os.getppid()}\n")


def hold(path: str, word: str) -> None:
    """Says that it has begun, and ends when the file `go` lies beside."""
    note(path, f"{word}-begun")
    while not Path(path).with_name("go").exists():
        time.sleep(0.02)
    note(path, word)


def die(path: str, word: str) -> None:
    """Kills the worker that does it."""
    note(path, word)
    os.kill(os.getpid(), signal.SIGKILL)
