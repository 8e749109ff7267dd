"""Compute the figures of the store, each within the caller's trust, by ten queries.

One query reads every visible row of the memory table once (a parallel sequential scan; without a trust filter no
index is smaller than the query), one counts the audit trail. The others read a range of an index: the audit trail
of thirty days, what waits, active adaptations; or small tables. Injections are read back to MOST_CONTEXTS.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, F, IntegerField, Min, Q, Sum, Value
from django.db.models.functions import Cast, Coalesce, Floor, Least

from memories.models import Adaptation, AuditEntry, Injection, Memory, Performance, Proposal, Tombstone
from memories.values.choices import EXPERIENCE, LIVE, Category, Sensitivity, Status, Type
from memories.values.trust import Trust

RECENT, WEEK, DAY = timedelta(days=30), timedelta(days=7), timedelta(days=1)
REVISIONS = ("supersede", "fork", "merge", "contest", "retract")
LOSSES = ("decay", "expire", "prune")
BUCKETS = 10
TENTHS = tuple(f"{n / BUCKETS}-{(n + 1) / BUCKETS}" for n in range(BUCKETS))  # 0.0-0.1, ..., 0.9-1.0
TENS = tuple(f"{10 * n}-{10 * n + 9 + (n == 9)}" for n in range(BUCKETS))  # 0-9, ..., 90-100
MOST_CONTEXTS = 10_000
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Query:
    """For whom figures are computed, and as of when."""

    trust: Trust
    at: datetime


def collect(trust: Trust, *, at: datetime) -> dict[str, Any]:
    """All figures; the schema of the API documents each."""
    query = Query(trust, at)
    memories, trail = _memories(query), _trail(query)
    created = memories["created"]["last_30_days"]
    revisions = trail.pop("revisions")
    return {
        "collected_at": at,
        **memories,
        "total_audit_entries": AuditEntry.objects.visible_to(trust).count(),
        "audit_last_30_days": trail,
        "revision_rate": revisions / created if created else None,
        **_retrieval(query),
        **_track_records(query),
        "inbox": _inbox(query),
        **_dismissals(query),
    }


def _memories(query: Query) -> dict[str, Any]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64MB'")  # the groups stay in memory: half the time at half a million rows
        rows = list(_groups(query))
    live = [row for row in rows if row["status"] in LIVE]
    total, alive = _sum(rows, "n"), _sum(live, "n")
    recent = _sum(rows, "last_day")
    return {
        "total_records": total,
        "records_by_type": _counts(rows, "type", Type.values),
        "records_by_status": _counts(rows, "status", Status.values),
        "records_by_category": _counts(rows, "category", Category.values),
        "records_by_sensitivity": _by_sensitivity(rows, query.trust),
        "active_records": _sum(live, "active"),
        "pinned_records": _sum(live, "pinned_rows"),
        "avg_salience": _sum(live, "salience_sum") / alive if alive else None,
        "avg_confidence": _sum(live, "confidence_sum") / alive if alive else None,
        "salience_distribution": _histogram(live, "salience_bucket", TENTHS),
        "confidence_distribution": _histogram(live, "confidence_bucket", TENS),
        "created": {
            "last_24_hours": recent,
            "last_7_days": _sum(rows, "last_week"),
            "last_30_days": _sum(rows, "last_month"),
        },
        "memory_growth_rate": recent / total if total else None,
    }


def _groups(query: Query) -> Iterable[Row]:
    """Visible memories grouped by their dimensions, in one pass over the table."""
    at = query.at
    now = F("salience_now")
    bucket = Least(Cast(Floor(now * BUCKETS), IntegerField()), BUCKETS - 1)
    rows = Memory.objects.visible_to(query.trust).filter(Q(expires_at=None) | Q(expires_at__gt=at)).with_salience(at)
    rows = rows.annotate(
        salience_bucket=bucket,
        confidence_bucket=Least(F("confidence") / Value(BUCKETS), BUCKETS - 1),
    )
    names = ("type", "status", "category", "sensitivity", "salience_bucket", "confidence_bucket")
    counted: dict[str, Any] = {
        "n": Count("pk"),
        "active": Count("pk", filter=Q(fades_at=None) | Q(fades_at__gt=at)),
        "pinned_rows": Count("pk", filter=Q(pinned=True)),
        "salience_sum": Sum("salience_now"),
        "confidence_sum": Sum("confidence"),
        "last_day": Count("pk", filter=Q(created_at__gt=at - DAY)),
        "last_week": Count("pk", filter=Q(created_at__gt=at - WEEK)),
        "last_month": Count("pk", filter=Q(created_at__gt=at - RECENT)),
    }
    groups: Iterable[Row] = rows.order_by().values(*names).annotate(**counted)
    return groups


def _sum(rows: Iterable[Row], name: str) -> Any:
    return sum(row[name] or 0 for row in rows)


def _counts(rows: Iterable[Row], name: str, values: Iterable[str]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for row in rows:
        counted[row[name]] += row["n"]
    return {str(value): counted[value] for value in values}


def _by_sensitivity(rows: Iterable[Row], trust: Trust) -> dict[str, int]:
    """Counts by level up to the caller's clearance; levels above it are left out."""
    counted: Counter[int] = Counter()
    for row in rows:
        counted[row["sensitivity"]] += row["n"]
    return {level.label: counted[level] for level in Sensitivity if level <= trust.max_sensitivity}


