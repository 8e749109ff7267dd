"""Statements that are built once and asked many times, with other values in the place of some of their parameters.

To build a statement of many conditions and columns takes Django longer than the database takes to answer it. A queryset
that is built holds INSTANT in the place of the instant, and IDS in that of the ids of a lookup `any`.
"""

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection, connections
from django.db.models import Field, ForeignObject, Lookup, Model, QuerySet

from memories.models import bulk_rows

M = TypeVar("M", bound=Model)
Statement = tuple[str, Sequence[Any]]  # with its parameters
INSTANT = datetime.min.replace(tzinfo=UTC)
IDS = [UUID(int=0)]


def statement_of(rows: "QuerySet[Any, Any]") -> Statement | None:
    """The statement of a queryset; None where it has no rows whatever the tables hold."""
    try:
        return rows.query.sql_with_params()
    except EmptyResultSet:
        return None


def ask(statement: Statement | None, at: datetime) -> list[tuple[Any, ...]]:
    """The rows of a statement at an instant."""
    if statement is None:
        return []
    with connection.cursor() as cursor:
        cursor.execute(statement[0], _with_values(statement[1], at, ()))
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


class BuiltRows(Generic[M]):
    """The rows of a queryset of models, with what it annotates and joins; what it prefetches is not read.

    `prepared`: the server plans it once for a connection, whatever its values; for rows that are found by their ids.
    """

    def __init__(self, rows: QuerySet[M], *, prepared: bool = False) -> None:
        self._rows, self._prepared = rows, prepared
        self._compiler = rows.query.get_compiler(using=rows.db)
        try:
            self._statement: Statement | None = self._compiler.as_sql()
        except EmptyResultSet:
            self._statement = None

    def read(self, *, at: datetime = INSTANT, ids: Collection[UUID] = ()) -> list[M]:
        """The rows at an instant, and of these ids."""
        if self._statement is None:
            return []
        sql, parameters = self._statement
        compiler = copy(self._compiler)  # whose columns it shares; each thread has a connection of its own
        compiler.connection = connections[self._rows.db]
        with bulk_rows.prepared() if self._prepared else connection.cursor() as cursor:
            cursor.execute(sql, _with_values(parameters, at, ids))
            values = cursor.fetchall()
        compiler.execute_sql = lambda *_, **__: [values]
        rows = self._rows.all()
        rows.query.get_compiler = lambda using: compiler  # type: ignore[method-assign, misc, assignment]
        return list(rows)


def _with_values(parameters: Sequence[Any], at: datetime, ids: Collection[UUID]) -> list[Any]:
    replacements = {INSTANT: at, literal(map(str, IDS)): literal(map(str, ids))}
    return [replacements.get(value, value) if isinstance(value, (datetime, str)) else value for value in parameters]


@ForeignObject.register_lookup
@Field.register_lookup
class AnyOf(Lookup):
    """Equal to one of a collection of ids, numbers or texts; of none, when it is empty."""

    lookup_name = "any"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        left, params = self.process_lhs(compiler, connection)
        kind = str(self.lhs.output_field.db_type(connection)).partition("(")[0]
        values = literal(value if isinstance(value, int) else str(value) for value in self.rhs)
        return f"{left} = ANY(%s::{kind}[])", (*params, values)


def literal(items: Iterable[str | int]) -> str:
    """An array as PostgreSQL writes it."""
    return "{" + ",".join(map(_item, items)) + "}"


def _item(item: str | int) -> str:
    if isinstance(item, int):
        return str(item)
    text = item.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
