"""Take the snapshot of a large store, when something has changed, and read the part of a caller."""

import time
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Count

from memories.metrics import tallies
from memories.metrics.tallies import Tally
from memories.models import AuditEntry, Memory
from memories.models.audit import AGENT, PERSON
from memories.models.metric_tally import MetricSnapshot, MetricTally
from memories.values.choices import Sensitivity
from memories.values.trust import Trust

OLDEST = timedelta(hours=1)  # without a worker; after that the store is counted when it is asked for
LARGE = 100_000  # memories; fewer are counted when they are asked for
UNCHANGED = timedelta(minutes=15)  # salience and "the last day" move on without a change
SHARE = 0.1  # most of the time that counting may take
CHANGES = """
SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint,
       (SELECT CASE WHEN reltuples > 0 THEN reltuples ELSE pg_relation_size(oid) / %s END
        FROM pg_class WHERE oid = 'memories_memory'::regclass)::bigint
FROM pg_stat_user_tables WHERE relname IN ('memories_memory', 'memories_auditentry')
"""
ROW_BYTES = 800  # of a memory, about, to estimate the rows of a table that was never analyzed
Place = tuple[str | None, int]  # scope (None: all of them) and sensitivity


def refresh(*, at: datetime) -> bool:
    """Count the store if it is large and the last count is out of date; whether it was counted."""
    with connection.cursor() as cursor:
        cursor.execute(CHANGES, [ROW_BYTES])
        changes, memories = cursor.fetchone()
    last = MetricSnapshot.objects.order_by("-pk").first()
    if memories < LARGE:
        MetricSnapshot.objects.all().delete()
        return False
    if last and not _is_due(last, changes, at=at):
        return False
    take(at=at, changes=changes)
    return True


def _is_due(last: MetricSnapshot, changes: int, *, at: datetime) -> bool:
    age = at - last.at
    if last.changes == changes:
        return age >= UNCHANGED
    return age.total_seconds() >= last.seconds / SHARE


def take(*, at: datetime, changes: int = 0) -> None:
    """Count all memories and audit entries, and put the counts in the place of the last ones."""
    start = time.monotonic()
    counts_by_place = _count_all(at)
    with transaction.atomic():
        former = list(MetricSnapshot.objects.values_list("pk", flat=True))
        snapshot = MetricSnapshot.objects.create(at=at, changes=changes, seconds=time.monotonic() - start)
        rows = [
            MetricTally(snapshot=snapshot, scope=scope, sensitivity=level, counts=tally)
            for (scope, level), tally in counts_by_place.items()
        ]
        MetricTally.objects.bulk_create(rows, batch_size=1000)
        MetricSnapshot.objects.filter(pk__in=former).delete()


def read(trust: Trust, *, at: datetime, oldest: timedelta = OLDEST) -> tuple[datetime, Tally] | None:
    """When the store was counted last and what this caller may see of it; None if that is too long ago."""
    counted_at, rows = MetricTally.objects.seen_by(trust)
    if counted_at is None or not timedelta() <= at - counted_at < oldest:
        return None
    return counted_at, tallies.total(rows)


def _count_all(at: datetime) -> dict[Place, Tally]:
    counts_by_place: dict[Place, Tally] = defaultdict(dict)
    for level in Sensitivity:
        counts_by_place[None, level.value] = {}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64MB'")  # the groups stay in memory
        for row in tallies.groups(Memory.objects.all(), "scope", at=at):
            for place in _places(row["scope"], row["sensitivity"]):
                tallies.add_group(counts_by_place[place], row)
    entries = AuditEntry.objects.all()
    for row in tallies.actions(entries, "scope", "sensitivity", at=at):
        for place in _places(row["scope"], row["sensitivity"]):
            tallies.add_action(counts_by_place[place], row)
    rest = entries.exclude(subject_kind__in=(AGENT, PERSON))  # who may see these depends on more than their scope
    for scope, level, n in rest.order_by().values_list("scope", "sensitivity").annotate(n=Count("pk")):
        for place in _places(scope, level):
            tallies.add_entries(counts_by_place[place], n)
    return counts_by_place


def _places(scope: str, level: int) -> Iterable[Place]:
    return (scope, level), (None, level)
