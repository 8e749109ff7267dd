"""The list of episodes: filters of its address, single events folded, facets with counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import Any, Self

from django.db.models import Count, F, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories.models import Episode, Event, Memory
from memories.models.episode import LONGEST_TRACE, UNKNOWN, VERDICTS
from memories.models.memory import MemoryQuerySet
from memories.models.passage import with_words
from memories.people import trust_of
from memories.values.choices import Outcome, Type
from memories.values.trust import Trust
from memories.web.facets import (
    MOST_COUNTED,
    MOST_VALUES,
    Facet,
    Tab,
    facet,
    facets_with_counts,
    filters_of,
    hidden_fields,
    tabs_of,
)
from memories.web.paging import NEWEST, page_of

EXACT = ("source", "scope", "thread_id")  # columns that an episode shares with its memory, where their indexes are
FILTERS = (*EXACT, "view", "outcome", "verdict", "tool", "q", "from", "to")
PROBABLY_FAILED = "probably-failed"
FIELDS = ("q", "thread_id", "from", "to")  # of the form; the others are facets
MOST_READ_FOR_TOOLS = 200  # newest episodes of the list, whose tools are offered
FOLDED_FROM = 3  # single events of one source on a page


@dataclass(frozen=True)
class EpisodeList:
    trust: Trust
    at: datetime
    filters: dict[str, str]

    @classmethod
    def of(cls, request: HttpRequest, *, at: datetime) -> Self:
        return cls(trust_of(request.user), at, filters_of(request.GET, FILTERS))

    def rows(self, *, without: str = "") -> MemoryQuerySet:
        """The memories of the episodes that match the filters, except the filter `without`; unordered."""
        filters = {name: "" if name == without else value for name, value in self.filters.items()}
        rows = Memory.objects.visible_to(self.trust).unexpired(self.at).filter(type=Type.EPISODIC)
        rows = rows.filter(**{name: filters[name] for name in EXACT if filters[name]})
        if filters["view"] == PROBABLY_FAILED:
            rows = rows.filter(episode__in=Episode.objects.probably_failed())
        if filters["outcome"]:
            rows = rows.filter(episode__in=Episode.objects.ended([filters["outcome"]]))
        if filters["verdict"]:
            rows = rows.filter(episode__in=Episode.objects.filter(verdict=filters["verdict"]))
        if filters["tool"]:
            rows = rows.filter(pk__in=Event.objects.filter(tool=filters["tool"]).order_by().values("episode"))
        for name, comparison in (("from", "created_at__gte"), ("to", "created_at__lte")):
            if day := _day(filters[name]):
                rows = rows.filter(**{comparison: _edge(day, is_end=name == "to")})
        return with_words(rows, filters["q"]) if filters["q"] else rows


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _edge(day: date, *, is_end: bool) -> datetime:
    """The first or the last instant of a day in the reader's time zone."""
    return timezone.make_aware(datetime.combine(day, time.max if is_end else time.min))


@require_safe
def episodes(request: HttpRequest) -> HttpResponse:
    """List episodes, newest first; single events of one source are folded into one line."""
    listing = EpisodeList.of(request, at=timezone.now())
    page = page_of(request, listing.rows().select_related("episode"))
    facets, total, views = _facets(request, listing)
    context = {
        "page": page,
        "groups": _groups(page.rows),
        "filters": listing.filters,
        "facets": facets,
        "total": total,
        "views": views,
        "is_cut": total >= MOST_COUNTED,
        "kept": hidden_fields(request.GET, *FIELDS),
        "is_dated": any(listing.filters[name] for name in ("thread_id", "from", "to")),
    }
    return render(request, "memories/episodes.html", context)


def _groups(rows: Iterable[Memory]) -> list[list[Memory]]:
    """Episodes in their order; single events of one source together, where its first one stands."""
    groups: dict[Any, list[Memory]] = {}
    for row in rows:
        single = row.episode.event_count == 1 and row.episode.outcome is None and row.episode.thread_id is None
        groups.setdefault((row.source, row.scope) if single else row.pk, []).append(row)
    lists: list[list[Memory]] = []
    for group in groups.values():
        lists += [group] if len(group) >= FOLDED_FROM else [[row] for row in group]
    return sorted(lists, key=lambda group: (group[0].created_at, group[0].pk), reverse=True)


def _facets(request: HttpRequest, listing: EpisodeList) -> tuple[list[Facet], int, list[Tab]]:
    """The facets, the number of episodes that they count, at most MOST_COUNTED, and the tabs of the ready-made views;
    no tabs if "probably failed" finds nothing."""
    titles: dict[str, tuple[str, Sequence[str]]] = {
        "outcome": (_("Outcome"), [*Outcome.values, UNKNOWN]),
        "verdict": (_("Risk of failure"), VERDICTS),
        "source": (_("Source"), ()),
        "scope": (_("Scope"), ()),
    }
    failed_listing = replace(listing, filters={**listing.filters, "view": PROBABLY_FAILED})
    views = {
        "every": _rows_with_outcome(listing.rows(without="view")),
        PROBABLY_FAILED: _rows_with_outcome(failed_listing.rows()),
    }
    facets, counts = facets_with_counts(
        request.GET, titles, lambda name: _rows_with_outcome(listing.rows(without=name)), views
    )
    tool = facet("tool", _("Tool"), _tools(listing), request.GET)
    if tool.is_shown:
        facets.insert(sum(other.name == "outcome" for other in facets), tool)
    names = {"": _("All"), PROBABLY_FAILED: _("Probably failed")}
    tabs = tabs_of(request.GET, "view", names, [counts[view] for view in views])
    shows_views = counts[PROBABLY_FAILED] or listing.filters["view"]
    return facets, counts["list"], tabs if shows_views else []


def _rows_with_outcome(rows: MemoryQuerySet) -> MemoryQuerySet:
    rows_with_outcome: MemoryQuerySet = rows.annotate(
        outcome=Coalesce(F("episode__outcome"), Value(UNKNOWN)), verdict=F("episode__verdict")
    )
    return rows_with_outcome.order_by(*NEWEST)


def _tools(listing: EpisodeList) -> dict[str, int]:
    """The tools of the newest episodes of the list, with the number of these episodes that call each."""
    newest = listing.rows(without="tool").order_by(*NEWEST).values("pk")[:MOST_READ_FOR_TOOLS]
    events = Event.objects.filter(episode__in=newest, position__lte=LONGEST_TRACE).exclude(tool="").order_by()
    counts = events.values_list("tool").annotate(n=Count("episode", distinct=True)).order_by("-n", "tool")
    return dict(counts[:MOST_VALUES])
