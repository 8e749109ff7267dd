"""How many memories there were of each kind at one moment, by one pass over their table as of then."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Q

from consolidation.insights.days import place
from consolidation.models import DailyCount
from consolidation.models.daily_counts import OTHER_SCOPES
from memories.models import Proposal
from memories.models.as_of import TABLE, AsOf, sql
from memories.values.choices import BELIEVED, EXPERIENCE, LIVE, UNDECIDED, Sensitivity
from memories.values.decay import SalienceAt

WEEKS_AHEAD = 8
HISTORY = ("status", "waiting")  # kept of every day
NOW = ("confidence", "salience", "fades", "expires", "weakens")  # of the last day only
AGES = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}  # then "older"


@cache
def _statement() -> str:
    return Path(__file__).with_name("snapshot.sql").read_text()


def snapshot(day: date, at: datetime, *, scopes: Sequence[str], now: bool) -> list[DailyCount]:
    """The counts of the store at a moment. `now`: it is this moment, and what lies ahead is counted too."""
    names = (*HISTORY, *NOW) if now else HISTORY
    rows = [
        DailyCount(day=day, name=name, label=label, scope=scope, sensitivity=sensitivity, n=n)
        for scope, sensitivity, label, name, n in _groups(names, at, scopes=scopes, now=now)
    ]
    return [*rows, *_proposals(day, at, scopes)]


def _groups(
    names: Sequence[str], at: datetime, *, scopes: Sequence[str], now: bool
) -> Iterator[tuple[str, int, str, str, int]]:
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
            yield scope, sensitivity, label, names[len(names) - (dimension ^ others).bit_length()], n


def _proposals(day: date, at: datetime, scopes: Sequence[str]) -> list[DailyCount]:
    """Proposals that waited then, by age."""
    rows = Proposal.objects.filter(opened_at__lte=at).filter(Q(decision=None) | Q(decided_at__gt=at))
    rows = rows.awake(at).order_by()
    younger = {age: Count("pk", filter=Q(opened_at__gt=at - limit)) for age, limit in AGES.items()}
    counted = []
    groups: Any = rows.values("scope", "sensitivity").annotate(older=Count("pk"), **younger)
    for row in groups:
        below = 0
        for age in (*AGES, "older"):
            n, below = row[age] - below, row[age]
            facts = {"scope": place(row["scope"], scopes, OTHER_SCOPES), "sensitivity": row["sensitivity"]}
            counted.append(DailyCount(day=day, name="waiting", label=age, n=n, **facts))
    return counted
