"""Several callers at the same instant, each with a database connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connection

from tests.memos_site.processes import PATIENCE

T = TypeVar("T")


def at_once(*calls: Callable[[], T]) -> list[T]:
    """What each returned, in the order of the calls; an exception of one of them is raised here."""
    ready = Barrier(len(calls))

    def one(call: Callable[[], T]) -> T:
        try:
            connection.ensure_connection()
            ready.wait(PATIENCE)
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))
