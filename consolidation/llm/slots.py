"""Calls of the model at once, bounded over all processes and hosts: each holds one of so many leases."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from consolidation.llm.errors import Busy
from memories import leases

LONGEST_WAIT = 40.0  # seconds; then the job leaves the rest to another one
POLL_SECONDS = 0.25


@contextmanager
def hold(most: int) -> Iterator[None]:
    """Hold one of the slots 1 to `most` for the block. Busy: others have held all of them for LONGEST_WAIT."""
    until, pause = time.monotonic() + LONGEST_WAIT, threading.Event()
    while time.monotonic() < until:
        for number in range(1, most + 1):
            with leases.hold(f"model call {number}", wait=False) as fence:
                if fence:
                    yield
                    return
        pause.wait(POLL_SECONDS)
    raise Busy(f"all {most} calls of the language model that may be made at once are under way")
