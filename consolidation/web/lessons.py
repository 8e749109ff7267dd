"""The page of lessons, one for each scope: what made the difference where no skill says it, and what each is worth."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from consolidation import lessons_run, llm, ordering
from consolidation.guidance import line_runs, offer_benefit
from consolidation.guidance.line_runs import LineRuns, Link
from consolidation.models import GuidanceCurve, Lesson, Run
from consolidation.models.lessons import VERSION
from memories.models import Evidence
from memories.people import trust_of
from memories.values.choices import BELIEVED, UNDECIDED, Permission
from memories.values.trust import Trust

MOST_SHOWN = 100
PARTS = {"waiting": UNDECIDED, "in_use": BELIEVED}


@dataclass(frozen=True)
class Row:
    """A lesson with the runs that it comes from, as far as the person may see them, and what its offers tell."""

    lesson: Lesson
    runs: list[Link]
    answer: str


@require_safe
def lessons(request: HttpRequest) -> HttpResponse:
    trust = trust_of(request.user)
    scopes = _scopes(trust)
    asked = request.GET.get("scope")
    scope = asked if asked in scopes else next(iter(scopes), "")
    context = {
        "scope": scope,
        "scopes": [(name, name) for name in scopes if name],
        "parts": _parts(trust, scope),
        "known": bool(scopes),
        "has_model": llm.configured(),
        **_comparison(trust, scope),
    }
    return render(request, "consolidation/lessons.html", context)


def _scopes(trust: Trust) -> list[str]:
    """The scopes that have lessons, then those that have enough runs to be measured."""
    with_lessons = Lesson.objects.visible_to(trust).order_by().values_list("memory__scope", flat=True).distinct()
    measured = GuidanceCurve.objects.visible_to(trust).order_by().values_list("scope", flat=True).distinct()
    return [*sorted(with_lessons), *sorted(set(measured) - set(with_lessons))]


def _parts(trust: Trust, scope: str) -> dict[str, list[Row]]:
    """The lessons that wait, those in use and those that were retired, the latest first."""
    rows = Lesson.objects.visible_to(trust).filter(memory__scope=scope).with_counters().select_related("memory__skill")
    latest = list(rows.order_by("-memory__created_at")[:MOST_SHOWN])
    behind: dict[Any, list[Any]] = defaultdict(list)
    evidence = Evidence.objects.filter(memory__in=[lesson.pk for lesson in latest]).exclude(episode=None)
    for memory, episode in evidence.values_list("memory", "episode"):
        behind[memory].append(episode)
    seen = line_runs.visible([LineRuns("", "", ids, len(ids)) for ids in behind.values()], trust)
    answers = _answers(latest)
    parts: dict[str, list[Row]] = {"waiting": [], "in_use": [], "retired": []}
    for lesson in latest:
        part = next((name for name, statuses in PARTS.items() if lesson.memory.status in statuses), "retired")
        runs = [seen[pk] for pk in behind[lesson.pk] if pk in seen]
        parts[part].append(Row(lesson, runs, answers.get(lesson.pk, "")))
    return parts


def _answers(lessons: Iterable[Any]) -> dict[UUID, str]:
    """Whether each helps, as its offers tell; only of those that were offered."""
    offered = [lesson.pk for lesson in lessons if lesson.helped + lesson.harmed + lesson.not_shown]
    return {pk: measured.said for pk, measured in offer_benefit.worth_of_each(offered, VERSION).items()}


def _comparison(trust: Trust, scope: str) -> dict[str, Any]:
    """The latest comparison, and the price of the next one; nothing without a model or for who may not order it."""
    if not llm.configured() or not trust.may(Permission.REVIEW) or scope not in (trust.scopes or (scope,)):
        return {}
    runs = Run.objects.visible_to(trust).filter(kind=lessons_run.KIND, scope=scope)
    return {"run": runs.order_by("-created_at", "-id").first(), "price": ordering.lessons_price(trust, scope)}
