"""Bulk insert and read of rows by one SQL statement, without the cost of the ORM's compiler.

Each group of rows travels as one JSON text, so that the statement is the same however many rows there are.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from django.contrib.postgres.search import SearchVectorField
from django.db import connection
from django.db.models import AutoField, BinaryField, Field, GeneratedField, Model
from django.db.models.base import ModelState
from django.db.models.expressions import DatabaseDefault
from pydantic_core import to_json

M = TypeVar("M", bound=Model)


class Shape(NamedTuple):
    """What the statement must know of a group. `db_columns`: those that the database fills in."""

    model: type[Model]
    db_columns: frozenset[str]


class Part(NamedTuple):
    """More of an insert with its parameters: named parts of its WITH clause, which may read `rows0`, or a condition."""

    sql: str
    parameters: Sequence[Any]

    def beside(self, other: "Part | None") -> "Part":
        """Both, one after the other, as named parts of one WITH clause."""
        return Part(f"{self.sql}, {other.sql}", [*self.parameters, *other.parameters]) if other else self


class Defaults(NamedTuple):
    """The values of a new row: `constants`, the same in every row, and `factories` of the others."""

    constants: Mapping[str, Any]
    factories: Mapping[str, Callable[[], Any]]


def new(model: type[M], values: Mapping[str, Any]) -> M:
    """A new row with these values (of columns) and the defaults of the others.

    Made as Django makes a copy of a row, without the loop of its constructor over all fields, which counts where one
    request makes five rows.
    """
    constants, factories = _defaults(model)
    row = {**constants, **values}
    for name, make in factories.items():
        if name not in row:
            row[name] = make()
    if len(row) > len(constants) + len(factories):
        unknown = row.keys() - constants.keys() - factories.keys()
        raise TypeError(f"{model.__name__} has no {', '.join(sorted(unknown))}")
    return _row(model, row)


def _row(model: type[M], values: Mapping[str, Any]) -> M:
    row = model.__new__(model)
    row.__dict__.update(values, _state=ModelState())
    return row


@cache
def _defaults(model: type[Model]) -> Defaults:
    fields = [field for field in _fields(model) if not isinstance(field, GeneratedField)]
    factories = {field.attname: field.get_default for field in fields if _is_made(field)}
    return Defaults(
        {field.attname: field.get_default() for field in fields if field.attname not in factories}, factories
    )


def _is_made(field: "Field[Any, Any]") -> bool:
    """Whether the default is made for each row. Django's mark for "no default" is callable, too."""
    return field.has_db_default() or (field.has_default() and callable(field.default))


def insert(
    first: Sequence[Model],
    *more: Sequence[Model],
    also: Part | None = None,
    unless: Part | None = None,
    unless_taken: bool = False,
) -> bool:
    """Insert new rows of several tables; each group is of one model whose columns have plain values.

    The generated columns of the first group are read back. Rows that refer to each other may be inserted together.
    `also`: what is written along, from the first group. Nothing at all is inserted, and the answer is False, if the
    condition `unless` holds; and with `unless_taken` if a unique constraint of the first group has no place for its
    single row.
    """
    groups = [group for group in (first, *more) if group]
    if not groups:
        return True
    shapes = tuple(Shape(type(group[0]), _left_to_database(group[0])) for group in groups)
    statement = _statement(shapes, also.sql if also else "", unless.sql if unless else "", unless_taken)
    with prepared() as cursor:
        text, *other_texts = map(_as_json, groups, shapes)
        cursor.execute(statement, [text, *_parameters(unless), *other_texts, *_parameters(also)])
        inserted_rows = {row[1]: row for row in cursor.fetchall()}
    if not inserted_rows:
        return False
    names = [field.attname for field in _generated_fields(type(groups[0][0]))]
    for row in groups[0]:
        transaction_id, _, *values = inserted_rows[row.pk]
        for name, value in zip(names, values, strict=True):
            setattr(row, name, value)
    connection.learn_transaction_id(transaction_id)  # type: ignore[attr-defined]  # it verifies its commits
    for group in groups:
        for row in group:
            row._state.adding, row._state.db = False, "default"
    return True


def update(rows: Sequence[Model], names: Collection[str]) -> None:
    """Write these columns of stored rows, each with its values, by one statement."""
    model = type(rows[0])
    key, table = str(model._meta.pk.column), model._meta.db_table
    other_columns = frozenset(
        field.attname for field in _fields(model) if field.attname not in {*names, model._meta.pk.attname}
    )
    assignments = ", ".join(
        f"{field.column} = given.{field.column}" for field in _fields(model) if field.attname in names
    )
    with connection.cursor() as cursor:
        sql = (
            f"UPDATE {table} AS row SET {assignments} FROM {_json_source(table)} AS given WHERE row.{key} = given.{key}"  # noqa: S608 - our own
        )
        cursor.execute(sql, [_as_json(rows, Shape(model, other_columns))])


def prepared() -> Any:
    """A cursor for statements of constant text, which the server plans once for each connection."""
    return connection.prepared_cursor()  # type: ignore[attr-defined]  # see `VerifiedCommits`


