"""The page of insights: figures over time as charts, each with its table and a file for spreadsheets."""

from dataclasses import replace
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from consolidation.insights import day_counts, recent_changes
from consolidation.insights.charts import CHARTS, WINDOWS
from consolidation.insights.figures import Figures, read
from consolidation.insights.headline import headline, name_of_scope
from memories.people import trust_of
from memories.web.charts import csv_response

LONGEST_SCOPE = 128
EVERY_SCOPE, NO_SCOPE = "", "-"  # values of the select; no scope can have the second as its name


@require_safe
def insights(request: HttpRequest) -> HttpResponse:
    figures, window, scope = _read(request)
    trust, only, now = trust_of(request.user), _only(scope), timezone.now()
    best, worst = recent_changes.best_and_worst(trust, scope=only)
    query = urlencode({"days": window, "scope": scope})
    charts = [
        replace(make(figures), csv_address=f"{reverse('insights-csv', args=[name])}?{query}")
        for name, make in CHARTS.items()
    ]
    context = {
        "charts": charts,
        "headline": headline(figures, trust, scope=only),
        "best": best,
        "worst": worst,
        "changes": recent_changes.week(figures, scope=only),
        "named": recent_changes.changes_by_name(trust, at=now, scope=only),
        "published": recent_changes.published(trust, at=now, scope=only),
        "counted_at": figures.counted_at,
        "zone": timezone.get_default_timezone_name(),  # of the workspace: days are counted once, for everybody
        "windows": WINDOWS,
        "window": window,
        "scope": scope,
        "scopes": [(one or NO_SCOPE, name_of_scope(one)) for one in figures.scopes],
    }
    return render(request, "consolidation/insights.html", context)


@require_safe
def insights_csv(request: HttpRequest, chart: str) -> HttpResponse:
    if chart not in CHARTS:
        raise Http404
    figures, _window, _scope = _read(request, iso_days=True)
    return csv_response(CHARTS[chart](figures))


def _read(request: HttpRequest, *, iso_days: bool = False) -> tuple[Figures, int, str]:
    """The figures that the address asks for, its window in days, and its scope."""
    asked = request.GET.get("days", "")
    window = int(asked) if asked in map(str, WINDOWS) else WINDOWS[0]
    scope = request.GET.get("scope", EVERY_SCOPE)[:LONGEST_SCOPE]
    only = _only(scope)
    trust, at = trust_of(request.user), timezone.now()
    figures = read(trust, at=at, window=window, scope=only)
    if figures.is_empty and day_counts.count_first(at=at):
        figures = read(trust, at=at, window=window, scope=only)
    return replace(figures, iso_days=iso_days), window, scope


def _only(scope: str) -> str | None:
    """The scope that a value of the select means; None: every one."""
    return None if scope == EVERY_SCOPE else "" if scope == NO_SCOPE else scope
