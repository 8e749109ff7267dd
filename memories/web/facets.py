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


def filters_of(parameters: QueryDict, names: Iterable[str]) -> dict[str, str]:
    """The value of each of these parameters of an address, '' where it has none."""
    return {name: parameters.get(name, "").strip()[:LONGEST_VALUE] for name in names}


def facet(
    name: str,
    title: str,
    counts: Mapping[str, int],
    parameters: QueryDict,
    *,
    always: Sequence[str] = (),
    filters: Mapping[str, str] | None = None,
) -> Facet:
    """Build a facet from its counts: the most frequent values and the chosen one.

    `always`: all possible values in their order, if they are a fixed vocabulary of ours. Each links to the list with
    it, the chosen one to the list without. `filters`: the parameter of each value, if the facet joins several.
    """
    filters = filters or {}
    names = sorted({name, *filters.values()})
    chosen = next((value for text in names if (value := parameters.get(text, "").strip())), "")
    frequent = [value for value, _n in Counter(counts).most_common(MOST_VALUES) if value]
    is_unknown = bool(chosen) and set(counts) <= {chosen, ""}  # what the others would leave was not counted
    values = [value for value in always if is_unknown or value in counts] if always else frequent
    values += [chosen] if chosen and chosen not in values else []
    options = [
        Value(
            text,
            counts.get(text),
            _query(parameters, names, {filters.get(text, name): text} if text != chosen else {}),
            text == chosen,
        )
        for text in values
    ]
    return Facet(name, title, options, bool(always), next((value for value in options if value.is_chosen), None))


def _query(parameters: QueryDict, names: Sequence[str], chosen: Mapping[str, str]) -> str:
    """The address's query with these filters as `chosen`, from the first page on."""
    names_left_out = {"cursor", *names} - chosen.keys()
    other_parameters = {name: values for name, values in parameters.lists() if name not in names_left_out}
    return f"?{urlencode(other_parameters | {name: [value] for name, value in chosen.items()}, doseq=True)}"


def tabs_of(parameters: QueryDict, name: str, titles: Mapping[str, str], counts: Sequence[int]) -> list[Tab]:
    """The tabs that the parameter `name` of the address selects. `titles`: its value -> title."""
    chosen = parameters.get(name, "")
    return [
        Tab(title, count, _query(parameters, [name], {name: value} if value else {}), value == chosen)
        for (value, title), count in zip(titles.items(), counts, strict=True)
    ]


def hidden_fields(parameters: QueryDict, *without: str) -> list[tuple[str, str]]:
    """The hidden fields with which a form of the list keeps the other parameters of the address."""
    names_left_out = {"cursor", *without}
    return [
        (name, value) for name, values in parameters.lists() if name not in names_left_out for value in values if value
    ]


def count_in(rows: Sequence[Any], columns: Mapping[str, Callable[[Any], Sequence[str]]]) -> dict[str, Counter[str]]:
    """Count the values of loaded rows, as `count_values` does in the database."""
    return {name: Counter(value for row in rows for value in of(row) if value) for name, of in columns.items()}


def facets_with_counts(
    parameters: QueryDict,
    titles: Mapping[str, tuple[str, Sequence[str]]],
    rows: Callable[[str], QuerySet[Any]],
    tabs: Mapping[str, QuerySet[Any]],
) -> tuple[list[Facet], dict[str, int]]:
    """The facets of a list, and the number of rows of each of its tabs, both of the first MOST_COUNTED. One statement.

    `titles`: by column, as in the address, with all values that there can be; `rows`: the list in its order without
    the filter of one column, '' for none. A chosen facet counts without itself.
    """
    chosen = [name for name in titles if parameters.get(name, "").strip()]
    samples = {"list": (rows(""), [name for name in titles if name not in chosen])}
    samples |= {f"without {name}": (rows(name), [name]) for name in chosen}
    samples |= {tab: (tab_rows, []) for tab, tab_rows in tabs.items()}
    counts = count_values(samples, MOST_COUNTED)
    facets = [
        facet(name, title, counts.get(name, {}), parameters, always=always) for name, (title, always) in titles.items()
    ]
    shown_facets = [entry for entry in facets if entry.is_shown]
    return shown_facets, {tab: counts[tab][""] if tab in counts else 0 for tab in ("list", *tabs)}
