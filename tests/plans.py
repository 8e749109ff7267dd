"""The plan of a query as it would be on large tables: where an index serves, rows are neither all read nor sorted."""

from typing import Any

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


def copies(row: Model, number: int, **expressions: str) -> None:
    """So many more rows like it, with ids of their own, and columns that SQL says of the number `i` of a row."""
    meta: Any = type(row)._meta
    columns = [field.column for field in meta.local_concrete_fields if not field.generated]
    values = {column: column for column in columns} | {meta.pk.column: "gen_random_uuid()"} | expressions
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {meta.db_table} ({', '.join(columns)}) SELECT {', '.join(values[name] for name in columns)} "
            f"FROM {meta.db_table}, generate_series(1, %s) AS i WHERE {meta.pk.column} = %s",
            [number, row.pk],
        )


def new_tables(*models: type[Model]) -> None:
    """Their tables, those that refer to them and all indexes get files without a page until the test is rolled back.

    What earlier tests left there, dead as it is, would have a share in the costs, and so in the choice of an index; so
    would statistics that were taken of it. The lock keeps autovacuum and its `ANALYZE` away. To be called before the
    test writes a row.
    """
    names = [model._meta.db_table for model in models]
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(names)} CASCADE")
        cursor.execute("DELETE FROM pg_statistic WHERE starelid = ANY(%s::text[]::regclass[])", [names])


def count_rows(*models: type[Model]) -> None:
    """Take statistics. Of tables that are not new, `ANALYZE` writes a number of rows that outlives the transaction."""
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(model._meta.db_table for model in models)}")
