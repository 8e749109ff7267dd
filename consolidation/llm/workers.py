"""Questions to the model at once: threads for whoever waits for several answers, and the bound over all processes and
hosts, of which each call holds one of so many leases."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from types import TracebackType
from typing import Self, TypeVar

from django.db import connection

from consolidation.llm.errors import Busy
from memories import leases

LONGEST_WAIT = 40.0  # seconds for a free slot; then the job leaves the rest to another one
POLL_SECONDS = 0.25
T = TypeVar("T")
Job = Callable[[], T]


class Workers:
    """So many threads beside the caller's own, which works, too; without one everything is done there, in order.

    A job may have jobs of its own done: what no thread has begun is done by the one that waits for it, so none waits
    for a thread in vain. Each thread has a connection of its own to the database, closed after each job, and works
    under the leases of the thread that it works for. Not inside a transaction, which threads cannot share.
    """

    def __init__(self, threads: int = 0) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="model") if threads else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pool:
            self._pool.shutdown()

    def together(self, jobs: Sequence[Job[T]]) -> list[T]:
        """The results in the order of the jobs. Raises what one of them raised, after all that began have ended."""
        if self._pool is None or len(jobs) < 2:
            return [job() for job in jobs]
        results: dict[int, T] = {}
        futures = [self._pool.submit(copy_context().run, _elsewhere(job)) for job in jobs]
        try:
            for number in reversed(range(len(jobs))):  # the threads begin at the other end
                if futures[number].cancel():
                    results[number] = jobs[number]()
            return [results[n] if n in results else future.result() for n, future in enumerate(futures)]
        finally:
            wait([future for future in futures if not future.cancel()])


def _elsewhere(job: Job[T]) -> Job[T]:
    """The job for another thread."""
    carried = leases.carried(job)

    def work() -> T:
        try:
            return carried()
        finally:
            connection.close()

    return work


ALONE = Workers()


@contextmanager
def slot(most: int) -> Iterator[None]:
    """Hold one of the slots 1 to `most` for the block. Busy: others have held all of them for LONGEST_WAIT."""
    until, pause = time.monotonic() + LONGEST_WAIT, threading.Event()
    while time.monotonic() < until:
        for number in range(1, most + 1):
            with leases.hold(f"model call {number}", wait=False) as fence:
                if fence:
                    yield
                    return
        pause.wait(POLL_SECONDS)
    raise Busy(f"all {most} allowed simultaneous calls of the language model are in use")
