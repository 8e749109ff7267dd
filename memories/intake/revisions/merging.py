"""Merge several memories into a new one, which has the evidence and the track record of all of them."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Max, QuerySet, Sum
from uuid_utils.compat import uuid7

from memories.intake.revisions.superseding import begin, close
from memories.models import Evidence, Memory, Performance, Relation
from memories.models.performance import COLUMN
from memories.models.trusted import new_id
from memories.values.trust import Actor

MERGED_INTO = "merged_into"
FACTS = [field.attname for field in Evidence._meta.concrete_fields if field.name not in ("id", "memory", "created_at")]
SUMMED = ("successes", "failures", "partials", "latency_total_ms", "latency_count")


def merge(
    sources: Sequence[Memory], new: Memory, *, by: Actor, why: str, at: datetime, batch: UUID | None = None
) -> None:
    """Store `new` in the place of all of `sources`, with their evidence and track record.

    Conflict when one of them is not live any more; Held when the new one's key is another's.
    """
    batch = batch or uuid7()
    revision = {"superseded_by": str(new.pk), MERGED_INTO: str(new.pk)}
    with transaction.atomic():
        for source in sorted(sources, key=lambda source: source.pk):
            close(source, new, "merge", revision, by=by, why=why, at=at, batch=batch)
        begin(new, "create", by=by, why=why, at=at, batch=batch)
        Relation.objects.bulk_create(Relation(source=source, predicate=MERGED_INTO, target=new) for source in sources)
        doubled = _unite_evidence(sources, new)
        _unite_performance(sources, new, doubled)


def _unite_evidence(sources: Sequence[Memory], new: Memory) -> Counter[str]:
    """Copy the evidence, each occasion once by its latest row. Answers outcome -> times counted too often."""
    rows = Evidence.objects.filter(memory__in=sources)
    latest = rows.order_by("occasion", "-at", "-pk").distinct("occasion").values(*FACTS)
    once: Counter[str] = Counter()
    copies = []
    for facts in latest.iterator(chunk_size=2000):
        copies.append(Evidence(id=new_id(), memory=new, **facts))
        once.update([facts["outcome"]] if facts["outcome"] else [])
    Evidence.objects.bulk_create(copies, batch_size=1000)
    return _outcomes(rows) - once


def _outcomes(rows: QuerySet[Evidence]) -> Counter[str]:
    return Counter(outcome for outcome in rows.values_list("outcome", flat=True) if outcome)


def _unite_performance(sources: Sequence[Memory], new: Memory, doubled: Counter[str]) -> None:
    """The sum of what each has, an episode that witnessed several of them counted once."""
    rows = Performance.objects.filter(memory__in=sources)
    if not rows.exists():
        return
    summed: dict[str, Any] = rows.aggregate(**{name: Sum(F(name)) for name in SUMMED}, last=Max("last_used_at"))
    last = summed.pop("last")
    for outcome, times in doubled.items():
        summed[COLUMN[outcome]] = max(0, summed[COLUMN[outcome]] - times)  # type: ignore[index]  # an Outcome is its word
    Performance.objects.create(memory=new, last_used_at=last, **summed)
