"""The plan of a query as it would be on large tables: where an index serves, rows are neither all read nor sorted."""

from copy import copy
from typing import Any
from uuid import uuid4

from django.db import connection
from django.db.models import Model, QuerySet


def plan_of(rows: "QuerySet[Any]") -> str:
    sql, values = rows.query.sql_with_params()
    return plan_of_sql(sql, values)


def plan_of_sql(sql: str, values: Any = ()) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute(f"EXPLAIN {sql}", values)
        plan = "\n".join(line for (line,) in cursor.fetchall())
        cursor.execute("SET LOCAL enable_seqscan = on")
        cursor.execute("SET LOCAL enable_sort = on")
    return plan


def reads_all(plan: str, *tables: str) -> list[str]:
    """Those of the tables of which every row would be read."""
    return [table for table in tables or ("memories_memory", "memories_passage") if f"Seq Scan on {table}" in plan]


def copies(row: Model, number: int) -> None:
    made = [copy(row) for _ in range(number)]
    for one in made:
        one.pk = uuid4()
    type(row)._base_manager.bulk_create(made)


def count_rows(*models: type[Model]) -> None:
    """Take statistics: of few rows the plan changes with what earlier tests left.

    `ANALYZE` writes the number of rows outside of the transaction, so it outlives the rows of a test.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(model._meta.db_table for model in models)}")
