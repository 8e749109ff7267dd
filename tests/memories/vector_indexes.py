"""Indexes over vectors, for tests that build them: what is there, what is counted, and searches that must use one."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from memories.search import table_statistics


@contextmanager
def forgotten_afterwards() -> Iterator[None]:
    """Indexes and figures of a test are gone at its end."""
    table_statistics.cache.drop()
    yield
    with connection.cursor() as cursor:
        for name in indexes():
            cursor.execute(f'DROP INDEX "{name}"')
    table_statistics.cache.drop()


def indexes() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'vector\\_near\\_%'")
        return {name for (name,) in cursor.fetchall()}


@contextmanager
def only_by_index() -> Iterator[None]:
    """Of a few rows the planner would read all and sort them."""
    with connection.cursor() as cursor:
        cursor.execute("SET enable_sort = off")
        yield
        cursor.execute("RESET enable_sort")


def count_rows() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_passage, memories_vector")
    table_statistics.cache.drop()
