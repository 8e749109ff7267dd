"""The page of the list of memories: a table with columns to choose, facets with counts, groups by category."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories.models import Memory
from memories.models.built import INSTANT, Statement, ask
from memories.models.value_counts import first_of_each, read_counts, value_counts
from memories.values.choices import Category, Review, Status, Type
from memories.values.trust import Trust
from memories.web.facets import MOST_COUNTED, Facet, count_in, facet, hidden_fields
from memories.web.memory_list import BY_RELEVANCE, COLUMNS, COLUMNS_COOKIE, FILTERS, SORTS, MemoryList, columns_of
from memories.web.paging import NEWEST

YEAR = 365 * 24 * 3600
SORTED_BY = {"confidence": ("surest", "doubtful"), "salience": ("salient", "fading"), "created": ("", "oldest")}
ALL = "all"  # the rows that every filter leaves
NUMBERS = ("confidence", "salience", "used", "confirmed", "last_used", "updated", "created")
IN_A_GROUP, MOST_OF_A_GROUP = 8, 1_000
KIND = ("category", "type")  # one facet: a claim's category, else what the memory is
KINDS = {**dict.fromkeys(Category.values, "category"), **dict.fromkeys(Type.values, "type")}
VALUES_OF = {
    "type": lambda row: [row.type],
    "status": lambda row: [row.status],
    "category": lambda row: [row.category or ""],
    "source": lambda row: [row.source],
    "scope": lambda row: [row.scope],
    "company_id": lambda row: [row.company_id or ""],
    "tag": lambda row: row.tags,
    "review": lambda row: [row.review or ""],
}


@dataclass(frozen=True)
class Head:
    """The head of a column. `query`: the list sorted by it, the other way round where it already is."""

    name: str
    title: Any
    query: str = ""
    direction: str = ""

    @property
    def is_number(self) -> bool:
        return self.name in NUMBERS


@dataclass(frozen=True)
class Group:
    """A category with its first rows and the number of all; without groups one without a name."""

    name: str
    rows: list[Memory]
    count: int = 0
    query: str = ""


@require_safe
def memories(request: HttpRequest) -> HttpResponse:
    listing, columns = MemoryList.of(request, at=timezone.now()), columns_of(request)
    is_grouped = request.GET.get("group") == "category" and not listing.words
    page = None if is_grouped else listing.page(request)
    groups = _groups(request, listing) if is_grouped else [Group("", page.rows)] if page else []
    facets, total = _facets(request, listing)
    shown_names = [name for name in columns if not (is_grouped and name == "type")]
    export_query = request.GET.copy()
    export_query.setlist("column", columns)
    context = {
        "page": page,
        "groups": groups,
        "asked": listing,
        "facets": facets,
        "total": total,
        "is_cut": total >= MOST_COUNTED,
        "is_grouped": is_grouped,
        "heads": [_head(request, name, listing.sort) for name in shown_names],
        "shown": {name: name in shown_names for name in COLUMNS},
        "columns": [(name, title, name in columns) for name, title in COLUMNS.items()],
        "sorts": [
            (name, BY_RELEVANCE if listing.words and not name else title) for name, (title, _order) in SORTS.items()
        ],
        "searched": hidden_fields(request.GET, "q", "sort"),
        "kept": hidden_fields(request.GET, "column"),
        "exported": export_query.urlencode(),
    }
    response = render(request, "memories/memories.html", context)
    return _remember_columns(response, request, columns)


def _remember_columns(response: HttpResponse, request: HttpRequest, columns: list[str]) -> HttpResponse:
    """Remember chosen columns in this browser."""
    if request.GET.get("column"):
        response.set_cookie(COLUMNS_COOKIE, ".".join(columns), max_age=YEAR, httponly=True, samesite="Lax")
    elif "column" in request.GET:
        response.delete_cookie(COLUMNS_COOKIE)
    return response


def _head(request: HttpRequest, name: str, sort: str) -> Head:
    """A column by which the list can be sorted leads to the list sorted by it."""
    if name not in SORTED_BY or request.GET.get("group"):
        return Head(name, COLUMNS[name])
    falling, rising = SORTED_BY[name]
    parameters = request.GET.copy()
    parameters.pop("cursor", None)
    parameters["sort"] = rising if sort == falling else falling
    direction = {falling: "descending", rising: "ascending"}.get(sort or ("-" if request.GET.get("q") else ""), "")
    return Head(name, COLUMNS[name], f"?{parameters.urlencode()}", direction)


def _facets(request: HttpRequest, listing: MemoryList) -> tuple[list[Facet], int]:
    """The facets, and the number of rows that they count, at most MOST_COUNTED. A chosen one counts without itself."""
    if listing.words:
        counts, total = count_in(listing.hits, VALUES_OF), len(listing.hits)
    else:
        counts, total = _counts(listing)
    facets = [
        facet("status", _("Status"), counts.get("status", {}), request.GET, always=Status.values),
        facet("category", _("Kind"), _kinds(counts), request.GET, always=[*KINDS], filters=KINDS),
        facet("review", _("Behind it"), counts.get("review", {}), request.GET, always=Review.values),
        facet("scope", _("Scope"), counts.get("scope", {}), request.GET),
        facet("source", _("Source"), counts.get("source", {}), request.GET),
        facet("company_id", _("Company"), counts.get("company_id", {}), request.GET),
        facet("tag", _("Tag"), counts.get("tag", {}), request.GET),
    ]
    return [entry for entry in facets if entry.is_shown], total


def _kinds(counts: dict[str, Any]) -> dict[str, int]:
    """The claims by category, all else by type."""
    kinds = {**counts.get("type", {}), **counts.get("category", {})}
    return {kind: n for kind, n in kinds.items() if kind and kind != Type.SEMANTIC}


def _counts(listing: MemoryList) -> tuple[dict[str, Any], int]:
    counts = read_counts(
        ask(_counts_statement(listing.trust, tuple(listing.filters.items()), MOST_COUNTED), listing.at)
    )
    total = counts[ALL][""] if ALL in counts else 0
    return {name: counts.get(column, {}) for name, column in FILTERS.items()}, total


@lru_cache(maxsize=256)
def _counts_statement(trust: Trust, filters: tuple[tuple[str, str], ...], most: int) -> Statement | None:
    listing = MemoryList(trust, INSTANT, INSTANT, dict(filters))
    chosen_names = {KIND if name in KIND else (name,) for name in listing.chosen}
    other_columns = [column for name, column in FILTERS.items() if not any(name in names for names in chosen_names)]
    samples = {ALL: (listing.rows().order_by(*NEWEST), other_columns)}
    samples |= {
        names[0]: (listing.rows(without=names).order_by(*NEWEST), [FILTERS[name] for name in names])
        for names in chosen_names
    }
    return value_counts(samples, most)


def _groups(request: HttpRequest, listing: MemoryList) -> list[Group]:
    """The newest memories of each category, and of each type that has none."""
    rows = listing.rows().order_by(*NEWEST)
    parts = {str(category): rows.filter(type=Type.SEMANTIC, category=category) for category in Category}
    parts |= {str(kind): rows.filter(type=kind, category=None) for kind in Type if kind != Type.EPISODIC}
    first_rows = first_of_each(parts, shown=IN_A_GROUP, most=MOST_OF_A_GROUP)
    ids_to_load = [pk for ids, _n in first_rows.values() for pk in ids]
    by_id = listing.rows().select_related("skill").with_salience(listing.moment).in_bulk(ids_to_load)
    groups = []
    for name in parts:
        if name in first_rows:
            ids, count = first_rows[name]
            rows_of_group = [by_id[pk] for pk in ids if pk in by_id]
            groups.append(Group(name, rows_of_group, count, _group_query(request, name)))
    return groups


def _group_query(request: HttpRequest, name: str) -> str:
    parameters = request.GET.copy()
    parameters.pop("group", None)
    parameters["category" if name in Category.values else "type"] = name
    return f"?{parameters.urlencode()}"
