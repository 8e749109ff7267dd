"""Bulk insert and read of rows by one SQL statement, without the cost of the ORM's compiler.

Each group of rows travels as JSON, so that the statement is the same however many rows there are: one text, or two
where it has several rows, first what is the same in all of them.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from django.contrib.postgres.search import SearchVectorField
from django.db import connection
from django.db.models import AutoField, BinaryField, Field, GeneratedField, JSONField, Model
from django.db.models.base import ModelState
from django.db.models.expressions import DatabaseDefault
from pydantic_core import to_json

M = TypeVar("M", bound=Model)


class Shape(NamedTuple):
    """What the statement must know of a group. `left`: the columns that the database fills in."""

    model: type[Model]
    left: frozenset[str]
    several: bool


class Part(NamedTuple):
    """More of an insert with its parameters: named parts of its WITH clause, which may read `rows0`, or a condition."""

    sql: str
    parameters: Sequence[Any]

    def beside(self, other: "Part | None") -> "Part":
        """Both, one after the other, as named parts of one WITH clause."""
        return Part(f"{self.sql}, {other.sql}", [*self.parameters, *other.parameters]) if other else self


class Defaults(NamedTuple):
    """The values of a new row: those that are the same in every row, and the makers of the others."""

    same: Mapping[str, Any]
    made: Mapping[str, Callable[[], Any]]


def new(model: type[M], values: Mapping[str, Any]) -> M:
    """A new row with these values (of columns) and the defaults of the others.

    Made as Django makes a copy of a row, without the loop of its constructor over all fields, which counts where one
    request makes five rows.
    """
    same, made = _defaults(model)
    row = {**same, **values}
    for name, make in made.items():
        if name not in row:
            row[name] = make()
    if len(row) > len(same) + len(made):
        unknown = row.keys() - same.keys() - made.keys()
        raise TypeError(f"{model.__name__} has no {', '.join(sorted(unknown))}")
    return _row(model, row)


def _row(model: type[M], values: Mapping[str, Any]) -> M:
    row = model.__new__(model)
    row.__dict__.update(values, _state=ModelState())
    return row


@cache
def _defaults(model: type[Model]) -> Defaults:
    known = [field for field in _fields(model) if not isinstance(field, GeneratedField)]
    made = {field.attname: field.get_default for field in known if _is_made(field)}
    return Defaults({field.attname: field.get_default() for field in known if field.attname not in made}, made)


def _is_made(field: "Field[Any, Any]") -> bool:
    """Whether each row has a default of its own. Where a field has none, Django's mark for that is callable."""
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
    shapes = tuple(Shape(type(group[0]), _left_to_database(group[0]), len(group) > 1) for group in groups)
    statement = _statement(shapes, also.sql if also else "", unless.sql if unless else "", unless_taken)
    with prepared() as cursor:
        texts, *others = map(_as_json, groups, shapes)
        cursor.execute(statement, [*texts, *_parameters(unless), *chain.from_iterable(others), *_parameters(also)])
        made = {row[1]: row for row in cursor.fetchall()}
    if not made:
        return False
    names = [field.attname for field in _generated(type(groups[0][0]))]
    for row in groups[0]:
        transaction_id, _, *values = made[row.pk]
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
    left = frozenset(field.attname for field in _fields(model) if field.attname not in {*names, model._meta.pk.attname})
    shape = Shape(model, left, len(rows) > 1)
    written = ", ".join(f"{field.column} = given.{field.column}" for field in _fields(model) if field.attname in names)
    given = f"{_given(table, shape.several)} AS given"
    with connection.cursor() as cursor:
        sql = f"UPDATE {table} AS row SET {written} FROM {given} WHERE row.{key} = given.{key}"  # noqa: S608 - our own
        cursor.execute(sql, _as_json(rows, shape))


def prepared() -> Any:
    """A cursor for statements of constant text, which the server plans once for each connection."""
    return connection.prepared_cursor()  # type: ignore[attr-defined]  # see `VerifiedCommits`


def columns(model: type[Model], alias: str) -> str:
    """The column list of a SELECT or RETURNING whose values `instance` understands."""
    return ", ".join(f"{alias}.{field.column}" for field in _fields(model))


