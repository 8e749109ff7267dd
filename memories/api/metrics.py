"""GET metrics: figures over what the caller may see."""

from datetime import datetime
from typing import Annotated

from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories import metrics
from memories.api.base import ApiView
from memories.api.openapi import operation
from memories.api.shapes import EXAMPLE_TIME, Count, Shape, Share
from memories.values.choices import Permission

Histogram = Annotated[dict[str, Count], Field(min_length=10, max_length=10)]


class Created(Shape):
    last_24_hours: Count
    last_7_days: Count
    last_30_days: Count


class Audited(Shape):
    """Entries of the audit trail about memories in the last 30 days. Uses and steps of decay have no entry."""

    entries: Count
    reinforcements: Count
    """Stores and observations that repeated a known claim"""
    losses: Count
    """Memories that expired, were pruned, or decayed back to candidate"""


class Waiting(Shape):
    waiting: Count
    """Candidate and contested knowledge and open proposals that are not snoozed and need a decision"""
    oldest_at: datetime | None
    """Since when the oldest item waits"""


class Tombstones(Shape):
    standing: Count
    """Tombstones that are in force (not lifted)"""
    hits: Count
    """How often tombstones suppressed a write"""


class Metrics(Shape):
    """Counts of what the caller may see. A rate whose divisor is 0 is null, never 0."""

    collected_at: datetime
    estimated: bool
    """True where counting would take too long, so that figures of memories and audit entries are estimated from a
    sample"""
    total_records: Count
    """Memories of every type and status that have not expired"""
    records_by_type: dict[str, Count]
    records_by_status: dict[str, Count]
    records_by_category: dict[str, Count]
    """Semantic memories by category"""
    records_by_sensitivity: dict[str, Count]
    """Memories by sensitivity, up to the caller's clearance"""
    active_records: Count
    """Live (candidate, confirmed, applied, contested), and with a salience of at least 0.001 now"""
    pinned_records: Count
    """Live memories that are pinned"""
    avg_salience: Share | None
    """The mean salience of live memories, now"""
    avg_confidence: Annotated[float, Field(ge=0, le=100)] | None
    """The mean confidence of live memories"""
    salience_distribution: Histogram
    """Live memories by salience now, in tenths: `0.0-0.1` (without 0.1), ..., `0.9-1.0` (with 1)"""
    confidence_distribution: Histogram
    """Live memories by confidence, in tens: `0-9`, ..., `90-100`"""
    created: Created
    memory_growth_rate: Share | None
    """The share of all memories that were created in the last 24 hours"""
    total_audit_entries: Count
    """All audit entries that the caller may see, as many as GET audit lists"""
    audit_last_30_days: Audited
    revision_rate: Annotated[float, Field(ge=0)] | None
    """Revisions (supersede, fork, merge, contest, retract; each counts once, however many memories it changed) per new
    memory in the last 30 days"""
    retrievals: Count
    """Requests for a context in the last 30 days, at most 10,000"""
    retrieval_hit_rate: Share | None
    """The share of `retrievals` that returned at least one memory"""
    retrieval_usefulness: Share | None
    """The share of returned memories that were reinforced afterwards"""
    competence_success_rate: Share | None
    """Successes divided by successes and failures, over all live competences; partial outcomes are left out"""
    plan_reuse_frequency: Annotated[float, Field(ge=0)] | None
    """The mean number of executions of a live plan"""
    inbox: Waiting
    tombstones: Tombstones
    active_adaptations: Count
    """Adaptations in force"""

    example = {
        "collected_at": EXAMPLE_TIME,
        "estimated": False,
        "total_records": 120,
        "records_by_type": {"episodic": 80, "semantic": 35, "working": 1, "competence": 4, "plan_graph": 0},
        "records_by_status": {"candidate": 12, "confirmed": 100, "applied": 5, "superseded": 3},
        "records_by_category": {"fact": 30, "preference": 5},
        "records_by_sensitivity": {"public": 0, "low": 110, "medium": 10},
        "active_records": 115,
        "pinned_records": 2,
        "avg_salience": 0.62,
        "avg_confidence": 71.5,
        "salience_distribution": dict(zip(metrics.TENTHS, [5, 10, 10, 10, 10, 10, 15, 15, 15, 17], strict=True)),
        "confidence_distribution": dict(zip(metrics.TENS, [0, 0, 12, 0, 5, 0, 20, 20, 50, 10], strict=True)),
        "created": {"last_24_hours": 6, "last_7_days": 30, "last_30_days": 100},
        "memory_growth_rate": 0.05,
        "total_audit_entries": 410,
        "audit_last_30_days": {"entries": 160, "reinforcements": 22, "losses": 3},
        "revision_rate": 0.04,
        "retrievals": 240,
        "retrieval_hit_rate": 0.8,
        "retrieval_usefulness": 0.4,
        "competence_success_rate": 0.75,
        "plan_reuse_frequency": None,
        "inbox": {"waiting": 13, "oldest_at": EXAMPLE_TIME},
        "tombstones": {"standing": 2, "hits": 7},
        "active_adaptations": 5,
    }


class MetricsView(ApiView):
    needs = {"GET": (Permission.READ,)}

    @operation("GetMetrics", "Caller", Metrics)
    def get(self, request: Request) -> Response:
        """Figures about the memories

        Counted within what the caller may see. Above 100,000 memories a job counts memories and audit entries, within
        a minute of a change: `collected_at` says when. Fewer are counted on request. Where counting takes too long,
        the figures are those of the last count, or `estimated`.
        """
        return Response(metrics.collect(self.trust, at=timezone.now()))