def _histogram(rows: Iterable[Row], name: str, labels: Iterable[str]) -> dict[str, int]:
    counted: Counter[int] = Counter()
    for row in rows:
        counted[row[name]] += row["n"]
    return {label: counted[bucket] for bucket, label in enumerate(labels)}


def _trail(query: Query) -> dict[str, int]:
    """A revision is one decision, however many rows it moved."""
    entries = AuditEntry.objects.visible_to(query.trust).filter(at__gt=query.at - RECENT, subject_kind="memory")
    counted = entries.order_by().values("action").annotate(n=Count("pk"), batches=Count("batch_id", distinct=True))
    rows = {row["action"]: row for row in counted}
    return {
        "entries": _sum(rows.values(), "n"),
        "reinforcements": _sum([rows[name] for name in ("reinforce",) if name in rows], "n"),
        "losses": _sum([rows[name] for name in LOSSES if name in rows], "n"),
        "revisions": _sum([rows[name] for name in REVISIONS if name in rows], "batches"),
    }


def _retrieval(query: Query) -> dict[str, Any]:
    """A memory that was put before an agent was useful when it was reinforced after that."""
    since = query.at - RECENT
    contexts = Injection.objects.visible_to(query.trust).filter(at__gt=since).order_by("-at")
    given: dict[str, datetime] = {}  # memory -> the first time that it was put before an agent
    hits = total = 0
    for moment, items in contexts.values_list("at", "items")[:MOST_CONTEXTS].iterator(chunk_size=2000):
        total, hits = total + 1, hits + bool(items)
        given |= {item["memory"]: moment for item in items if isinstance(item, dict) and item.get("memory")}
    rows = Memory.objects.visible_to(query.trust).filter(pk__in=given)
    reinforced = {str(pk): moment for pk, moment in rows.values_list("pk", "reinforced_at")}
    useful = sum(1 for pk, moment in reinforced.items() if moment and moment > given[pk])
    return {
        "retrievals": total,
        "retrieval_hit_rate": hits / total if total else None,
        "retrieval_usefulness": useful / len(reinforced) if reinforced else None,
    }


def _track_records(query: Query) -> dict[str, Any]:
    rows = Performance.objects.visible_to(query.trust).filter(memory__status__in=LIVE)
    groups = rows.order_by().values("memory__type")
    summed = groups.annotate(good=Sum("successes"), bad=Sum("failures"), some=Sum("partials"), n=Count("pk"))
    by_type = {row["memory__type"]: row for row in summed}
    skill = by_type.get(Type.COMPETENCE, {"good": 0, "bad": 0})
    plan = by_type.get(Type.PLAN_GRAPH, {"good": 0, "bad": 0, "some": 0, "n": 0})
    uses = skill["good"] + skill["bad"]
    return {
        "competence_success_rate": skill["good"] / uses if uses else None,
        "plan_reuse_frequency": (plan["good"] + plan["bad"] + plan["some"]) / plan["n"] if plan["n"] else None,
    }


def _inbox(query: Query) -> dict[str, Any]:
    """Candidates, contested memories and open proposals; proposed versions of skills are counted by their own room."""
    rows = Memory.objects.visible_to(query.trust).awake(query.at).unexpired(query.at)
    rows = rows.filter(status__in=(Status.CANDIDATE, Status.CONTESTED)).exclude(type__in=EXPERIENCE)
    memories = rows.aggregate(n=Count("pk"), oldest=Min("created_at"))
    snoozed = Q(snoozed_until__gt=query.at)
    proposals = Proposal.objects.visible_to(query.trust).open().exclude(snoozed)
    proposed = proposals.aggregate(n=Count("pk"), oldest=Min("opened_at"))
    moments = [moment for moment in (memories["oldest"], proposed["oldest"]) if moment]
    return {"waiting": memories["n"] + proposed["n"], "oldest_at": min(moments, default=None)}


def _dismissals(query: Query) -> dict[str, Any]:
    standing = Tombstone.objects.visible_to(query.trust).standing()
    tombstones = standing.aggregate(n=Count("pk"), hits=Coalesce(Sum("hits"), 0))
    return {
        "tombstones": {"standing": tombstones["n"], "hits": tombstones["hits"]},
        "active_adaptations": Adaptation.objects.visible_to(query.trust).active().count(),
    }
