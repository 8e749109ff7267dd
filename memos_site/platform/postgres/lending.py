"""The database connections of a web process, each lent to one request at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections
from django.db.utils import DEFAULT_DB_ALIAS

_lock = threading.Lock()
_idle: list[Any] = []  # connections of this process that no request has; the one given back last is the last


@contextmanager
def lent_connection() -> Iterator[None]:
    """Within the block this thread has the connection that was given back last; a new one where none is idle.

    If each thread had its own, the requests of one client would go around all of them, and each connection plans its
    statements, reads the catalogue and maps the buffers for itself.
    """
    connections[DEFAULT_DB_ALIAS] = loan = _take()
    try:
        yield
    finally:
        del connections[DEFAULT_DB_ALIAS]
        with _lock:
            _idle.append(loan)


def close_expired(now: float) -> None:
    """Close idle connections that are older than CONN_MAX_AGE: no request would use them again. `now` is monotonic."""
    with _lock:
        expired_loans = [loan for loan in _idle if loan.close_at is not None and loan.close_at <= now]
        _idle[:] = [loan for loan in _idle if loan not in expired_loans]
    for loan in expired_loans:
        loan.close()


def _take() -> Any:
    with _lock:
        if _idle:
            return _idle.pop()
    new_connection = connections.create_connection(DEFAULT_DB_ALIAS)
    new_connection.inc_thread_sharing()  # threads have it in turn
    return new_connection
