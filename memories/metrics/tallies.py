"""Tallies: counts of memories and audit entries that can be added up, and kept as JSON.

The figures of a caller follow from the sum of the tallies of what it may see.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, F, IntegerField, Min, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, Floor, Least

from memories.models import AuditEntry
from memories.models.memory import MemoryQuerySet
from memories.values.choices import EXPERIENCE, LIVE, Category, Sensitivity, Status, Type
from memories.values.trust import Trust

Row = Mapping[str, Any]
Tally = dict[str, dict[str, float]]  # a name -> label -> number

RECENT, WEEK, DAY = timedelta(days=30), timedelta(days=7), timedelta(days=1)
BUCKETS = 10
TENTHS = tuple(f"{n / BUCKETS}-{(n + 1) / BUCKETS}" for n in range(BUCKETS))  # 0.0-0.1, ..., 0.9-1.0
TENS = tuple(f"{10 * n}-{10 * n + 9 + (n == 9)}" for n in range(BUCKETS))  # 0-9, ..., 90-100
UNDECIDED = (Status.CANDIDATE, Status.CONTESTED)
KEPT: list[Q] = []  # candidates that nobody is asked about: rooms above add theirs when they are loaded
LOSSES = ("decay", "expire", "prune")
OF_ALL, OF_LIVE = ("type", "status", "category", "sensitivity"), ("salience_bucket", "confidence_bucket")
SUMS, SUMS_OF_LIVE = (
    ("last_day", "last_week", "last_month", "waiting"),
    ("active", "pinned_rows", "salience_sum", "confidence_sum"),
)


def waits(at: datetime) -> Q:
    """The condition of memories that wait for a person."""
    waiting = Q(status__in=UNDECIDED) & ~Q(type__in=EXPERIENCE) & (Q(snoozed_until=None) | Q(snoozed_until__lte=at))
    for exception in KEPT:
        waiting &= ~(Q(status=Status.CANDIDATE) & exception)
    return waiting


def groups(rows: MemoryQuerySet, *more: str, at: datetime) -> Iterable[Row]:
    """Memories that have not expired, grouped by their dimensions (and `more` columns) in one pass over the table."""
    bucket = Least(Cast(Floor(F("salience_now") * BUCKETS), IntegerField()), BUCKETS - 1)
    waiting = waits(at)
    aggregates: dict[str, Any] = {
        "n": Count("pk"),
        "active": Count("pk", filter=Q(fades_at=None) | Q(fades_at__gt=at)),
        "pinned_rows": Count("pk", filter=Q(pinned=True)),
        "salience_sum": Sum("salience_now"),
        "confidence_sum": Sum("confidence"),
        "last_day": Count("pk", filter=Q(created_at__gt=at - DAY)),
        "last_week": Count("pk", filter=Q(created_at__gt=at - WEEK)),
        "last_month": Count("pk", filter=Q(created_at__gt=at - RECENT)),
        "waiting": Count("pk", filter=waiting),
        "oldest": Min("created_at", filter=waiting),
    }
    standing = rows.filter(Q(expires_at=None) | Q(expires_at__gt=at))
    levels = standing.with_salience(at).annotate(
        salience_bucket=bucket, confidence_bucket=Least(F("confidence") / Value(BUCKETS), BUCKETS - 1)
    )
    sums: Iterable[Row] = levels.order_by().values(*more, *OF_ALL, *OF_LIVE).annotate(**aggregates)
    return sums


def actions(entries: "QuerySet[AuditEntry]", *more: str, at: datetime) -> Iterable[Row]:
    """Audit entries about memories of the last thirty days, by action (and `more` columns)."""
    recent = entries.filter(at__gt=at - RECENT, subject_kind="memory")
    sums: Iterable[Row] = recent.order_by().values(*more, "action").annotate(n=Count("pk"))
    return sums


def scaled(row: Row, times: float) -> Row:
    """A row of a sample, as it would be of a table so many times as large."""
    count_names = {"n", *SUMS, *SUMS_OF_LIVE}
    return row if times == 1 else {key: round(times * (n or 0)) if key in count_names else n for key, n in row.items()}


def add_group(tally: Tally, row: Row) -> None:
    """Count a row of `groups`. Averages and histograms are those of live memories."""
    live = row["status"] in LIVE
    for name in (*OF_ALL, *(OF_LIVE if live else ())):
        if row[name] is not None:
            _add(tally, name, str(row[name]), row["n"])
    _add(tally, "sums", "n", row["n"])
    _add(tally, "sums", "alive", row["n"] if live else 0)
    for name in (*SUMS, *(SUMS_OF_LIVE if live else ())):
        _add(tally, "sums", name, row[name] or 0)
    if row["oldest"]:
        _older(tally, "waiting", row["oldest"].timestamp())


def add_action(tally: Tally, row: Row) -> None:
    """Count a row of `actions`."""
    _add(tally, "trail", "entries", row["n"])
    if row["action"] == "reinforce":
        _add(tally, "trail", "reinforcements", row["n"])
    if row["action"] in LOSSES:
        _add(tally, "trail", "losses", row["n"])


def add_entries(tally: Tally, n: int) -> None:
    """Count audit entries of any age."""
    _add(tally, "trail", "of_all_time", n)


def _add(tally: Tally, name: str, label: str, n: float) -> None:
    counts = tally.setdefault(name, {})
    counts[label] = counts.get(label, 0) + n


def _older(tally: Tally, label: str, moment: float) -> None:
    times = tally.setdefault("oldest", {})
    times[label] = min(times.get(label, moment), moment)


def total(tallies: Iterable[Tally]) -> Tally:
    sums: Tally = {}
    for tally in tallies:
        for name, counts in tally.items():
            for label, n in counts.items():
                if name == "oldest":
                    _older(sums, label, n)
                else:
                    _add(sums, name, label, n)
    return sums


def memory_figures(tally: Tally, trust: Trust) -> dict[str, Any]:
    sums = tally.get("sums", {})
    count, alive = sums.get("n", 0), sums.get("alive", 0)
    return {
        "total_records": count,
        "records_by_type": _with_labels(tally, "type", Type.values),
        "records_by_status": _with_labels(tally, "status", Status.values),
        "records_by_category": _with_labels(tally, "category", Category.values),
        "records_by_sensitivity": {  # levels above the clearance are left out
            level.label: tally.get("sensitivity", {}).get(str(level.value), 0)
            for level in Sensitivity
            if level <= trust.max_sensitivity
        },
        "active_records": sums.get("active", 0),
        "pinned_records": sums.get("pinned_rows", 0),
        "avg_salience": sums["salience_sum"] / alive if alive else None,
        "avg_confidence": sums["confidence_sum"] / alive if alive else None,
        "salience_distribution": _histogram(tally, "salience_bucket", TENTHS),
        "confidence_distribution": _histogram(tally, "confidence_bucket", TENS),
        "created": {
            "last_24_hours": sums.get("last_day", 0),
            "last_7_days": sums.get("last_week", 0),
            "last_30_days": sums.get("last_month", 0),
        },
        "memory_growth_rate": sums.get("last_day", 0) / count if count else None,
    }


def trail_figures(tally: Tally) -> dict[str, Any]:
    trail = tally.get("trail", {})
    return {name: trail.get(name, 0) for name in ("entries", "reinforcements", "losses")}


def waiting(tally: Tally) -> tuple[int, datetime | None]:
    """How many memories wait for a person, and since when the oldest of them."""
    oldest = tally.get("oldest", {}).get("waiting")
    moment = None if oldest is None else datetime.fromtimestamp(oldest, UTC)
    return int(tally.get("sums", {}).get("waiting", 0)), moment


def _with_labels(tally: Tally, name: str, values: Iterable[str]) -> dict[str, float]:
    counts = tally.get(name, {})
    return {str(value): counts.get(str(value), 0) for value in values}


def _histogram(tally: Tally, name: str, labels: Iterable[str]) -> dict[str, float]:
    counts = tally.get(name, {})
    return {label: counts.get(str(bucket), 0) for bucket, label in enumerate(labels)}
