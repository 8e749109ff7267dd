"""Counts over the first rows of lists: what they cost does not grow with the table."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from memories.models.built import Statement, statement_of
from memories.models.memory import MemoryQuerySet

ARRAYS = ("tags",)  # of which each element is counted
Samples = Mapping[str, tuple[QuerySet[Any], Sequence[str]]]


def count_values(samples: Samples, most: int) -> dict[str, Counter[str]]:
    """Count the values of columns among the first `most` rows of each list: column -> value -> rows. One statement."""
    statement = value_counts(samples, most)
    if statement is None:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(*statement)
        return read_counts(cursor.fetchall())


def value_counts(samples: Samples, most: int) -> Statement | None:
    """The statement of `count_values`, whose rows `read_counts` reads; None where there can be none.

    `samples`: lists in their order, each with the columns that are counted in it. A sample's number of rows is counted
    under its own name. Rows without a value are left out.
    """
    tables: list[str] = []
    selects: list[tuple[str, str]] = []
    values: list[Any] = []
    for name, (rows, columns) in samples.items():
        if (part := statement_of(rows.values(*(columns or ["pk"]))[:most])) is None:
            continue
        sql, parameters = part
        tables.append(f"{_quote(name)} AS MATERIALIZED ({sql})")
        values += parameters
        selects.append((f"SELECT %s, '', count(*) FROM {_quote(name)}", name))  # noqa: S608 - names of ours
        selects += [(_group_select(column, name), column) for column in columns]
    statement = f"WITH {', '.join(tables)} {' UNION ALL '.join(select for select, _column in selects)}"
    return (statement, [*values, *(column for _select, column in selects)]) if tables else None


def frequent_values(
    lists: Iterable[QuerySet[Any]], columns: Sequence[str], *, row_limit: int, most: int
) -> Statement | None:
    """The statement that counts the `most` most frequent values of each column, among the first `row_limit` rows of
    each list together; its rows are for `read_counts`. None where there can be none.
    """
    parts = [part for rows in lists if (part := statement_of(rows.values(*columns)[:row_limit]))]
    frequent = [
        f"(SELECT %s, {_quote(name)}::text, count(*) FROM found WHERE {_quote(name)} IS NOT NULL"  # noqa: S608 - ours
        f" GROUP BY {_quote(name)} ORDER BY count(*) DESC, {_quote(name)} LIMIT {most})"
        for name in columns
    ]
    first_rows = " UNION ALL ".join(f"({sql})" for sql, _parameters in parts)
    statement = f"WITH found AS MATERIALIZED ({first_rows}) {' UNION ALL '.join(frequent)}"
    return (statement, [*chain.from_iterable(parameters for _sql, parameters in parts), *columns]) if parts else None


def first_of_each(parts: Mapping[str, MemoryQuerySet], *, shown: int, most: int) -> dict[str, tuple[list[UUID], int]]:
    """The ids of the first rows of each list, and its number of rows up to `most` + 1. One statement."""
    selects, values = [], []
    for name, rows in parts.items():
        if part := statement_of(rows.values("pk")[: most + 1]):
            selects.append(f"SELECT %s, (array_agg(pk))[1:%s], count(*) FROM ({part[0]}) AS part (pk)")  # noqa: S608
            values += [name, shown, *part[1]]
    if not selects:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(selects), values)
        return {name: (ids, n) for name, ids, n in cursor.fetchall() if n}


def _group_select(column: str, sample: str) -> str:
    value = f"unnest({column})" if column in ARRAYS else f"{column}::text"
    return f"SELECT %s, value, count(*) FROM (SELECT {value} AS value FROM {_quote(sample)}) AS v GROUP BY value"  # noqa: S608 - names of ours


def read_counts(rows: Iterable[tuple[Any, ...]]) -> dict[str, Counter[str]]:
    """Column -> value -> rows, of what the statement of `value_counts` answers."""
    counts: dict[str, Counter[str]] = {}
    for column, value, n in rows:
        if value is not None:
            counts.setdefault(column, Counter())[value] += n
    return counts


def _quote(name: str) -> str:
    return connection.ops.quote_name(name)
