"""Session advisory locks: held by a database session, hence gone with its process however that dies."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def held(name: str, *, wait: bool) -> Iterator[bool]:
    """Whether the lock of that name is ours for the block. `wait` False: another holder means no, at once."""
    verb = "pg_advisory_lock" if wait else "pg_try_advisory_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {verb}(hashtextextended(%s, 0))", [f"memos:{name}"])
        taken = wait or bool(cursor.fetchone()[0])
    try:
        yield taken
    finally:
        if taken:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [f"memos:{name}"])