def instance(model: type[M], values: Sequence[Any]) -> M:
    """Build a model instance from the values of its `columns`."""
    names, readers = _read(model)
    read = dict(zip(names, values, strict=True))
    for name, convert in readers:
        read[name] = convert(read[name])
    row = _row(model, read)
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
def _written(model: type[Model], left: frozenset[str]) -> "list[Field[Any, Any]]":
    known = [field for field in _fields(model) if not isinstance(field, GeneratedField | AutoField)]
    return [field for field in known if field.attname not in left]


def _left_to_database(row: Model) -> frozenset[str]:
    """The columns without a value, which the database fills in."""
    values = row.__dict__
    return frozenset(name for name in _defaulted(type(row)) if isinstance(values[name], DatabaseDefault))


@cache
def _defaulted(model: type[Model]) -> list[str]:
    return [field.attname for field in _fields(model) if field.has_db_default()]


@cache
def _generated(model: type[Model]) -> "list[Field[Any, Any]]":
    """Generated fields to read back, without those that exist only for search."""
    made = [field for field in _fields(model) if isinstance(field, GeneratedField)]
    return [field for field in made if not isinstance(field.output_field, SearchVectorField)]


@cache
def _read(model: type[Model]) -> tuple[list[str], list[tuple[str, Callable[[Any], Any]]]]:
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
    back = ", ".join(str(field.column) for field in (model._meta.pk, *_generated(model)) if field)
    also = f", {also}" if also else ""
    return f"WITH {', '.join(parts)}{also} SELECT pg_current_xact_id()::text, {back} FROM rows0"  # noqa: S608 - our own


def _insert(model: type[Model], left: frozenset[str], several: bool) -> str:
    table, names = model._meta.db_table, ", ".join(str(field.column) for field in _written(model, left))
    return f"INSERT INTO {table} ({names}) SELECT {names} FROM {_given(table, several)}"  # noqa: S608 - our own


def _given(table: str, several: bool) -> str:
    """The FROM item that reads the rows of `_as_json`."""
    base = f"json_populate_record(NULL::{table}, %s)" if several else f"NULL::{table}"
    return f"json_populate_recordset({base}, %s)"


class Written(NamedTuple):
    """How rows become JSON: their columns, what reads their values from fields, the columns of bytes and of JSON."""

    columns: list[str]
    values: Callable[[Mapping[str, Any]], Sequence[Any]]
    binary: frozenset[str]
    json: frozenset[str]


def _as_json(rows: Sequence[Model], shape: Shape) -> list[str]:
    written = _written_as_json(shape.model, shape.left)
    if not shape.several:
        row = dict(zip(written.columns, written.values(rows[0].__dict__), strict=True))
        return [to_json([row | {column: _hex(row[column]) for column in written.binary}]).decode()]
    values = dict(zip(written.columns, zip(*(written.values(row.__dict__) for row in rows), strict=True), strict=True))
    values |= {column: tuple(map(_hex, values[column])) for column in written.binary}
    same = {name: given[0] for name, given in values.items() if _is_same(given, json=name in written.json)}
    rest = [name for name in written.columns if name not in same]
    given = zip(*(values[name] for name in rest), strict=True)
    return [to_json(same).decode(), to_json([dict(zip(rest, row, strict=True)) for row in given]).decode()]


def _hex(value: Any) -> str | None:
    return None if value is None else f"\\x{bytes(value).hex()}"


def _is_same(values: Sequence[Any], *, json: bool) -> bool:
    """Whether all are written alike. Of JSON only where there is nothing: to Python 1, 1.0 and true are equal."""
    first = values[0]
    return (not json or first is None or first in ({}, [])) and values.count(first) == len(values)


@cache
def _written_as_json(model: type[Model], left: frozenset[str]) -> Written:
    fields = _written(model, left)
    of_bytes = [field for field in fields if isinstance(getattr(field, "target_field", field), BinaryField)]
    of_json = [field for field in fields if isinstance(field, JSONField)]
    binary, json = (frozenset(str(field.column) for field in group) for group in (of_bytes, of_json))
    values = itemgetter(*(field.attname for field in fields))
    return Written([str(field.column) for field in fields], values, binary, json)


def _parameters(part: Part | None) -> Sequence[Any]:
    return part.parameters if part else ()
