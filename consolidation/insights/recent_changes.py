"""What changed within a week, as links, and which published skills are worth most and least by their runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consolidation.insights.figures import Figures
from consolidation.models.daily_counts import OTHER_SCOPES
from consolidation.models.worth import LEAST_COMPARED, SkillWorth
from memories.models import Memory, Proposal
from memories.values.choices import LIVE, Status
from memories.values.trust import Trust
from skills.models import SkillVersion

DAYS = 7
MOST_SKILLS = 3
MOST_PUBLISHED = 5
MOST_NAMED = 4


@dataclass(frozen=True)
class Change:
    """So many of a kind, None where they are not counted, and the page that shows them."""

    n: int | None
    words: str
    address: str


@dataclass(frozen=True)
class NamedChanges:
    """A change, and the latest memories that it is about."""

    change: Change
    memories: Sequence[Memory]


@dataclass(frozen=True)
class MeasuredSkill:
    memory_id: UUID
    name: str
    worth: SkillWorth
    gain: float


def week(figures: Figures, *, scope: str | None) -> list[Change]:
    """Kinds of change that happened, from the daily counts."""
    confirmed = _list_of("memories", scope, status=Status.CONFIRMED)

    def lately(name: str, *labels: str) -> int:
        return int(sum(n or 0 for n in figures.by_day(name, *labels)[-DAYS:]))

    fading = sum(n or 0 for name in ("fades", "expires") for n in figures.now(name, ["0"]))
    changes = [
        Change(lately("arrived", ""), _("came in to be learned or decided"), _list_of("inbox", scope)),
        Change(lately("decided", "taken", "changed"), _("accepted or reworded by people"), confirmed),
        Change(lately("decided", "climbed"), _("promoted by rules"), confirmed),
        Change(lately("decided", "refused"), _("dismissed or rejected"), _list_of("dismissed", scope)),
        Change(int(fading), _("will fade or end within a week"), "#chart-forecast"),
    ]
    return [change for change in changes if change.n]


def changes_by_name(trust: Trust, *, at: datetime, scope: str | None) -> list[NamedChanges]:
    """The open conflicts, and live claims that lost confidence within a week; the latest of each by name.

    One statement. Claims that fade are met once a week: what was met lately is due in the week to come. They are not
    counted, for there may be very many.
    """
    opened = Proposal.objects.visible_to(trust).open().awake(at).filter(kind=Proposal.Kind.CONFLICT)
    conflicts = _within(opened, scope, "").order_by("-opened_at", "-pk")
    due = Memory.objects.visible_to(trust).unexpired(at).live().filter(decay_steps__gt=0, decay_due_at__gt=at)
    fading = _within(due.filter(decay_due_at__lte=at + timedelta(days=DAYS)), scope, "").order_by("-decay_due_at")
    opened_at = Subquery(conflicts.filter(memory=OuterRef("pk")).values("opened_at")[:1])
    number = Subquery(conflicts.order_by().values("kind").annotate(n=Count("pk")).values("n"))
    latest = Q(pk__in=conflicts.values("memory")[:MOST_NAMED]) | Q(pk__in=fading.values("pk")[:MOST_NAMED])
    rows: Any = Memory.objects.visible_to(trust).filter(latest).select_related("skill")
    changed = list(rows.annotate(opened_at=opened_at, conflicts=number).order_by("-opened_at", "-decay_due_at"))
    contested, faded = [row for row in changed if row.opened_at], [row for row in changed if not row.opened_at]
    n = contested[0].conflicts if contested else 0
    words = ngettext("open conflict", "open conflicts", n)
    lost = _("Claims that lost confidence, latest first")
    changes = (
        Change(n, words, _list_of("inbox", scope, kind=Proposal.Kind.CONFLICT)),
        Change(None, lost, "#chart-forecast"),
    )
    return [NamedChanges(*change) for change in zip(changes, (contested, faded), strict=True) if change[1]]


def published(trust: Trust, *, at: datetime, scope: str | None) -> Sequence[SkillVersion]:
    """Versions that were published within a week, the latest first."""
    versions = SkillVersion.objects.filter(status=SkillVersion.Status.PUBLISHED).select_related("skill")
    recent = versions.filter(trust.visible("skill__memory__"), published_at__gt=at - timedelta(days=DAYS))
    return list(_within(recent, scope, "skill__memory__").order_by("-published_at")[:MOST_PUBLISHED])


def best_and_worst(trust: Trust, *, scope: str | None) -> tuple[list[MeasuredSkill], list[MeasuredSkill]]:
    """Of the published skills whose runs can be compared those that help most, and those that do not. Smoothed, so
    that two of two runs do not stand before twenty of twenty-one."""
    rows = SkillWorth.objects.visible_to(trust).filter(
        memory__status__in=LIVE, memory__skill__versions__status=SkillVersion.Status.PUBLISHED
    )
    compared = [
        worth
        for worth in _within(rows, scope, "memory__").select_related("memory__skill")
        if min(worth.followed, worth.otherwise) >= LEAST_COMPARED
    ]
    measured = [MeasuredSkill(worth.pk, worth.memory.skill.title, worth, _gain(worth)) for worth in compared]
    measured.sort(key=lambda skill: skill.gain, reverse=True)
    best = [skill for skill in measured if skill.gain > 0]
    return best[:MOST_SKILLS], [skill for skill in measured[::-1] if skill.gain <= 0][:MOST_SKILLS]


def _gain(worth: SkillWorth) -> float:
    followed = (worth.followed_well + 1) / (worth.followed + 2)
    return followed - (worth.otherwise_well + 1) / (worth.otherwise + 2)


def _list_of(page: str, scope: str | None, **filters: str) -> str:
    """The address of a list, narrowed to the scope where it has a name."""
    asked = filters | ({"scope": scope} if scope and scope != OTHER_SCOPES else {})
    return reverse(page) + (f"?{urlencode(asked)}" if asked else "")


def _within(rows: QuerySet[Any], scope: str | None, path: str) -> QuerySet[Any]:
    """OTHER_SCOPES names no scope of a row: nothing is left out then."""
    return rows if scope in (None, OTHER_SCOPES) else rows.filter(**{f"{path}scope": scope})
