"""The lookup `any`: one of many values, given to the database as one array.

`in` has Django, psycopg and the database's parser deal with each value by itself: several times the work for hundreds.
"""

from collections.abc import Iterable
from typing import Any

from django.db.models import Field, ForeignObject, Lookup


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
    escaped = item.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
