"""Row filters: each condition is defined once, and rendered for the ORM (`q`) and as SQL text (`sql`)."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db.models import Q
from django.db.models.lookups import GreaterThanOrEqual

from memories.values.choices import Hold
from memories.values.decay import SalienceAt

COMPARISONS = {
    "exact": "{column} = {value}",
    "lte": "{column} <= {value}",
    "gte": "{column} >= {value}",
    "gt": "{column} > {value}",
    "in": "{column} = ANY({value})",
    "contains": "{column} @> {value}",
    "isnull": "({column} IS NULL) = {value}",
}
CASTS = {"tags": "::varchar[]", "flags": "::jsonb"}
SALIENCE = "salience"


class Condition(Protocol):
    @property
    def column(self) -> str: ...

    def q(self, path: str) -> Q: ...

    def sql(self, row: str, forms: Mapping[str, str]) -> str: ...

    def values(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Where:
    """A condition on one column by a lookup of Django, see COMPARISONS. `or_null`: rows with null pass too.

    `payload__skill__path` is a key within a JSON column.
    """

    column: str
    lookup: str
    value: Any
    or_null: bool = False

    @property
    def parameter(self) -> str:
        return f"{self.column}__{self.lookup}"

    def q(self, path: str) -> Q:
        passes = Q(**{f"{path}{self.column}__{self.lookup}": self.value})
        return passes | Q(**{f"{path}{self.column}__isnull": True}) if self.or_null else passes

    def sql(self, row: str, forms: Mapping[str, str]) -> str:
        name, *keys = self.column.split("__")
        column = f"{row}.{name}" + (f" #> '{{{','.join(keys)}}}'" if keys else "")
        value = f"%({self.parameter})s{CASTS.get(self.column, '')}"
        passes = forms.get(self.column, COMPARISONS[self.lookup]).format(column=column, value=value)
        return f"({column} IS NULL OR {passes})" if self.or_null else passes

    def values(self) -> dict[str, Any]:
        return {self.parameter: json.dumps(self.value) if CASTS.get(self.column) == "::jsonb" else self.value}


@dataclass(frozen=True)
class EitherOf:
    """A condition met by rows that meet at least one of these."""

    conditions: tuple[Where, ...]

    @property
    def column(self) -> str:
        return " or ".join(condition.column for condition in self.conditions)

    def q(self, path: str) -> Q:
        passes = Q()
        for condition in self.conditions:
            passes |= condition.q(path)
        return passes

    def sql(self, row: str, forms: Mapping[str, str]) -> str:
        return f"({' OR '.join(condition.sql(row, forms) for condition in self.conditions)})"

    def values(self) -> dict[str, Any]:
        return {name: value for condition in self.conditions for name, value in condition.values().items()}


@dataclass(frozen=True)
class SalientAt:
    """A condition on memories whose salience at a moment is at least `least`."""

    at: datetime
    least: float
    column: str = SALIENCE

    def q(self, path: str) -> Q:
        if path:
            raise ValueError("salience is a formula over the columns of a memory itself")
        return Q(GreaterThanOrEqual(SalienceAt(self.at), self.least))

    def sql(self, row: str, forms: Mapping[str, str]) -> str:
        return f"{SalienceAt.sql(row)} >= %(min_salience)s"

    def values(self) -> dict[str, Any]:
        return {"at": self.at, "min_salience": self.least}


@dataclass(frozen=True)
class InScope:
    """A condition on memories of one scope, without those that it shares with all."""

    scope: str
    column: str = "scope alone"

    def q(self, path: str) -> Q:
        return Q(**{f"{path}scope": self.scope})

    def sql(self, row: str, forms: Mapping[str, str]) -> str:
        return f"{row}.scope = %(scope_alone)s"

    def values(self) -> dict[str, Any]:
        return {"scope_alone": self.scope}


@dataclass(frozen=True)
class NotWithheld:
    """A condition on memories whose claim is not dismissed in one of these scopes; None: in none at all, unless a
    person vouches for the shared row all the same.
    """

    scopes: tuple[str, ...] | None
    column: str = "withheld_from"

    def q(self, path: str) -> Q:
        if self.scopes is None:
            return Q(**{f"{path}{self.column}": []}) | Q(**{f"{path}hold": Hold.FLOOR.value})
        return ~Q(**{f"{path}{self.column}__overlap": list(self.scopes)})

    def sql(self, row: str, forms: Mapping[str, str]) -> str:
        if self.scopes is None:
            return f"(cardinality({row}.{self.column}) = 0 OR {row}.hold = %(vouched)s)"
        return f"NOT {row}.{self.column} && %(withheld_from)s::varchar[]"

    def values(self) -> dict[str, Any]:
        return {"vouched": Hold.FLOOR.value} if self.scopes is None else {"withheld_from": list(self.scopes)}


@dataclass(frozen=True)
class Filter:
    """A conjunction of conditions. `first & second` has those of both; the same comparison of one column may stand only
    once.
    """

    conditions: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        parameters = [name for condition in self.conditions for name in condition.values()]
        if len(set(parameters)) < len(parameters):
            raise ValueError(f"two values of one parameter: {', '.join(parameters)}")

    def __and__(self, other: "Filter") -> "Filter":
        return Filter((*self.conditions, *other.conditions))

    def on(self, columns: Collection[str]) -> "Filter":
        """The conditions on these columns, for a table that has only them."""
        return Filter(tuple(condition for condition in self.conditions if condition.column in columns))

    def without(self, columns: Collection[str]) -> "Filter":
        return Filter(tuple(condition for condition in self.conditions if condition.column not in columns))

    def value(self, column: str) -> Any:
        """The value that a column is compared with; None without a condition on it."""
        values = (
            condition.value
            for condition in self.conditions
            if isinstance(condition, Where) and condition.column == column
        )
        return next(values, None)

    def q(self, path: str = "") -> Q:
        """Render for the ORM. `path` leads to the row that has the columns, e.g. `memory__`."""
        passes = Q()
        for condition in self.conditions:
            passes &= condition.q(path)
        return passes

    def sql(self, row: str, forms: Mapping[str, str] | None = None) -> str:
        """Render as SQL text for the table alias `row`.

        `forms`: by column the comparison that an index of the table needs, with {column} and {value}, where it differs
        from COMPARISONS.
        """
        return " AND ".join(condition.sql(row, forms or {}) for condition in self.conditions) or "true"

    def values(self) -> dict[str, Any]:
        """The parameters of `sql`, by name."""
        return {name: value for condition in self.conditions for name, value in condition.values().items()}


def where(**columns: Any) -> Filter:
    """Build a filter from columns and lookups as Django writes them: `where(status__in=[...], source="billing")`."""
    conditions = []
    for name, value in columns.items():
        column, _, lookup = name.rpartition("__")
        conditions.append(Where(column, lookup, value) if lookup in COMPARISONS else Where(name, "exact", value))
    return Filter(tuple(conditions))


def visible(*, max_sensitivity: int, scopes: list[str] | None) -> Filter:
    """Filter for what a caller with this clearance may see in these scopes; None: in every scope."""
    clearance = where(sensitivity__lte=max_sensitivity)
    return clearance if scopes is None else clearance & where(scope__in=scopes)


def not_withheld(scopes: Collection[str] | None) -> Filter:
    """Filter for memories that may be offered to who reads in these scopes; None: in every scope."""
    return Filter((NotWithheld(None if scopes is None else tuple(sorted(scopes))),))


def unexpired(at: datetime) -> Filter:
    """Filter for rows within their time to live, since the job that removes expired rows may be late."""
    return Filter((Where("expires_at", "gt", at, or_null=True),))


def valid(at: datetime) -> Filter:
    """Filter for unexpired rows within their period of validity."""
    start = Where("valid_from", "lte", at, or_null=True)
    end = Where("valid_to", "gt", at, or_null=True)
    return unexpired(at) & Filter((start, end))
