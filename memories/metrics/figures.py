"""Compute the figures of the store, each within the caller's trust, by ten queries.

One query reads every visible row of the memory table once (a parallel sequential scan; without a trust filter no
index is smaller than the query), one counts the audit trail; of a large store a snapshot tells both. The others read a
range of an index: what waits, revisions of thirty days, active adaptations; or small tables. Injections are read back
to MOST_CONTEXTS.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import OperationalError, connection, transaction
from django.db.models import BooleanField, Count, Min, QuerySet, Sum
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from memories.metrics import snapshots, tallies
from memories.metrics.tallies import RECENT, Tally
from memories.models import Adaptation, AuditEntry, Injection, Memory, Performance, Proposal, Tombstone
from memories.models.audit import AGENT, PERSON, REVISIONS
from memories.values.choices import LIVE, Type
from memories.values.trust import Trust

MOST_CONTEXTS = 10_000
FEW_SECONDS = 2  # that a query which reads a table may take
SAMPLED_PAGES = 2_000  # 16 MB: a few per cent off, and read in FEW_SECONDS
Rows = TypeVar("Rows", bound="QuerySet[Any]")


@dataclass(frozen=True)
class Query:
    """For whom figures are computed, and as of when."""

    trust: Trust
    at: datetime


def collect(trust: Trust, *, at: datetime) -> dict[str, Any]:
    """All figures; the schema of the API documents each.

    Memories and the audit trail of a large store are those of its snapshot: `collected_at` tells when it was counted.
    """
    query = Query(trust, at)
    counted_at, tally, estimated = _counts(query)
    memories = tallies.memory_figures(tally, trust)
    created, revisions = memories["created"]["last_30_days"], _revisions(query)
    about_callers = AuditEntry.objects.visible_to(trust).filter(subject_kind__in=(AGENT, PERSON)).count()
    return {
        "collected_at": counted_at,
        "estimated": estimated,
        **memories,
        "total_audit_entries": tally.get("trail", {}).get("of_all_time", 0) + about_callers,
        "audit_last_30_days": tallies.trail_figures(tally),
        "revision_rate": revisions / created if created else None,
        **_retrieval(query),
        **_track_records(query),
        "inbox": _inbox(query, *tallies.waiting(tally)),
        **_dismissals(query),
    }


def _counts(query: Query) -> tuple[datetime, Tally, bool]:
    """Counts of a snapshot, else of now; where these take too long, those of the last snapshot, however old it is, and
    without one what a sample of the tables says (True).
    """
    former = snapshots.read(query.trust, at=query.at, oldest=timedelta.max)
    if former and query.at - former[0] < snapshots.OLDEST:
        return *former, False
    try:
        return query.at, _counted(query), False
    except OperationalError:
        return (*former, False) if former else (query.at, _counted(query, pages=SAMPLED_PAGES), True)


def _counted(query: Query, *, pages: int = 0) -> Tally:
    """The same counts as those of a snapshot, of what this caller may see now. `pages`: estimated from so many of each
    table. OperationalError: a query took longer than FEW_SECONDS.
    """
    tally: Tally = {}
    memories, entries = Memory.objects.visible_to(query.trust), AuditEntry.objects.visible_to(query.trust)
    with transaction.atomic(), connection.cursor() as cursor:
        # the groups stay in memory: half the time at half a million rows
        limits = "SELECT set_config('work_mem', '64MB', true), set_config('statement_timeout', %s, true)"
        cursor.execute(limits, [f"{FEW_SECONDS}s"])
        times = rises = 1.0
        if pages:
            memories, times = sampled(memories, pages)
            entries, rises = sampled(entries, pages)
        for row in tallies.groups(memories, at=query.at):
            tallies.add_group(tally, tallies.scaled(row, times))
        for row in tallies.actions(entries, at=query.at):
            tallies.add_action(tally, tallies.scaled(row, rises))
        tallies.add_entries(tally, round(rises * entries.exclude(subject_kind__in=(AGENT, PERSON)).count()))
    return tally


def sampled(rows: Rows, pages: int) -> tuple[Rows, float]:
    """Those of these rows that lie in about so many pages of their table, and how many times as large it is."""
    table = rows.model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size(%s) / current_setting('block_size')::int", [table])
        times = max(1.0, cursor.fetchone()[0] / pages)
    # an array is read once: joined, a table that was never analyzed has its pages read for each of its rows
    sample = f"{table}.id = ANY(ARRAY(SELECT id FROM {table} TABLESAMPLE SYSTEM (%s)))"  # noqa: S608 - our own table
    return rows.filter(RawSQL(sample, [100 / times], BooleanField())), times  # noqa: S611


def _revisions(query: Query) -> int:
    """A revision is one decision, however many rows it moved."""
    entries = AuditEntry.objects.visible_to(query.trust).filter(action__in=REVISIONS, subject_kind="memory")
    recent = entries.filter(at__gt=query.at - RECENT).order_by()
    return sum(row["n"] for row in recent.values("action").annotate(n=Count("batch_id", distinct=True)))


def inbox(trust: Trust, *, at: datetime) -> dict[str, Any]:
    """How much waits for a person, and since when; of a large store by its snapshot."""
    query = Query(trust, at)
    if read := snapshots.read(trust, at=at):
        return _inbox(query, *tallies.waiting(read[1]))
    rows = Memory.objects.visible_to(trust).unexpired(at).filter(tallies.waits(at))
    counted = rows.aggregate(n=Count("pk"), oldest=Min("created_at"))
    return _inbox(query, counted["n"], counted["oldest"])


def dismissals(trust: Trust, *, at: datetime) -> dict[str, Any]:
    """How many dismissals stand, and how often they kept something from coming back."""
    return _dismissals(Query(trust, at))


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


def _inbox(query: Query, memories: int, oldest: datetime | None) -> dict[str, Any]:
    """Memories and open proposals that wait; proposed versions of skills are counted by their own room."""
    proposals = Proposal.objects.visible_to(query.trust).open().exclude(snoozed_until__gt=query.at)
    proposed = proposals.aggregate(n=Count("pk"), oldest=Min("opened_at"))
    moments = [moment for moment in (oldest, proposed["oldest"]) if moment]
    return {"waiting": memories + proposed["n"], "oldest_at": min(moments, default=None)}


def _dismissals(query: Query) -> dict[str, Any]:
    standing = Tombstone.objects.visible_to(query.trust).standing()
    tombstones = standing.aggregate(n=Count("pk"), hits=Coalesce(Sum("hits"), 0))
    return {
        "tombstones": {"standing": tombstones["n"], "hits": tombstones["hits"]},
        "active_adaptations": Adaptation.objects.visible_to(query.trust).active().count(),
    }
