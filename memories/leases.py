"""One worker at a time: a block of work that holds a lease, on any number of hosts and through a connection pooler.

A thread renews the lease while the block runs. A process that was frozen or cut off for longer may have been replaced:
inside the block, every transaction that writes or locks rows first confirms the lease, and holds it until it ends. So
what the replaced process has not committed is rolled back, and nothing is done twice.
"""

import logging
import platform
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from django.db import connection, transaction

from memories.models.coordination import Lease
from memos_site.platform import process_identity
from memos_site.platform.outages import UNAVAILABLE

SECONDS = 30.0  # until another host may take over from a process that does not answer
IDLE_SECONDS = 120.0  # of silence within a transaction, then the database ends it; a computation may take a minute
POLL_SECONDS = 0.2
BEAT_SECONDS = 10.0  # from one sign of life of a worker to the next
WORKER = "worker "  # the leases that workers hold as long as they live begin with it
READING = ("SELECT", "SAVEPOINT", "RELEASE", "ROLLBACK", "SET", "RESET", "SHOW", "DROP INDEX", "CREATE INDEX")
LOCKING = re.compile(r"\bFOR (NO KEY )?UPDATE\b|\bpg_advisory_xact_lock", re.IGNORECASE)
log = logging.getLogger(__name__)
T = TypeVar("T")


class LeaseLost(BaseException):
    """Another worker has taken over, so this one must stop. Not an Exception: no single item is at fault, and it must
    not be recorded for one."""


class _ThreadLeases(threading.local):
    """The leases of this thread: fence -> name."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}


_held = _ThreadLeases()


@contextmanager
def hold(name: str, *, wait: bool) -> Iterator[int]:
    """Hold the lease of that name for the block; yields its fence, or 0 if another worker has it (never with `wait`).

    LeaseLost is raised at the first write or lock after another worker has taken over.
    """
    fence = _acquire(name, wait=wait)
    if not fence:
        yield 0
        return
    outermost = not _held.names
    _held.names[fence] = name
    try:
        with _renewed(fence):
            if outermost:
                with connection.execute_wrapper(_confirm_before_writing):
                    yield fence
            else:
                yield fence
    finally:
        del _held.names[fence]
        _release(fence)


def carried(work: Callable[[], T]) -> Callable[[], T]:
    """The work for another thread, as long as this one holds its leases: what it writes confirms them, too."""
    names = dict(_held.names)

    def under_them() -> T:
        if not names:
            return work()
        before, _held.names = _held.names, dict(names)
        try:
            with connection.execute_wrapper(_confirm_before_writing):
                return work()
        finally:
            _held.names = before

    return under_them


def _acquire(name: str, *, wait: bool) -> int:
    pause = threading.Event()
    while not (fence := Lease.objects.acquire(name, owner=process_identity.identity(), seconds=SECONDS)) and wait:
        pause.wait(POLL_SECONDS)
    return fence


def _release(fence: int) -> None:
    """An unreachable database does not matter: nobody renews the lease any more. Nor does a lost lease around it."""
    with suppress(*UNAVAILABLE, LeaseLost):
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        Lease.objects.filter(fence=fence).delete()


class _Confirmed:
    """Left with a transaction that has confirmed these leases; gone when it or its savepoint is rolled back."""

    def __init__(self, fences: frozenset[int]) -> None:
        self.fences = fences

    def __call__(self) -> None:
        """Nothing is left to do at the commit."""


def _confirm_before_writing(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    """Wraps every statement of this thread while it holds a lease."""
    if not _held.names or (sql.lstrip().upper().startswith(READING) and not LOCKING.search(sql)):
        return execute(sql, params, many, context)
    if connection.in_atomic_block:
        _confirm(frozenset(_held.names))
        return execute(sql, params, many, context)
    with transaction.atomic():
        _confirm(frozenset(_held.names))
        return execute(sql, params, many, context)


def _confirm(fences: frozenset[int]) -> None:
    """Confirm these leases, once in a transaction. LeaseLost: another worker has taken one over."""
    marks = (entry[1] for entry in connection.run_on_commit)
    if any(isinstance(mark, _Confirmed) and mark.fences >= fences for mark in marks):
        return
    lost = fences - Lease.objects.confirm(fences, idle_seconds=IDLE_SECONDS)
    if lost:
        names = ", ".join(sorted(_held.names[fence] for fence in lost))
        log.error("the lease of %s is lost", names)
        raise LeaseLost("its worker was frozen or disconnected for so long that another one took over")
    transaction.on_commit(_Confirmed(fences))


@contextmanager
def _renewed(fence: int) -> Iterator[None]:
    """Renew the lease from a thread, with a connection that is only open for the moment."""
    ended = threading.Event()
    thread = threading.Thread(target=_renew, args=(fence, ended), name=f"lease {fence}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _renew(fence: int, ended: threading.Event) -> None:
    while not ended.wait(SECONDS / 3):
        try:
            Lease.objects.filter(fence=fence).renew([fence], seconds=SECONDS)
        except UNAVAILABLE as error:
            log.warning("lease %s could not be renewed: %s", fence, error)
        finally:
            connection.close()


class Heartbeat:
    """Tells that this process takes jobs, by a lease that nobody else wants; call it often, it writes rarely."""

    def __init__(self) -> None:
        self._fence, self._due = 0, 0.0

    def __call__(self) -> None:
        """One of UNAVAILABLE: the database does not answer, or takes no writes; the next call tries again."""
        if time.monotonic() < self._due:
            return
        if not (self._fence and Lease.objects.filter(fence=self._fence).renew([self._fence], seconds=SECONDS)):
            identity = process_identity.identity()
            name = f"{WORKER}{platform.node()[:100]} {identity}"
            self._fence = Lease.objects.acquire(name, owner=identity, seconds=SECONDS)
            Lease.objects.expired().filter(name__startswith=WORKER).delete()
        self._due = time.monotonic() + BEAT_SECONDS


def a_worker_lives() -> bool:
    """Whether any worker, on any host, has lately shown that it takes jobs."""
    return any(name.startswith(WORKER) for name in Lease.objects.running())


def other_hosts() -> set[str]:
    """The names of other hosts whose workers have lately shown that they take jobs.

    A host is another one when both its name and its boot differ: containers of one host share its boot, and a host
    that was started again keeps its name.
    """
    hosts = (name.removeprefix(WORKER).split(" ") for name in Lease.objects.running() if name.startswith(WORKER))
    boot, node = process_identity.boot(), platform.node()[:100]
    return {parts[0] for parts in hosts if len(parts) == 2 and parts[0] != node and not parts[1].startswith(boot)}
