"""Figures of what is remembered, each within the caller's trust. Ten questions, however much there is.

One of them reads every visible row of the memory table once (a parallel sequential scan; without a trust filter no
index is smaller than the question), one counts the audit trail. The others read a range of an index: the audit trail
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
class Asked:
    """Whose question it is, and of which moment."""

    trust: Trust
    at: datetime


def collect(trust: Trust, *, at: datetime) -> dict[str, Any]:
    """All figures; the schema of the API says what each of them counts."""
    asked = Asked(trust, at)
    stored, audited = _stored(asked), _audited(asked)
    made = stored["created"]["last_30_days"]
    revisions = audited.pop("revisions")
    return {
        "collected_at": at,
        **stored,
        "total_audit_entries": AuditEntry.objects.visible_to(trust).count(),
        "audit_last_30_days": audited,
        "revision_rate": revisions / made if made else None,
        **_retrieval(asked),
        **_track_records(asked),
        "inbox": _inbox(asked),
        **_beside(asked),
    }


def _stored(asked: Asked) -> dict[str, Any]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64MB'")  # the groups stay in memory: half the time at half a million rows
        rows = list(_groups(asked))
    live = [row for row in rows if row["status"] in LIVE]
    total, alive = _sum(rows, "n"), _sum(live, "n")
    recent = _sum(rows, "last_day")
    return {
        "total_records": total,
        "records_by_type": _counts(rows, "type", Type.values),
        "records_by_status": _counts(rows, "status", Status.values),
        "records_by_category": _counts(rows, "category", Category.values),
        "records_by_sensitivity": _by_sensitivity(rows, asked.trust),
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


def _groups(asked: Asked) -> Iterable[Row]:
    """Every visible memory in groups: the one pass over the table."""
    at = asked.at
    now = F("salience_now")
    bucket = Least(Cast(Floor(now * BUCKETS), IntegerField()), BUCKETS - 1)
    rows = Memory.objects.visible_to(asked.trust).filter(Q(expires_at=None) | Q(expires_at__gt=at)).with_salience(at)
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
    grouped: Iterable[Row] = rows.order_by().values(*names).annotate(**counted)
    return grouped


def _sum(rows: Iterable[Row], name: str) -> Any:
    return sum(row[name] or 0 for row in rows)


def _counts(rows: Iterable[Row], name: str, values: Iterable[str]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for row in rows:
        counted[row[name]] += row["n"]
    return {str(value): counted[value] for value in values}


def _by_sensitivity(rows: Iterable[Row], trust: Trust) -> dict[str, int]:
    """Up to the caller's clearance; above it nothing is said, not even that there is nothing."""
    counted: Counter[int] = Counter()
    for row in rows:
        counted[row["sensitivity"]] += row["n"]
    return {level.label: counted[level] for level in Sensitivity if level <= trust.max_sensitivity}


def _histogram(rows: Iterable[Row], name: str, labels: Iterable[str]) -> dict[str, int]:
    counted: Counter[int] = Counter()
    for row in rows:
        counted[row[name]] += row["n"]
    return {label: counted[bucket] for bucket, label in enumerate(labels)}


def _audited(asked: Asked) -> dict[str, int]:
    """A revision is one decision, however many rows it moved."""
    entries = AuditEntry.objects.visible_to(asked.trust).filter(at__gt=asked.at - RECENT, subject_kind="memory")
    counted = entries.order_by().values("action").annotate(n=Count("pk"), batches=Count("batch_id", distinct=True))
    rows = {row["action"]: row for row in counted}
    return {
        "entries": _sum(rows.values(), "n"),
        "reinforcements": _sum([rows[name] for name in ("reinforce",) if name in rows], "n"),
        "losses": _sum([rows[name] for name in LOSSES if name in rows], "n"),
        "revisions": _sum([rows[name] for name in REVISIONS if name in rows], "batches"),
    }


def _retrieval(asked: Asked) -> dict[str, Any]:
    """A memory that was put before an agent was useful when it was reinforced after that."""
    since = asked.at - RECENT
    contexts = Injection.objects.visible_to(asked.trust).filter(at__gt=since).order_by("-at")
    given: dict[str, datetime] = {}  # memory -> the first time that it was put before an agent
    found = total = 0
    for moment, items in contexts.values_list("at", "items")[:MOST_CONTEXTS].iterator(chunk_size=2000):
        total, found = total + 1, found + bool(items)
        given |= {item["memory"]: moment for item in items if isinstance(item, dict) and item.get("memory")}
    rows = Memory.objects.visible_to(asked.trust).filter(pk__in=given)
    reinforced = {str(pk): moment for pk, moment in rows.values_list("pk", "reinforced_at")}
    useful = sum(1 for pk, moment in reinforced.items() if moment and moment > given[pk])
    return {
        "retrievals": total,
        "retrieval_hit_rate": found / total if total else None,
        "retrieval_usefulness": useful / len(reinforced) if reinforced else None,
    }


def _track_records(asked: Asked) -> dict[str, Any]:
    rows = Performance.objects.visible_to(asked.trust).filter(memory__status__in=LIVE)
    grouped = rows.order_by().values("memory__type")
    summed = grouped.annotate(good=Sum("successes"), bad=Sum("failures"), some=Sum("partials"), n=Count("pk"))
    by_type = {row["memory__type"]: row for row in summed}
    skill = by_type.get(Type.COMPETENCE, {"good": 0, "bad": 0})
    plan = by_type.get(Type.PLAN_GRAPH, {"good": 0, "bad": 0, "some": 0, "n": 0})
    uses = skill["good"] + skill["bad"]
    return {
        "competence_success_rate": skill["good"] / uses if uses else None,
        "plan_reuse_frequency": (plan["good"] + plan["bad"] + plan["some"]) / plan["n"] if plan["n"] else None,
    }


def _inbox(asked: Asked) -> dict[str, Any]:
    """Candidates, what is contested, and open proposals; proposed versions of skills are of another room."""
    rows = Memory.objects.visible_to(asked.trust).awake(asked.at).unexpired(asked.at)
    rows = rows.filter(status__in=(Status.CANDIDATE, Status.CONTESTED)).exclude(type__in=EXPERIENCE)
    memories = rows.aggregate(n=Count("pk"), oldest=Min("created_at"))
    snoozed = Q(snoozed_until__gt=asked.at)
    proposals = Proposal.objects.visible_to(asked.trust).open().exclude(snoozed)
    proposed = proposals.aggregate(n=Count("pk"), oldest=Min("opened_at"))
    moments = [moment for moment in (memories["oldest"], proposed["oldest"]) if moment]
    return {"waiting": memories["n"] + proposed["n"], "oldest_at": min(moments, default=None)}


def _beside(asked: Asked) -> dict[str, Any]:
    standing = Tombstone.objects.visible_to(asked.trust).standing()
    tombstones = standing.aggregate(n=Count("pk"), hits=Coalesce(Sum("hits"), 0))
    return {
        "tombstones": {"standing": tombstones["n"], "hits": tombstones["hits"]},
        "active_adaptations": Adaptation.objects.visible_to(asked.trust).active().count(),
    }
