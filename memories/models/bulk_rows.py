"""Bulk insert and read of rows by one SQL statement, without the cost of the ORM's compiler.

Each group of rows travels as one JSON parameter, so that the statement is the same however many rows there are.
"""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, TypeVar
from uuid import UUID

from django.contrib.postgres.search import SearchVectorField
from django.db import connection
from django.db.models import AutoField, Field, GeneratedField, Model

M = TypeVar("M", bound=Model)


def insert(first: Sequence[Model], *more: Sequence[Model]) -> None:
    """Insert new rows of several tables; each group is of one model whose columns have plain values.

    The generated columns of the first group are read back. Rows that refer to each other may be inserted together.
    """
    groups = [group for group in (first, *more) if group]
    if not groups:
        return
    with connection.cursor() as cursor:
        cursor.execute(_statement(tuple(type(group[0]) for group in groups)), [_as_json(group) for group in groups])
        made = {row[0]: row[1:] for row in cursor.fetchall()}
    names = [field.attname for field in _generated(type(groups[0][0]))]
    for row in groups[0]:
        for name, value in zip(names, made[row.pk], strict=True):
            setattr(row, name, value)
    for group in groups:
        for row in group:
            row._state.adding, row._state.db = False, "default"


def columns(model: type[Model], alias: str) -> str:
    """The column list of a SELECT or RETURNING whose values `instance` understands."""
    return ", ".join(f"{alias}.{field.column}" for field in _fields(model))


def instance(model: type[M], values: Sequence[Any]) -> M:
    """Build a model instance from the values of its `columns`."""
    read = [convert(value) if convert else value for convert, value in zip(_readers(model), values, strict=True)]
    return model.from_db("default", [field.attname for field in _fields(model)], read)


def find(model: type[M], column: str, value: Any) -> M | None:
    """The row with this value in a unique column, or None."""
    with connection.cursor() as cursor:
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
def _written(model: type[Model]) -> "list[Field[Any, Any]]":
    return [field for field in _fields(model) if not isinstance(field, GeneratedField | AutoField)]


@cache
def _generated(model: type[Model]) -> "list[Field[Any, Any]]":
    """Generated fields to read back, without those that exist only for search."""
    made = [field for field in _fields(model) if isinstance(field, GeneratedField)]
    return [field for field in made if not isinstance(field.output_field, SearchVectorField)]


@cache
def _readers(model: type[Model]) -> list[Callable[[Any], Any] | None]:
    """Converters from column values to field values, by field; None where no conversion is needed."""
    return [_reader(field) for field in _fields(model)]


def _reader(field: "Field[Any, Any]") -> Callable[[Any], Any] | None:
    convert = getattr(field, "from_db_value", None)
    return (lambda value: convert(value, None, connection)) if convert else None


@cache
def _statement(models: tuple[type[Model], ...]) -> str:
    parts = [f"rows{number} AS ({_insert(model)})" for number, model in enumerate(models)]
    return f"WITH {', '.join(parts)} SELECT * FROM rows0"  # noqa: S608 - names of our own tables and columns


def _insert(model: type[Model]) -> str:
    table, names = model._meta.db_table, ", ".join(str(field.column) for field in _written(model))
    back = ", ".join(str(field.column) for field in (model._meta.pk, *_generated(model)) if field)
    rows = f"SELECT {names} FROM json_populate_recordset(NULL::{table}, %s)"  # noqa: S608
    return f"INSERT INTO {table} ({names}) {rows} RETURNING {back}"


def _as_json(rows: Sequence[Model]) -> str:
    names = [(field.column, field.attname) for field in _written(type(rows[0]))]
    told = [{column: getattr(row, attname) for column, attname in names} for row in rows]
    return json.dumps(told, ensure_ascii=False, default=_plain)


def _plain(value: object) -> str:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return f"\\x{bytes(value).hex()}"
    raise TypeError(f"{value!r} cannot be written as it is")
