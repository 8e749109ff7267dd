"""Whether the store of packages answers, as readiness tells it: never slow, however slow the store is.

A directory is asked at once. A store behind the network is asked by a thread of its own, which keeps its connection,
and the answer is good for FRESH_SECONDS.
"""

import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from django.core.files.storage import FileSystemStorage, storages

from memos_site.platform.outages import StoreUnavailable
from skills import orphans

FRESH_SECONDS = 10.0
WAIT_SECONDS = 1.0  # for an answer of a store behind the network; then it counts as failed until it answers


def check(sample: Sequence[str] = ()) -> None:
    """OSError, StoreUnavailable: packages can neither be read nor stored now. Incomplete: the store lacks one of the
    sample.
    """
    storage = storages["skills"]
    if isinstance(storage, FileSystemStorage):
        Path(storage.location).mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=storage.location) as file:  # a full disk, a read-only one
            file.write(bytes(4096))
        orphans.demand(sample)
    else:
        remote.check(sample)


class RemoteStore:
    """What this process knows of a store behind the network."""

    def __init__(self) -> None:
        self._lock, self._wanted, self._answered = threading.Lock(), threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._waits = False  # for an answer to the latest question, which is not asked a second time
        self._problem: Exception | None = None
        self._at = -FRESH_SECONDS  # of the latest answer
        self._sample: Sequence[str] = ()

    def check(self, sample: Sequence[str] = ()) -> None:
        with self._lock:
            self._sample = sample
            if not self._waits and time.monotonic() - self._at >= FRESH_SECONDS:
                self._ask()
            problem = self._problem
        if problem:
            raise problem

    def _ask(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._answer, name="package store", daemon=True)
            self._thread.start()
        self._waits = True
        self._answered.clear()
        self._wanted.set()
        if not self._answered.wait(WAIT_SECONDS):
            self._problem = StoreUnavailable("the package store does not answer in time")

    def _answer(self) -> None:
        while self._wanted.wait():
            self._wanted.clear()
            problem: Exception | None = None
            try:
                orphans.demand(self._sample or ["health"], strict=bool(self._sample))
            except Exception as error:  # whatever a store raises, readiness says the same
                problem = error
            self._at, self._problem, self._waits = time.monotonic(), problem, False
            self._answered.set()


remote = RemoteStore()