def columns(model: type[Model], alias: str) -> str:
    """The column list of a SELECT or RETURNING whose values `instance` understands."""
    return ", ".join(f"{alias}.{field.column}" for field in _fields(model))


def instance(model: type[M], values: Sequence[Any]) -> M:
    """Build a model instance from the values of its `columns`."""
    names, readers = _readers(model)
    row_values = dict(zip(names, values, strict=True))
    for name, convert in readers:
        row_values[name] = convert(row_values[name])
    row = _row(model, row_values)
    row._state.adding, row._state.db = False, "default"
    return row


def find(model: type[M], column: str, value: Any) -> M | None:
    """The row with this value in a unique column, or None."""
    with prepared() as cursor:
        cursor.execute(_find(model, column), [value])
        values = cursor.fetchone()
    return instance(model, values) if values else None


@cache
def _find(model: type[Model], column: str) -> str:
    return f"SELECT {columns(model, 'found')} FROM {model._meta.db_table} AS found WHERE found.{column} = %s"  # noqa: S608


@cache
def _fields(model: type[Model]) -> "list[Field[Any, Any]]":
    return list(model._meta.concrete_fields)


@cache
def _inserted_fields(model: type[Model], db_columns: frozenset[str]) -> "list[Field[Any, Any]]":
    fields = [field for field in _fields(model) if not isinstance(field, GeneratedField | AutoField)]
    return [field for field in fields if field.attname not in db_columns]


def _left_to_database(row: Model) -> frozenset[str]:
    """The columns without a value, which the database fills in."""
    values = row.__dict__
    return frozenset(name for name in _default_names(type(row)) if isinstance(values[name], DatabaseDefault))


@cache
def _default_names(model: type[Model]) -> list[str]:
    return [field.attname for field in _fields(model) if field.has_db_default()]


@cache
def _generated_fields(model: type[Model]) -> "list[Field[Any, Any]]":
    """Generated fields to read back, without those that exist only for search."""
    fields = [field for field in _fields(model) if isinstance(field, GeneratedField)]
    return [field for field in fields if not isinstance(field.output_field, SearchVectorField)]


@cache
def _readers(model: type[Model]) -> tuple[list[str], list[tuple[str, Callable[[Any], Any]]]]:
    """The names of the fields in the order of `columns`, and the converters of those that need one."""
    readers = ((field.attname, _reader(field)) for field in _fields(model))
    return [field.attname for field in _fields(model)], [(name, reader) for name, reader in readers if reader]


def _reader(field: "Field[Any, Any]") -> Callable[[Any], Any] | None:
    convert = getattr(field, "from_db_value", None)
    return (lambda value: convert(value, None, connection)) if convert else None


@cache
def _statement(shapes: tuple[Shape, ...], also: str, unless: str, unless_taken: bool) -> str:
    first = _insert(*shapes[0]) + (f" WHERE NOT ({unless})" if unless else "")
    first += " ON CONFLICT DO NOTHING" if unless_taken else ""
    parts = [f"rows0 AS ({first} RETURNING *)"]
    guard = " WHERE EXISTS (SELECT FROM rows0)" if unless or unless_taken else ""
    parts += [f"rows{number} AS ({_insert(*shape)}{guard})" for number, shape in enumerate(shapes[1:], start=1)]
    model = shapes[0].model
    back = ", ".join(str(field.column) for field in (model._meta.pk, *_generated_fields(model)) if field)
    also = f", {also}" if also else ""
    return f"WITH {', '.join(parts)}{also} SELECT pg_current_xact_id()::text, {back} FROM rows0"  # noqa: S608 - our own


def _insert(model: type[Model], db_columns: frozenset[str]) -> str:
    table, names = model._meta.db_table, ", ".join(str(field.column) for field in _inserted_fields(model, db_columns))
    return f"INSERT INTO {table} ({names}) SELECT {names} FROM {_json_source(table)}"  # noqa: S608 - our own


def _json_source(table: str) -> str:
    """The FROM item that reads the rows of `_as_json`."""
    return f"json_populate_recordset(NULL::{table}, %s)"


class JsonColumns(NamedTuple):
    """How rows become JSON: their columns, what reads their values from fields, the columns of bytes."""

    columns: list[str]
    values: Callable[[Mapping[str, Any]], Sequence[Any]]
    binary: frozenset[str]


def _as_json(rows: Sequence[Model], shape: Shape) -> str:
    columns, values, binary = _json_columns(shape.model, shape.db_columns)
    records = [dict(zip(columns, values(row.__dict__), strict=True)) for row in rows]
    return to_json([record | {column: _hex(record[column]) for column in binary} for record in records]).decode()


def _hex(value: Any) -> str | None:
    return None if value is None else f"\\x{bytes(value).hex()}"


@cache
def _json_columns(model: type[Model], db_columns: frozenset[str]) -> JsonColumns:
    fields = _inserted_fields(model, db_columns)
    of_bytes = [field for field in fields if isinstance(getattr(field, "target_field", field), BinaryField)]
    values = itemgetter(*(field.attname for field in fields))
    return JsonColumns([str(field.column) for field in fields], values, frozenset(str(f.column) for f in of_bytes))


def _parameters(part: Part | None) -> Sequence[Any]:
    return part.parameters if part else ()
