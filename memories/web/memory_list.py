"""The list of memories: its filters, words, order and columns, as its address and a cookie name them."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, Self

from django.db.models.functions import Length
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from pydantic import ValidationError

from memories.models import Memory
from memories.models.built import INSTANT, BuiltRows
from memories.models.memory import MemoryQuerySet
from memories.people import trust_of
from memories.search.request import SearchRequest
from memories.search.run import KNOWLEDGE, find, is_relevant
from memories.values import keyset
from memories.values.choices import Status, Type
from memories.values.conditions import Filter, InScope
from memories.values.keyset import Order, Page
from memories.values.search_words import in_key
from memories.values.speakers import OfReview
from memories.values.trust import Trust
from memories.web.facets import filters_of
from memories.web.paging import NEWEST, moment_of, page_of

FILTERS = {"type": "type", "status": "status", "category": "category", "source": "source", "scope": "scope"}
FILTERS |= {"company_id": "company_id", "tag": "tags", "review": "review"}  # of the address, with their columns
ROWS = 50  # of a page
LONGEST_QUESTION = 1_000
MOST_HITS = 50  # of a search, best first
MOST_BY_KEY = 20
SORTS = {
    "": (_("Newest first"), NEWEST),
    "oldest": (_("Oldest first"), ("created_at", "id")),
    "surest": (_("Surest first"), ("-confidence", "-created_at", "-id")),
    "doubtful": (_("Least sure first"), ("confidence", "created_at", "id")),
    "salient": (_("Most salient first"), ("-salience_order", "-id")),
    "fading": (_("Fading first"), ("salience_order", "id")),
}
OF_HITS = {"salience_order": "salience_now"}  # what rows that are at hand are sorted by
BY_RELEVANCE = _("Best match first")
COLUMNS = {
    "status": _("Status"),
    "type": _("Kind"),
    "scope": _("Scope"),
    "source": _("Source"),
    "company": _("Company"),
    "tags": _("Tags"),
    "key": _("Key"),
    "confidence": _("Confidence"),
    "salience": _("Salience"),
    "used": _("Used"),
    "confirmed": _("Confirmed"),
    "last_used": _("Last used"),
    "updated": _("Changed"),
    "created": _("Created"),
}
DEFAULT_COLUMNS = ("status", "type", "scope", "confidence", "created")
COLUMNS_COOKIE = "memory_columns"


@dataclass
class MemoryList:
    """The request for the list. `words`: searched by words and by meaning, as in the API's search."""

    trust: Trust
    at: datetime
    moment: datetime  # at which salience is computed: that of the first page
    filters: dict[str, str]
    words: str = ""
    sort: str = ""
    degraded: tuple[str, ...] = field(default=(), init=False)
    is_cut: bool = field(default=False, init=False)  # the search may have found more than it answered

    @classmethod
    def of(cls, request: HttpRequest, *, at: datetime) -> Self:
        filters = filters_of(request.GET, FILTERS)
        words = " ".join(request.GET.get("q", "").split())[:LONGEST_QUESTION]
        sort = request.GET.get("sort", "")
        return cls(trust_of(request.user), at, moment_of(request), filters, words, sort if sort in SORTS else "")

    @property
    def order(self) -> Order:
        """The chosen order; newest first for episodes by salience, which have no index for it."""
        order = SORTS[self.sort][1]
        return NEWEST if _by_salience(order) and self.filters["type"] == Type.EPISODIC else order

    @property
    def chosen(self) -> list[str]:
        """The names of the filters that narrow the list."""
        return [name for name in FILTERS if self.filters[name]]

    def rows(self, *, without: Collection[str] = ()) -> MemoryQuerySet:
        """The memories that match the filters, unordered; `without`: filters to ignore. Words are not searched for."""
        exact = {name: value for name, value in self.filters.items() if name not in ("tag", *without)}
        rows = Memory.objects.visible_to(self.trust).unexpired(self.at).with_review().matching(**exact)
        tag = self.filters["tag"] if "tag" not in without else ""
        return rows.filter(tags__contains=[tag]) if tag else rows

    def rows_to_sort(self) -> MemoryQuerySet:
        """The memories with the annotation by which they are sorted."""
        rows = self.rows()
        return rows.in_salience_order(self.moment) if _by_salience(self.order) else rows

    def page(self, request: HttpRequest) -> Page[Memory]:
        """The page at the cursor of the address; a search has a single page."""
        if self.words:
            return Page(self.hits, None, None)
        by_salience = _by_salience(self.order)
        if not by_salience and not request.GET.get("cursor"):
            first = _first_rows(self.trust, tuple(self.filters.items()), self.order).read(at=self.moment)
            return keyset.page_of(first, self.order, limit=ROWS, at=self.moment, cursor=None)
        rows = self.rows_to_sort().select_related("skill").with_salience(self.moment)
        parts = rows.parts_by_salience(self.moment) if by_salience else None
        return page_of(request, rows, self.order, limit=ROWS, at=self.moment, parts=parts)

    @cached_property
    def hits(self) -> list[Memory]:
        """The memories that match the words, best first, then those that have them in their key alone.

        Three statements or more; an endpoint may embed the words: not within a transaction.
        """
        results = self._ids_by_search()
        ids = list(dict.fromkeys([*results, *self.rows_by_key().values_list("pk", flat=True)[:MOST_BY_KEY]]))
        rows = self.rows().select_related("skill").with_salience(self.moment).in_bulk(ids)
        results = [rows[pk] for pk in ids if pk in rows]
        for name in reversed(self.order if self.sort else ()):
            results.sort(key=attrgetter(OF_HITS.get(name.lstrip("-"), name.lstrip("-"))), reverse=name.startswith("-"))
        return results

    def rows_by_key(self) -> MemoryQuerySet:
        """The memories that have the words in their key, shortest key first.

        No index has this order, so the database starts from the words.
        """
        return self.rows().filter(in_key(self.words)).order_by(Length("key"), *NEWEST)

    def _ids_by_search(self) -> list[Any]:
        """The ids of memories that the search finds within the filters, best first."""
        fields: dict[str, Any] = {"query": self.words, "limit": MOST_HITS, "types": KNOWLEDGE}
        fields["statuses"] = [self.filters["status"]] if self.filters["status"] else Status.values
        lists = {"type": "types", "category": "categories", "scope": "scopes", "tag": "tags"}
        fields |= {lists[name]: [self.filters[name]] for name in lists if self.filters[name]}
        fields |= {name: self.filters[name] for name in ("source", "company_id") if self.filters[name]}
        try:
            request = SearchRequest.model_validate(fields)
        except ValidationError:  # a filter that no memory can meet
            return []
        scope, review = self.filters["scope"], self.filters["review"]
        extra_filter = Filter((InScope(scope),) if scope else ()) & Filter((OfReview(review),) if review else ())
        answer = find(request, trust=self.trust, at=self.at, extra_filter=extra_filter)
        self.degraded = answer.degraded
        matches = [result.memory.pk for result in answer.results if is_relevant(result)]
        self.is_cut = len(matches) == MOST_HITS
        return matches


@lru_cache(maxsize=64)
def _first_rows(trust: Trust, filters: tuple[tuple[str, str], ...], order: Order) -> BuiltRows[Memory]:
    rows = MemoryList(trust, INSTANT, INSTANT, dict(filters)).rows().select_related("skill").with_salience(INSTANT)
    return BuiltRows(keyset.after(rows, order, None)[: ROWS + 1])


def _by_salience(order: Order) -> bool:
    return order[0].lstrip("-") == "salience_order"


def columns_of(request: HttpRequest) -> list[str]:
    """The columns of the address, else those remembered in this browser, else the usual ones; in the table's order."""
    names = request.GET.getlist("column") or request.COOKIES.get(COLUMNS_COOKIE, "").split(".")
    return [name for name in COLUMNS if name in names] or list(DEFAULT_COLUMNS)
