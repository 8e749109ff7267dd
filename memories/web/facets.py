"""Facets: the values of a list's filters with the number of rows that each leaves, as links."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import QueryDict

from memories.models.value_counts import count_values

MOST_VALUES = 12  # of one facet, the most frequent ones
MOST_COUNTED = 2_000  # first rows of the list that are counted
LONGEST_VALUE = 512  # of a parameter of the address; the rest is cut off


@dataclass(frozen=True)
class Value:
    """One value of a facet. `count`: None where it was not among the rows that were counted."""

    value: str
    count: int | None
    query: str
    is_chosen: bool


@dataclass(frozen=True)
class Tab:
    """One of the lists of a page. `query`: its address, with the filters of the present one."""

    title: str
    count: int
    query: str
    is_chosen: bool

    @property
    def is_cut(self) -> bool:
        return self.count >= MOST_COUNTED


@dataclass(frozen=True)
class Facet:
    name: str
    title: str
    values: Sequence[Value]
    is_word: bool
    chosen: Value | None = None

    @property
    def is_shown(self) -> bool:
        """Whether there is something to choose."""
        return self.chosen is not None or len(self.values) > 1


def filters_of(given: QueryDict, names: Iterable[str]) -> dict[str, str]:
    """The value of each of these parameters of an address, '' where it has none."""
    return {name: given.get(name, "").strip()[:LONGEST_VALUE] for name in names}


def facet(
    name: str,
    title: str,
    counts: Mapping[str, int],
    given: QueryDict,
    *,
    always: Sequence[str] = (),
    filters: Mapping[str, str] | None = None,
) -> Facet:
    """Build a facet from its counts: the most frequent values and the chosen one.

    `always`: all values that there can be instead, words of ours, in their order. Each links to the list with it,
    the chosen one to the list without. `filters`: the filter of each value, where these are of several.
    """
    filters = filters or {}
    names = sorted({name, *filters.values()})
    chosen = next((value for one in names if (value := given.get(one, "").strip())), "")
    frequent = [value for value, _n in Counter(counts).most_common(MOST_VALUES) if value]
    unknown = bool(chosen) and set(counts) <= {chosen, ""}  # what the others would leave was not counted
    values = [value for value in always if unknown or value in counts] if always else frequent
    values += [chosen] if chosen and chosen not in values else []
    shown = [
        Value(
            one,
            counts.get(one),
            _query(given, names, {filters.get(one, name): one} if one != chosen else {}),
            one == chosen,
        )
        for one in values
    ]
    return Facet(name, title, shown, bool(always), next((value for value in shown if value.is_chosen), None))


def _query(given: QueryDict, names: Sequence[str], chosen: Mapping[str, str]) -> str:
    """The address's query with these filters as `chosen`, from the first page on."""
    left_out = {"cursor", *names} - chosen.keys()
    kept = {name: values for name, values in given.lists() if name not in left_out}
    return f"?{urlencode(kept | {name: [value] for name, value in chosen.items()}, doseq=True)}"


def tabs_of(given: QueryDict, name: str, titles: Mapping[str, str], counts: Sequence[int]) -> list[Tab]:
    """The tabs that one parameter of the address tells apart: its value -> title."""
    chosen = given.get(name, "")
    return [
        Tab(title, count, _query(given, [name], {name: value} if value else {}), value == chosen)
        for (value, title), count in zip(titles.items(), counts, strict=True)
    ]


def carried(given: QueryDict, *without: str) -> list[tuple[str, str]]:
    """What a form of the list sends along, so that it keeps the rest of the address."""
    left_out = {"cursor", *without}
    return [(name, value) for name, values in given.lists() if name not in left_out for value in values if value]


def count_in(rows: Sequence[Any], columns: Mapping[str, Callable[[Any], Sequence[str]]]) -> dict[str, Counter[str]]:
    """Count the values of rows that are at hand, as `count_values` does in the database."""
    return {name: Counter(value for row in rows for value in of(row) if value) for name, of in columns.items()}


def counted_facets(
    given: QueryDict,
    titles: Mapping[str, tuple[str, Sequence[str]]],
    rows: Callable[[str], QuerySet[Any]],
    tabs: Mapping[str, QuerySet[Any]],
) -> tuple[list[Facet], dict[str, int]]:
    """The facets of a list, and the number of rows of each of its tabs, both of the first MOST_COUNTED. One statement.

    `titles`: by column, as in the address, with all values that there can be; `rows`: the list in its order without
    the filter of one column, '' for none. A chosen facet counts without itself.
    """
    chosen = [name for name in titles if given.get(name, "").strip()]
    samples = {"list": (rows(""), [name for name in titles if name not in chosen])}
    samples |= {f"without {name}": (rows(name), [name]) for name in chosen}
    samples |= {tab: (listed, []) for tab, listed in tabs.items()}
    counts = count_values(samples, MOST_COUNTED)
    facets = [
        facet(name, title, counts.get(name, {}), given, always=always) for name, (title, always) in titles.items()
    ]
    shown = [one for one in facets if one.is_shown]
    return shown, {tab: counts[tab][""] if tab in counts else 0 for tab in ("list", *tabs)}
