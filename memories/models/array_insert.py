"""Many rows in one statement with an array a column, which is parsed and planned like one of a single row.

Django does so where it can. It cannot where a column holds arrays or vectors, or is filled in by the database.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import JSONField, Model

PLAIN = (
    "uuid", "text", "varchar", "boolean", "smallint", "integer", "double precision", "timestamp with time zone",
    "bytea",
)  # fmt: skip
CASTS: Mapping[str, Callable[[Any], Any]] = {"text": str, "varchar": str, "double precision": float}


def insert(
    model: type[Model],
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    replace: Sequence[str] = (),
    ignore_conflicts: bool = False,
) -> None:
    """Insert rows of these fields; what is not named is filled in by the database.

    `replace`: the fields that a row takes over if there is one of its primary key already; `ignore_conflicts`: one that
    a unique constraint forbids is left out.
    """
    columns = list(zip(*rows, strict=True))
    if not columns:
        return
    quote, table = connection.ops.quote_name, model._meta.db_table
    fields = [_field(model, name) for name in names]
    full = [str(field.db_type(connection)) for field in fields]
    types = [name.partition("(")[0] for name in full]
    arrays = [f"%s::{kind if kind in PLAIN else 'text'}[]" for kind in types]
    casts = [f"c{n}" if types[n] in PLAIN else f"c{n}::{full[n]}" for n in range(len(fields))]
    into = ", ".join(quote(field.column) for field in fields)
    row = ", ".join(f"c{n}" for n in range(len(fields)))
    given = f"SELECT {', '.join(casts)} FROM unnest({', '.join(arrays)}) AS row ({row})"  # noqa: S608 - our own columns
    statement = f"INSERT INTO {quote(table)} ({into}) {given}"
    if replace:
        key = quote(_field(model, "pk").column)
        taken = [quote(_field(model, name).column) for name in replace]
        statement += f" ON CONFLICT ({key}) DO UPDATE SET {', '.join(f'{one} = EXCLUDED.{one}' for one in taken)}"
    elif ignore_conflicts:
        statement += " ON CONFLICT DO NOTHING"
    values = [_array(field, kind, column) for field, kind, column in zip(fields, types, columns, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def _field(model: type[Model], name: str) -> Any:
    return model._meta.pk if name == "pk" else model._meta.get_field(name)


def _array(field: Any, kind: str, column: Sequence[Any]) -> list[Any]:
    """The values of a column, all of one type."""
    cast = literal if isinstance(field, ArrayField) else json.dumps if isinstance(field, JSONField) else CASTS.get(kind)
    return [cast(value) if cast and value is not None else value for value in column]


def literal(items: Iterable[str | int]) -> str:
    """An array as PostgreSQL writes it."""
    return "{" + ",".join(map(_item, items)) + "}"


def _item(item: str | int) -> str:
    if isinstance(item, int):
        return str(item)
    escaped = item.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
