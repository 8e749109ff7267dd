"""GET insights: the counts of each day that the page of insights draws."""

from datetime import date, datetime
from typing import Any, Literal

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation.insights.charts import WINDOWS
from consolidation.insights.day_counts import NOW
from consolidation.insights.figures import Figures, read
from consolidation.insights.flows import ENDED
from consolidation.insights.headline import ArmComparison, headline
from consolidation.models.daily_counts import COUNTED
from memories.api import paging
from memories.api.base import ApiView
from memories.api.openapi import operation
from memories.api.paging import query
from memories.api.shapes import EXAMPLE_TIME, Count, Shape
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid
from memories.values.trust import Trust

DAYS = query("days", {"type": "integer", "enum": list(WINDOWS), "default": WINDOWS[0]}, "Length of the window.")
SCOPE = query("scope", {"type": "string"}, "Only of this scope; empty: rows without a scope.")


class EndedRuns(Shape):
    """Runs that ended within the window and have an outcome"""

    well: Count
    ill: Count


class ComparedRuns(Shape):
    with_memory: EndedRuns
    """Runs whose context held a memory, or that were offered a skill"""
    without_memory: EndedRuns
    withheld: EndedRuns
    """Runs from which memory was withheld at random, to measure its benefit"""


class Insights(Shape):
    counted_at: datetime | None
    """When a job last counted; null before the first count"""
    days: list[date]
    """Days in the workspace's time zone, oldest first; the last is today"""
    scopes: list[str]
    """Scopes with counts of their own; `*` is the sum of the smaller ones"""
    waiting: Count
    """Items that wait for a decision, by the latest count"""
    runs: ComparedRuns
    runs_before: ComparedRuns
    """The same for the window before"""
    tokens: Count
    """Tokens that the language model read and wrote"""
    cost: float | None
    """The cost of these tokens, in the currency of LLM_PRICES; null where it is not set"""
    counts: dict[str, dict[str, list[Count]]]
    """For each name and label one number a day: `status` / `applied`, `arrived`, `decided` / `taken`, `waiting` /
    `week`, `retrieved` / `hit`, `offered` / `unreviewed`, `used` / `success`, `guidance` / `unsure`, `model` / `calls`
    and others; what was never counted is left out"""
    latest: dict[str, dict[str, Count]]
    """For each name and label the number at the latest count: live memories by `confidence` in tens and `salience` in
    tenths (`0` to `9`), and those that `fades`, `expires` and `weakens` in so many weeks (`0`: this week)"""

    example = {
        "counted_at": EXAMPLE_TIME,
        "days": ["2026-11-26", "2026-11-27"],
        "scopes": ["", "project:shop"],
        "waiting": 13,
        "runs": {
            "with_memory": {"well": 31, "ill": 9},
            "without_memory": {"well": 20, "ill": 20},
            "withheld": {"well": 9, "ill": 8},
        },
        "runs_before": {
            "with_memory": {"well": 12, "ill": 6},
            "without_memory": {"well": 15, "ill": 12},
            "withheld": {"well": 0, "ill": 0},
        },
        "tokens": 120_000,
        "cost": None,
        "counts": {"status": {"candidate": [11, 12], "applied": [4, 5]}, "arrived": {"": [3, 6]}},
        "latest": {"confidence": {"7": 5, "9": 11}, "fades": {"0": 3}},
    }


class InsightsView(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"days", "scope"})

    @operation("GetInsights", "Caller", Insights, parameters=(DAYS, SCOPE))
    def get(self, request: Request) -> Response:
        """Counts of each day

        Counted every 15 minutes, within what the caller may see: intake, decisions, memories given to agents,
        outcomes of runs with and without memory, calls of the language model.
        """
        asked = paging.exact(request, "days", "scope")
        return Response(_answer(self.trust, _window(asked.get("days")), asked.get("scope"), at=timezone.now()))


def _window(text: str | None) -> Literal[30, 90]:
    for window in WINDOWS:
        if text in (None, str(window)):
            return window
    raise Invalid(FieldError("/days", "invalid", f"must be {' or '.join(map(str, WINDOWS))}"))


def _answer(trust: Trust, window: int, scope: str | None, *, at: datetime) -> dict[str, Any]:
    figures = read(trust, at=at, window=window, scope=scope)
    first = headline(figures, trust, scope=scope)
    return {
        "counted_at": figures.counted_at,
        "days": figures.days,
        "scopes": figures.scopes,
        "waiting": first.waiting,
        "runs": _compared(first.now),
        "runs_before": _compared(first.former),
        "tokens": first.tokens,
        "cost": first.cost,
        "counts": _counts(figures),
        "latest": _latest(figures),
    }


def _compared(beside: ArmComparison) -> dict[str, dict[str, int]]:
    sides = {"with_memory": beside.given, "without_memory": beside.without, "withheld": beside.withheld}
    return {name: {"well": ends.well, "ill": ends.ill} for name, ends in sides.items()}


def _counts(figures: Figures) -> dict[str, dict[str, list[Any]]]:
    """Without runs by their source, which `runs` sums up, how much of a day is counted, and what `latest` holds."""
    counts: dict[str, dict[str, list[Any]]] = {}
    for name, label in sorted(figures.counts):
        if name not in (COUNTED, *ENDED, *NOW):
            counts.setdefault(name, {})[label] = figures.by_day(name, label)
    return counts


def _latest(figures: Figures) -> dict[str, dict[str, Any]]:
    latest: dict[str, dict[str, Any]] = {}
    for name, label in sorted(figures.counts):
        if name in NOW:
            latest.setdefault(name, {})[label] = figures.now(name, [label])[0]
    return latest
