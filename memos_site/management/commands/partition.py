import time
from argparse import ArgumentParser
from dataclasses import dataclass
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction
from django.template.defaultfilters import filesizeformat

TABLES = ("memories_passage", "memories_vector", "memories_event")
PARTITIONS = 16
BATCH = 10_000  # rows that one transaction would move
SAMPLE = 2_000  # rows that are copied, and rolled back, to learn how fast that is here
NOT_DONE = "nothing is partitioned yet, and docs/scale.md says why; --dry-run tells what it would take"
FACTS = """
SELECT greatest(reltuples, 0)::bigint, pg_table_size(oid), pg_indexes_size(oid),
    (SELECT most_common_freqs[1] FROM pg_stats WHERE tablename = relname AND attname = 'scope'
     AND schemaname = current_schema())
FROM pg_class WHERE oid = %s::regclass
"""
# Of a partitioned table every unique key, and every key that leads to it, must contain what it is partitioned by.
KEYS = """
SELECT conrelid::regclass::text, conname FROM pg_constraint
WHERE CASE WHEN contype = 'f' THEN confrelid ELSE conrelid END = %s::regclass AND contype IN ('p', 'u', 'f')
AND NOT EXISTS (
    SELECT FROM pg_attribute WHERE attname = 'scope' AND attrelid = conrelid AND attnum = ANY(conkey)
) ORDER BY 1, 2
"""


@dataclass(frozen=True)
class Plan:
    """What the partition of one table by hash of scope would take. `largest`: the share of its largest scope."""

    table: str
    rows: int
    size: int
    indexes: int
    largest: float
    rows_per_second: float
    keys: tuple[str, ...]

    @property
    def batches(self) -> int:
        return -(-self.rows // BATCH)

    @property
    def largest_partition(self) -> float:
        """The least share of rows that one partition would hold: all of a scope lie in one."""
        return max(self.largest, 1 / PARTITIONS)


class Command(BaseCommand):
    help = (
        "Tells what it would take to partition passages, vectors and events by hash of scope, in batches. "
        "Example: manage.py partition --dry-run"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="tell it; nothing is changed")

    def handle(self, *args: Any, dry_run: bool, **options: Any) -> None:
        if not dry_run:
            raise CommandError(NOT_DONE)
        for table in TABLES:
            self._tell(plan(table))

    def _tell(self, plan: Plan) -> None:
        size = f"{filesizeformat(plan.size)} and {filesizeformat(plan.indexes)} of indexes"
        minutes = plan.rows / plan.rows_per_second / 60 if plan.rows_per_second else 0
        self.stdout.write(f"{plan.table}: about {plan.rows} rows, {size}")
        self.stdout.write(
            f"  {PARTITIONS} partitions, the largest with {plan.largest_partition:.0%} of the rows or more;"
            f" {plan.batches} batches of {BATCH} rows"
        )
        if plan.rows_per_second:
            self.stdout.write(f"  about {minutes:.0f} minutes, at {plan.rows_per_second:.0f} rows a second")
        for key in plan.keys:
            self.stdout.write(f"  needs the scope first: {key}")


def plan(table: str) -> Plan:
    """What a table would take, with its speed measured by copying some of its rows, which are rolled back."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(FACTS, [table])
        rows, size, indexes, largest = cursor.fetchone()
        cursor.execute(KEYS, [table])
        keys = tuple(f"{name} of {owner}" for owner, name in cursor.fetchall())
        speed = _speed(cursor, table)
        transaction.set_rollback(True)
    return Plan(table, rows, size, indexes, largest or 0.0, speed, keys)


def _speed(cursor: Any, table: str) -> float:
    """Rows a second into a table with the same columns and indexes; 0 where there is none to copy."""
    cursor.execute(f"CREATE TEMP TABLE sample (LIKE {table} INCLUDING ALL) ON COMMIT DROP")
    cursor.execute(
        "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute"
        " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''",
        [table],
    )
    [columns] = cursor.fetchone()
    began = time.perf_counter()
    statement = f"INSERT INTO sample ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM {table} LIMIT {SAMPLE}"  # noqa: S608 - our own names
    cursor.execute(statement)
    return float(cursor.rowcount / (time.perf_counter() - began))
