"""The figures, each with what it counts."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from memories.api.schema.payloads import Count, Share
from memories.api.schema.problem import Shape

Histogram = Annotated[dict[str, Count], Field(min_length=10, max_length=10)]


class Created(Shape):
    last_24_hours: Count
    last_7_days: Count
    last_30_days: Count


class Audited(Shape):
    """Of the audit trail of the last 30 days, about memories. A use and a step of decay are no entries."""

    entries: Count
    reinforcements: Count
    """Stores and observations that said again what was known"""
    losses: Count
    """Memories that expired, were pruned, or fell back to candidate by decay"""


class Waiting(Shape):
    waiting: Count
    """Candidate and contested knowledge and open proposals, not snoozed"""
    oldest_at: datetime | None
    """Since when the oldest of them waits"""


class Tombstones(Shape):
    standing: Count
    """Not lifted"""
    hits: Count
    """How often they kept something from coming back"""


class Metrics(Shape):
    """Counted within what the caller may see. A rate without anything to divide by is null, never 0."""

    collected_at: datetime
    total_records: Count
    """Memories of every type and status that have not expired"""
    records_by_type: dict[str, Count]
    records_by_status: dict[str, Count]
    records_by_category: dict[str, Count]
    """Of semantic memories"""
    records_by_sensitivity: dict[str, Count]
    """Up to the caller's clearance"""
    active_records: Count
    """Live (candidate, confirmed, applied, contested), and with a salience of at least 0.001 now"""
    pinned_records: Count
    """Live and pinned"""
    avg_salience: Share | None
    """Of live memories, as it is now"""
    avg_confidence: Annotated[float, Field(ge=0, le=100)] | None
    """Of live memories"""
    salience_distribution: Histogram
    """Live memories by salience now, in tenths: `0.0-0.1` (without 0.1), ..., `0.9-1.0` (with 1)"""
    confidence_distribution: Histogram
    """Live memories by confidence, in tens: `0-9`, ..., `90-100`"""
    created: Created
    memory_growth_rate: Share | None
    """Share of all memories that came in the last 24 hours"""
    total_audit_entries: Count
    """All there are of what the caller may see, about whatever subject; as many as GET audit lists"""
    audit_last_30_days: Audited
    revision_rate: Annotated[float, Field(ge=0)] | None
    """Revisions (supersede, fork, merge, contest, retract; one however many memories it moved) for each memory that
    came, in the last 30 days"""
    retrievals: Count
    """Contexts that were asked for in the last 30 days, at most 10,000"""
    retrieval_hit_rate: Share | None
    """Share of these that gave at least one memory"""
    retrieval_usefulness: Share | None
    """Share of the memories that they gave which were reinforced afterwards"""
    competence_success_rate: Share | None
    """Successes by successes and failures, summed over all live competences; partial outcomes are left out"""
    plan_reuse_frequency: Annotated[float, Field(ge=0)] | None
    """How often a live plan was executed, on average"""
    inbox: Waiting
    tombstones: Tombstones
    active_adaptations: Count
    """Changes of behaviour that hold now"""
