"""PostgreSQL advisory locks of a database session: released when its process ends, however that happens."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def hold(name: str, *, wait: bool) -> Iterator[bool]:
    """Hold the lock of that name for the block; yields whether it was acquired, which `wait` guarantees."""
    verb = "pg_advisory_lock" if wait else "pg_try_advisory_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {verb}(hashtextextended(%s, 0))", [f"memos:{name}"])
        acquired = wait or bool(cursor.fetchone()[0])
    try:
        yield acquired
    finally:
        if acquired:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [f"memos:{name}"])
