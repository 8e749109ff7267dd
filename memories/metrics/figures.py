"""Compute the figures of the store, each within the caller's trust, by ten queries.

One query reads every visible row of the memory table once (a parallel sequential scan; without a trust filter no
index is smaller than the query), one counts the audit trail; of a large store a snapshot tells both. The others read a
range of an index: what waits, revisions of thirty days, active adaptations; or small tables. Injections are read back
to MOST_CONTEXTS. Each has a few seconds; what takes longer is estimated (sampling.py).
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import OperationalError, connection
from django.db.models import Count, Min, QuerySet, Sum
from django.db.models.functions import Coalesce

from memories.metrics import sampling, snapshots, tallies
from memories.metrics.sampling import Budget, sampled
from memories.metrics.tallies import RECENT, Tally
from memories.models import Adaptation, AuditEntry, Injection, Memory, Performance, Proposal, Tombstone
from memories.models.audit import AGENT, PERSON, REVISIONS, AuditQuerySet
from memories.values.choices import LIVE, Type
from memories.values.trust import Trust

MOST_CONTEXTS = 10_000


@dataclass(frozen=True)
class Query:
    """For whom figures are computed, and as of when."""

    trust: Trust
    at: datetime
    budget: Budget = field(default_factory=Budget)


def collect(trust: Trust, *, at: datetime) -> dict[str, Any]:
    """All figures; the schema of the API documents each.

    Memories and the audit trail of a large store are those of its snapshot: `collected_at` tells when it was counted.
    """
    query = Query(trust, at)
    counted_at, tally, estimated = _counts(query)
    memories = tallies.memory_figures(tally, trust)
    other_figures = query.budget.of_all(partial(_other_figures, query, tally, memories["created"]["last_30_days"]))
    return {
        "collected_at": counted_at,
        "estimated": estimated or query.budget.estimated,
        **memories,
        "audit_last_30_days": tallies.trail_figures(tally),
        **other_figures,
    }


def _other_figures(query: Query, tally: Tally, created: int) -> dict[str, Any]:
    """Figures of other tables than that of memories. `created`: memories of thirty days."""
    entries = AuditEntry.objects.visible_to(query.trust).filter(subject_kind__in=(AGENT, PERSON))
    about_callers = query.budget.of_rows(entries, lambda rows, times: round(times * rows.count()))
    return {
        "total_audit_entries": tally.get("trail", {}).get("of_all_time", 0) + about_callers,
        "revision_rate": _revisions(query) / created if created else None,
        **query.budget.of_either(partial(_retrieval, query), partial(_retrieval, query, MOST_CONTEXTS // 100)),
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
        return query.at, _count_now(query), False
    except OperationalError:
        return (*former, False) if former else (query.at, _count_now(query, pages=sampling.SAMPLED_PAGES), True)


def _count_now(query: Query, *, pages: int = 0) -> Tally:
    """The same counts as those of a snapshot, of what this caller may see now. `pages`: estimated from so many of each
    table. OperationalError: a query took longer than FEW_SECONDS.
    """
    tally: Tally = {}
    memories, entries = Memory.objects.visible_to(query.trust), AuditEntry.objects.visible_to(query.trust)
    with sampling.few_seconds(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64MB'")  # the groups stay in memory: half the time at half a million rows
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


def _revisions(query: Query) -> int:
    """A revision is one decision, however many rows it moved."""
    entries = AuditEntry.objects.visible_to(query.trust).filter(action__in=REVISIONS, subject_kind="memory")
    recent = entries.filter(at__gt=query.at - RECENT).order_by()

    def decisions(rows: AuditQuerySet, times: float) -> int:
        actions = rows.values("action").annotate(n=Count("batch_id", distinct=True))
        return round(times * sum(int(row["n"]) for row in actions))

    return query.budget.of_rows(recent, decisions)


def inbox(trust: Trust, *, at: datetime) -> dict[str, Any]:
    """How much waits for a person, and since when; of a large store by its snapshot."""
    query = Query(trust, at)
    if snapshot := snapshots.read(trust, at=at):
        return _inbox(query, *tallies.waiting(snapshot[1]))
    rows = Memory.objects.visible_to(trust).unexpired(at).filter(tallies.waits(at))
    return _inbox(query, *query.budget.of_rows(rows, partial(_waiting, since="created_at")))


def _waiting(rows: QuerySet[Any], times: float, *, since: str) -> tuple[int, datetime | None]:
    totals = rows.aggregate(n=Count("pk"), oldest=Min(since))
    return round(times * totals["n"]), totals["oldest"]


def dismissals(trust: Trust, *, at: datetime) -> dict[str, Any]:
    """How many dismissals stand, and how often they kept something from coming back."""
    return _dismissals(Query(trust, at))


def _retrieval(query: Query, most: int = MOST_CONTEXTS) -> dict[str, Any]:
    """Figures of the latest contexts. A memory in one was useful if it was reinforced after that."""
    since = query.at - RECENT
    contexts = Injection.objects.visible_to(query.trust).filter(at__gt=since).order_by("-at")
    first_shown: dict[str, datetime] = {}  # memory -> the first time that it was put before an agent
    hits = total = 0
    for moment, items in contexts.values_list("at", "items")[:most].iterator(chunk_size=2000):
        total, hits = total + 1, hits + bool(items)
        first_shown |= {item["memory"]: moment for item in items if isinstance(item, dict) and item.get("memory")}
    rows = Memory.objects.visible_to(query.trust).filter(pk__in=first_shown)
    reinforcements = {str(pk): moment for pk, moment in rows.values_list("pk", "reinforced_at")}
    useful = sum(1 for pk, moment in reinforcements.items() if moment and moment > first_shown[pk])
    return {
        "retrievals": total,
        "retrieval_hit_rate": hits / total if total else None,
        "retrieval_usefulness": useful / len(reinforcements) if reinforcements else None,
    }


def _track_records(query: Query) -> dict[str, Any]:
    rows = Performance.objects.visible_to(query.trust).filter(memory__status__in=LIVE)

    def summed(rows: QuerySet[Performance], times: float) -> dict[str, Any]:  # rates, which a sample has too
        groups = rows.order_by().values("memory__type")
        sums = {"good": Sum("successes"), "bad": Sum("failures"), "some": Sum("partials"), "n": Count("pk")}
        return {row["memory__type"]: row for row in groups.annotate(**sums)}

    by_type = query.budget.of_rows(rows, summed)
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
    proposal_count, oldest_proposal = query.budget.of_rows(proposals, partial(_waiting, since="opened_at"))
    moments = [moment for moment in (oldest, oldest_proposal) if moment]
    return {"waiting": memories + proposal_count, "oldest_at": min(moments, default=None)}


def _dismissals(query: Query) -> dict[str, Any]:
    standing = Tombstone.objects.visible_to(query.trust).standing()

    def tombstones(rows: QuerySet[Tombstone], times: float) -> dict[str, int]:
        totals = rows.aggregate(standing=Count("pk"), hits=Coalesce(Sum("hits"), 0))
        return {name: round(times * n) for name, n in totals.items()}

    active = Adaptation.objects.visible_to(query.trust).active()
    return {
        "tombstones": query.budget.of_rows(standing, tombstones),
        "active_adaptations": query.budget.of_rows(active, lambda rows, times: round(times * rows.count())),
    }
