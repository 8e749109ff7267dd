"""Keyset pagination: constant cost at any depth, and no row twice while others are added or removed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.core.signing import BadSignature, Signer
from django.db.models import F, Model, Q, QuerySet

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
        said = [self.order, values, self.backwards, self.at.isoformat()]
        return _signer().sign_object(said, serializer=Compact, compress=True)

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


def page(
    queryset: QuerySet[M],
    order: Order,
    *,
    limit: int,
    at: datetime,
    cursor: Cursor | None = None,
    also: Sequence[QuerySet[Any]] = (),
) -> Page[M]:
    """Return `limit` rows in `order` after the cursor. Columns of `order` must not be null.

    `also`: other tables merged into the list, by columns of the same names (no text columns: the database sorts those
    by its own collation).
    """
    backwards = bool(cursor and cursor.backwards)
    directed = tuple(_flipped(name) for name in order) if backwards else order
    if cursor and cursor.order != order:
        raise Invalid(FieldError("/cursor", "invalid", "is not a cursor of this ordering"))
    found: list[M] = []
    for rows in (queryset, *also):
        ordered = rows.order_by(*(_ordering(name) for name in directed))
        found += (ordered.filter(_beyond(directed, cursor.values)) if cursor else ordered)[: limit + 1]
    for name in reversed(directed if also else ()):
        found.sort(key=attrgetter(name.lstrip("-")), reverse=name.startswith("-"))
    more, found = len(found) > limit, found[:limit]
    if backwards:
        found.reverse()
    return _page(found, order, more=more, backwards=backwards, first=cursor is None, at=at)


def _page(found: list[M], order: Order, *, more: bool, backwards: bool, first: bool, at: datetime) -> Page[M]:
    def cursor(row: M, *, back: bool) -> Cursor:
        return Cursor(order, [getattr(row, name.lstrip("-")) for name in order], back, at)

    onward, before = (True, more) if backwards else (more, not first)
    return Page(
        found,
        cursor(found[-1], back=False) if found and onward else None,
        cursor(found[0], back=True) if found and before else None,
    )


def _flipped(name: str) -> str:
    return name[1:] if name.startswith("-") else f"-{name}"


def _ordering(name: str) -> Any:
    return F(name[1:]).desc() if name.startswith("-") else F(name).asc()


def _beyond(order: Order, values: list[Any]) -> Q:
    """Condition for rows after `values`: beyond in the first column, or equal there and beyond in the next, etc."""
    beyond, equal = Q(), Q()
    for name, value in zip(order, values, strict=True):
        column = name.lstrip("-")
        beyond |= equal & Q(**{f"{column}__{'lt' if name.startswith('-') else 'gt'}": value})
        equal &= Q(**{column: value})
    return beyond
