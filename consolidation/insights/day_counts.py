"""The counts of each day: by a job from what is stored; answers of guidance, which are not stored, as they are given.

The job counts today again and again, each day that is over once, and what was before the first count. A job that dies
leaves a day uncounted, or counted in part, and the next one counts it.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Q

from consolidation.execution import never
from consolidation.guidance.answer import Guidance
from consolidation.insights.flows import FLOWS, flows
from consolidation.models import DailyCount
from consolidation.models.daily_counts import (
    COUNTED,
    OTHER_SCOPES,
    WHOLE_DAY,
    Counted,
    day_of,
    end_of,
    named_scopes,
    start_of,
)
from memories import leases
from memories.models import Memory, Proposal
from memories.models.as_of import TABLE, AsOf, sql
from memories.values.choices import BELIEVED, EXPERIENCE, LIVE, UNDECIDED, Sensitivity
from memories.values.decay import SalienceAt
from memories.values.trust import Trust
from memos_site.platform import outages
from memos_site.platform.postgres import replicas

LEASE = "insights"
GUIDANCE = "guidance"  # the name of counts
LOOKS_BACK = timedelta(days=90)  # of what was before the first count
RETENTION = timedelta(days=400)
SMALL = 20_000  # memories that are counted while a person waits for the page


def count(*, at: datetime, should_stop: Callable[[], bool] = never) -> int:
    """Count today and each former day that is not; returns how many days. 0: another worker counts."""
    with leases.hold(LEASE, wait=False) as fence:
        if not fence:
            return 0
        scopes = named_scopes()
        done = 0
        for day in _days(at):
            if done and should_stop():
                break
            _count_day(day, at, scopes)
            done += 1
        DailyCount.objects.filter(day__lt=day_of(at) - RETENTION).delete()
    return done


def count_first(*, at: datetime) -> bool:
    """Count today for the page of a store that has its first memories and no figures yet; whether that was done.

    A larger store waits for the job, as does one that was counted within the last minute.
    """
    if DailyCount.objects.exclude(name=COUNTED).exists():
        return False
    marked = DailyCount.objects.marks().get(day_of(at))
    if marked is not None and (at - start_of(day_of(at))).total_seconds() - marked < 60:
        return False
    return 0 < Memory.objects.all()[: SMALL + 1].count() <= SMALL and bool(count(at=at, should_stop=lambda: True))


def _days(at: datetime) -> list[date]:
    """Days to count, today first."""
    today = day_of(at)
    first = Memory.objects.order_by("created_at", "pk").values_list("created_at", flat=True).first()
    since = max(day_of(first) if first else today, today - LOOKS_BACK)
    marks = DailyCount.objects.marks()
    days = [today - timedelta(days=n) for n in range((today - since).days + 1)]
    return [day for day in days if marks.get(day, 0) < WHOLE_DAY]


def _count_day(day: date, at: datetime, scopes: list[str]) -> None:
    start, end = start_of(day), end_of(day)
    is_today = at < end
    moment = at if is_today else end
    DailyCount.objects.replace(day, FLOWS, flows(start, end), scopes)
    stood = (*snapshot(moment, scopes=scopes, now=is_today), *_proposals(moment))
    DailyCount.objects.replace(day, (*HISTORY, *NOW), stood, scopes)
    if is_today:
        DailyCount.objects.filter(name__in=NOW, day__lt=day).delete()
    counted = min(int((at - start).total_seconds()), WHOLE_DAY - 1)  # a day on which clocks go back has 25 hours
    DailyCount.objects.mark(day, counted if is_today else WHOLE_DAY)


def count_answer(advice: Guidance, *, trust: Trust, at: datetime) -> None:
    """Count one answer of guidance, in the scope of a caller who has one alone, else without a scope: a name that a
    caller makes up is not kept."""
    only = list(trust.scopes or ())
    scope = only[0] if len(only) == 1 else ""
    labels = ["withheld" if advice.withheld else "unsure" if advice.decision == "unsure" else "answered"]
    if advice.check and advice.check.verdict == "advised_against":
        labels.append("advised_against")
    with outages.dispensable("an answer of guidance"), replicas.primary():  # also where a replica answers
        for label in labels:
            DailyCount.objects.increment(GUIDANCE, label, day=day_of(at), scope=scope)


WEEKS_AHEAD = 8
HISTORY = ("status", "waiting")  # kept of every day
NOW = ("confidence", "salience", "fades", "expires", "weakens")  # of the last day only
AGES = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}  # then "older"


@cache
def _statement() -> str:
    return Path(__file__).with_name("snapshot.sql").read_text()


def snapshot(at: datetime, *, scopes: Sequence[str], now: bool) -> Iterator[Counted]:
    """The counts of the memories at a moment. `now`: it is this moment, and what lies ahead is counted too."""
    names = (*HISTORY, *NOW) if now else HISTORY
    former = AsOf(at, max(Sensitivity.values))
    text = _statement().format(
        memories=TABLE if now else f"({sql()})",
        salience=SalienceAt.sql("m"),
        dimensions=", ".join(names),
        sets=", ".join(f"(scope, sensitivity, {name})" for name in names),
    )
    values: dict[str, Any] = {
        "at": at,
        "horizon": at + timedelta(weeks=WEEKS_AHEAD),
        "scopes": list(scopes),
        "other_scopes": OTHER_SCOPES,
        "experience": [str(status) for status in EXPERIENCE],
        "undecided": [str(status) for status in UNDECIDED],
        "live": [str(status) for status in LIVE],
        "believed": [str(status) for status in BELIEVED],
    }
    others = (1 << len(names)) - 1  # grouping() sets the bits of all but the one that is grouped
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64MB'")  # the groups stay in memory
        cursor.execute(text, values | former.values)
        for scope, sensitivity, label, dimension, n in cursor.fetchall():
            yield names[len(names) - (dimension ^ others).bit_length()], label, scope, sensitivity, n


def _proposals(at: datetime) -> Iterator[Counted]:
    """Proposals that waited then, by age."""
    rows = Proposal.objects.filter(opened_at__lte=at).filter(Q(decision=None) | Q(decided_at__gt=at))
    rows = rows.awake(at).order_by()
    younger = {age: Count("pk", filter=Q(opened_at__gt=at - limit)) for age, limit in AGES.items()}
    groups: Any = rows.values("scope", "sensitivity").annotate(older=Count("pk"), **younger)
    for row in groups:
        below = 0
        for age in (*AGES, "older"):
            yield "waiting", age, row["scope"], row["sensitivity"], row[age] - below
            below = row[age]
