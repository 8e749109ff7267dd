"""A time budget for figures: what takes too long to count is estimated from a sample of its table."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import OperationalError, connection, transaction
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

FEW_SECONDS = 2  # that a query which reads a table may take
SAMPLED_PAGES = 2_000  # 16 MB: a few per cent off, and read in FEW_SECONDS
Rows = TypeVar("Rows", bound="QuerySet[Any]")
T = TypeVar("T")


@contextmanager
def few_seconds() -> Iterator[None]:
    """A transaction of which no statement takes longer than FEW_SECONDS: OperationalError."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{FEW_SECONDS}s"])
        yield


class Budget:
    """`each`: each figure has a few seconds of its own, after those for all together; `estimated`: whether any was not
    counted in whole."""

    def __init__(self) -> None:
        self.each = self.estimated = False

    def of_all(self, figures: Callable[[], T]) -> T:
        """All figures within one time limit; where that runs out, each within its own."""
        try:
            with few_seconds():
                return figures()
        except OperationalError:
            self.each = True
            return figures()

    def of_rows(self, rows: Rows, figure: Callable[[Rows, float], T]) -> T:
        """A figure of these rows, else of a sample; it is told how many times as many rows there are."""
        return self.of_either(lambda: figure(rows, 1.0), lambda: figure(*sampled(rows, SAMPLED_PAGES)))

    def of_either(self, full: Callable[[], T], sample: Callable[[], T]) -> T:
        """The `full` figure if it is ready in time, else that of a `sample`, which has no time limit."""
        if not self.each:
            return full()
        try:
            with few_seconds():
                return full()
        except OperationalError:
            self.estimated = True
        return sample()


def sampled(rows: Rows, pages: int) -> tuple[Rows, float]:
    """Those of these rows that lie in about so many pages of their table, and how many times as large it is."""
    table, key = rows.model._meta.db_table, rows.model._meta.pk
    assert key is not None
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size(%s) / current_setting('block_size')::int", [table])
        times = max(1.0, cursor.fetchone()[0] / pages)
    # an array is read once: joined, a table that was never analyzed has its pages read for each of its rows
    some = f"SELECT {key.column} FROM {table} TABLESAMPLE SYSTEM (%s)"  # noqa: S608 - our own table
    sample = RawSQL(f"{table}.{key.column} = ANY(ARRAY({some}))", [100 / times], BooleanField())  # noqa: S611
    return rows.filter(sample), times
