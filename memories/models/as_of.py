"""The table of memories as it stood at an instant, for the ORM and as SQL text.

A trigger keeps the former states of each memory (see former_state.py), so the row of then is read from the first state
that ended after the instant, and from the row of today where there is none. Of long columns a state has only those that
changed with it: the next one that has it tells. A memory costs one look into an index; without an instant nothing of
this is part of a statement.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from django.apps import apps
from django.db.models.sql.datastructures import BaseTable

from memories.values.decay import SalienceAt
from memories.values.exceptions import FieldError, Invalid

TABLE, STATES = "memories_memory", "memories_formerstate"
STATE_COLUMNS = (  # columns that every state has
    *("category", "company_id", "tags", "sensitivity", "status", "confidence", "hold", "salience", "salience_at"),
    *("reinforced_at", "pinned", "deletion_policy", "expires_at", "valid_from", "valid_to", "times_confirmed"),
    *("flags", "speakers", "version", "updated_at"),
)
LONG = ("content", "payload", "provenance")  # those that only a state which ended with another value has


@dataclass(frozen=True)
class AsOf:
    """An instant of the past, for a caller of this clearance: what is above it today is not shown as of any time."""

    at: datetime
    max_sensitivity: int

    @classmethod
    def of(cls, instant: datetime | None, *, max_sensitivity: int, now: datetime) -> "AsOf | None":
        """The AsOf of an instant; None without one. Invalid: the instant is in the future."""
        if instant is not None and instant > now:
            raise Invalid(FieldError("/as_of", "in_the_future", "is in the future: nothing is known of it yet"))
        return None if instant is None else cls(instant, max_sensitivity)

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of `sql`."""
        return {"as_of": self.at, "as_of_ceiling": self.max_sensitivity}


@cache
def sql() -> str:
    """SELECT of the columns of memories as they stood at %(as_of)s, of those below %(as_of_ceiling)s today."""
    columns = [str(field.column) for field in apps.get_model("memories", "Memory")._meta.concrete_fields]
    return f"""
        SELECT {", ".join(_former(name) for name in columns)}
        FROM {TABLE} m
        LEFT JOIN LATERAL (
            SELECT * FROM {STATES} n WHERE n.memory_id = m.id AND n.until > %(as_of)s ORDER BY n.until LIMIT 1
        ) s ON true
        WHERE m.created_at <= %(as_of)s AND m.sensitivity <= %(as_of_ceiling)s
    """  # noqa: S608 - names of our own tables and columns


def _former(column: str) -> str:
    if column == "fades_at":  # generated from columns that are former ones
        values = (_value(name) for name in SalienceAt.columns)
        return f"memos_fades_at({', '.join(values)}) AS {column}"
    return f"{_value(column)} AS {column}"


def _value(column: str) -> str:
    if column in STATE_COLUMNS:
        return f"CASE WHEN s.id IS NULL THEN m.{column} ELSE s.{column} END"
    if column not in LONG:
        return f"m.{column}"
    later = f"SELECT n.{column} FROM {STATES} n WHERE n.memory_id = m.id AND n.until > %(as_of)s"  # noqa: S608
    first = f"{later} AND n.{column} IS NOT NULL ORDER BY n.until LIMIT 1"
    return f"CASE WHEN s.id IS NULL THEN m.{column} ELSE coalesce(s.{column}, ({first}), m.{column}) END"


class FormerTable(BaseTable):
    """Memories as they stood, in the place of their table in a query of the ORM."""

    def __init__(self, as_of: AsOf, alias: str | None) -> None:
        super().__init__(TABLE, alias)
        self.as_of = as_of

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        text, values = positional(sql(), self.as_of.values)
        return f"({text}) {compiler.quote_name_unless_alias(self.table_alias)}", values

    def relabeled_clone(self, change_map: dict[str | None, str]) -> "FormerTable":
        return FormerTable(self.as_of, change_map.get(self.table_alias) or self.table_alias)

    @property
    def identity(self) -> tuple[Any, ...]:
        return (*super().identity, self.as_of)


def positional(text: str, values: dict[str, Any]) -> tuple[str, list[Any]]:
    """Replace named parameters by positional ones, which the ORM counts."""
    order: list[Any] = []

    class Places(dict[str, str]):
        def __missing__(self, name: str) -> str:
            order.append(values[name])
            return "%s"

    return text % Places(), order
