"""Keyset pagination: constant cost at any depth, and no row twice while others are added or removed."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.core.signing import BadSignature, Signer
from django.db.models import BooleanField, F, Func, Model, Q, QuerySet, Value

from memories.values.exceptions import FieldError, Invalid

M = TypeVar("M", bound=Model)
Order = tuple[str, ...]  # names of columns or annotations, "-" in front for descending; the last one must be unique


@dataclass(frozen=True)
class Cursor:
    """A signed position between two rows of one ordering; a forged one is rejected.

    `at` is the instant at which decaying values were computed on the first page.
    """

    order: Order
    values: list[Any]
    backwards: bool
    at: datetime

    def encode(self) -> str:
        values = [str(value) if isinstance(value, UUID) else value for value in self.values]
        values = [value.isoformat() if isinstance(value, datetime) else value for value in values]  # with microseconds
        parts = [self.order, values, self.backwards, self.at.isoformat()]
        return _signer().sign_object(parts, serializer=Compact, compress=True)

    @classmethod
    def decode(cls, text: str) -> "Cursor":
        try:
            order, values, backwards, at = _signer().unsign_object(text, serializer=Compact)
        except BadSignature:
            raise Invalid(FieldError("/cursor", "invalid", "is not a cursor of this list")) from None
        return cls(tuple(order), values, backwards, datetime.fromisoformat(at))


class Compact:
    """JSON serializer without escapes, to keep cursors short: servers refuse long URLs."""

    def dumps(self, value: Any) -> bytes:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()

    def loads(self, raw: bytes) -> Any:
        return json.loads(raw)


def _signer() -> Signer:
    return Signer(salt="memories.values.keyset")


@dataclass(frozen=True)
class Page(Generic[M]):
    rows: list[M]
    next: Cursor | None
    previous: Cursor | None


@dataclass(frozen=True)
class Part(Generic[M]):
    """A part of a list. `columns`: the column that has the order of one of the list's within this part, for its index,
    and what it is more than that one.
    """

    rows: QuerySet[M]
    columns: Mapping[str, tuple[str, float]] = field(default_factory=dict)

    def after(self, order: Order, values: Sequence[Any] | None) -> QuerySet[M]:
        names = [name.lstrip("-") for name in order]
        places = [self.columns.get(name, (name, None)) for name in names]
        part_order = tuple(
            name.replace(column, other) for name, column, (other, _more) in zip(order, names, places, strict=True)
        )
        if values is not None:
            values = [
                value if more is None else value + more for value, (_name, more) in zip(values, places, strict=True)
            ]
        return after(self.rows, part_order, values)


def page(
    queryset: QuerySet[M],
    order: Order,
    *,
    limit: int,
    at: datetime,
    cursor: Cursor | None = None,
    also: Sequence[QuerySet[Any]] = (),
    parts: Sequence[Part[M]] | None = None,
) -> Page[M]:
    """Return `limit` rows in `order` after the cursor. Columns of `order` must not be null.

    `also`: other tables merged into the list, by columns of the same names (no text columns: the database sorts those
    by its own collation). `parts`: those of `queryset`, each with an index in this order; then only the first
    rows of each are compared.
    """
    read_order, values = directed_by(order, cursor)
    if parts is not None:
        first = heads(parts, read_order, limit + 1, values) if parts else ()
        queryset = queryset.filter(pk__in=first)
    page_rows: list[M] = []
    for rows in (queryset, *also):
        page_rows += after(rows, read_order, values)[: limit + 1]
    return page_of(page_rows, order, limit=limit, at=at, cursor=cursor, is_merged=bool(also))


def directed_by(order: Order, cursor: Cursor | None) -> tuple[Order, list[Any] | None]:
    """The order in which rows are read, the other way round for a page before the cursor, and the cursor's values."""
    if cursor and cursor.order != order:
        raise Invalid(FieldError("/cursor", "invalid", "is not a cursor of this ordering"))
    read_order = tuple(_flip(name) for name in order) if cursor and cursor.backwards else order
    return read_order, cursor.values if cursor else None


def page_of(
    rows: list[M], order: Order, *, limit: int, at: datetime, cursor: Cursor | None, is_merged: bool = False
) -> Page[M]:
    """The page of the first `limit` + 1 rows that were read. `is_merged`: of several tables, one after the other."""
    read_order, _values = directed_by(order, cursor)
    backwards = bool(cursor and cursor.backwards)
    for name in reversed(read_order if is_merged else ()):
        rows.sort(key=attrgetter(name.lstrip("-")), reverse=name.startswith("-"))
    more, rows = len(rows) > limit, rows[:limit]
    if backwards:
        rows.reverse()

    def place(row: M, *, back: bool) -> Cursor:
        return Cursor(order, [getattr(row, name.lstrip("-")) for name in order], back, at)

    onward, before = (True, more) if backwards else (more, cursor is not None)
    return Page(
        rows,
        place(rows[-1], back=False) if rows and onward else None,
        place(rows[0], back=True) if rows and before else None,
    )


def heads(parts: Iterable[Part[M]], order: Order, most: int, values: Sequence[Any] | None = None) -> QuerySet[M, Any]:
    """The ids of the first rows of each part, beyond `values` where they are given."""
    first, *rest = [part.after(order, values).values("pk")[:most] for part in parts]
    return first.union(*rest, all=True) if rest else first


def after(rows: QuerySet[M], order: Order, values: Sequence[Any] | None) -> QuerySet[M]:
    """The rows in this order, beyond `values` where they are given.

    A leading annotation that is the same for all rows is compared here: the database finds no index for it.
    """
    while order and isinstance(annotation := rows.query.annotations.get(order[0].lstrip("-")), Value):
        if values is not None and annotation.value != values[0]:
            beyond = (annotation.value < values[0]) == order[0].startswith("-")
            rows, values = rows if beyond else rows.none(), None
        order, values = order[1:], None if values is None else values[1:]
    sorted_rows = rows.order_by(*(_ordering(name) for name in order))
    return sorted_rows if values is None else sorted_rows.filter(_beyond(order, values))


def _flip(name: str) -> str:
    return name[1:] if name.startswith("-") else f"-{name}"


def _ordering(name: str) -> Any:
    return F(name[1:]).desc() if name.startswith("-") else F(name).asc()


def _beyond(order: Order, values: Sequence[Any]) -> Q:
    """Condition for rows after `values`: beyond in the first column, or equal there and beyond in the next, etc.

    Of columns in one direction a comparison of rows, which an index starts at.
    """
    names = [name.lstrip("-") for name in order]
    if len({name.startswith("-") for name in order}) == 1:
        sign = " < " if order[0].startswith("-") else " > "
        columns, value_row = _row(*map(F, names)), _row(*map(Value, values))
        return Q(Func(columns, value_row, template="%(expressions)s", arg_joiner=sign, output_field=BooleanField()))
    beyond, equal = Q(), Q()
    for name, column, value in zip(order, names, values, strict=True):
        beyond |= equal & Q(**{f"{column}__{'lt' if name.startswith('-') else 'gt'}": value})
        equal &= Q(**{column: value})
    return beyond


def _row(*expressions: Any) -> Func:
    return Func(*expressions, template="ROW(%(expressions)s)", output_field=BooleanField())
