"""Leases: rows that say which process works on something, and until when. No state of a database session is involved,
so they work across hosts and through a connection pooler."""

from collections.abc import Collection
from typing import Any

from django.db import connection, models
from django.db.models import Func, Value
from django.db.models.functions import Cast

from memos_site.platform.process_identity import is_gone

# An expired row is locked before it is taken over, one that a transaction of its holder has locked is left alone.
# The database's clock decides, since clocks of hosts differ.
ACQUIRE = """
WITH expired AS MATERIALIZED (
    SELECT fence FROM memories_lease
    WHERE name = %(name)s AND (until < clock_timestamp() OR fence = %(gone)s)
    FOR UPDATE SKIP LOCKED
)
INSERT INTO memories_lease (name, owner, until)
SELECT %(name)s, %(owner)s, clock_timestamp() + %(seconds)s * interval '1 second'
WHERE EXISTS (SELECT FROM expired) OR NOT EXISTS (SELECT FROM memories_lease WHERE name = %(name)s)
ON CONFLICT (name) DO UPDATE SET fence = excluded.fence, owner = excluded.owner, until = excluded.until
WHERE memories_lease.fence IN (SELECT fence FROM expired)
RETURNING fence
"""
NOW = Func(function="clock_timestamp", output_field=models.DateTimeField())
CONFIRM = """
SELECT fence, set_config('idle_in_transaction_session_timeout', %s, true)
FROM memories_lease WHERE fence = ANY(%s) FOR KEY SHARE
"""


class LeaseQuerySet(models.QuerySet["Lease"]):
    def acquire(self, name: str, *, owner: str, seconds: float) -> int:
        """The fence of a new lease; 0 if a process that may be alive holds it."""
        wanted = {"name": name, "owner": owner, "seconds": seconds}
        if fence := self._acquire({**wanted, "gone": 0}):
            return fence
        holder = self.filter(name=name).values_list("fence", "owner").first()
        return self._acquire({**wanted, "gone": holder[0]}) if holder and is_gone(holder[1]) else 0

    def _acquire(self, wanted: dict[str, Any]) -> int:
        with connection.cursor() as cursor:
            cursor.execute(ACQUIRE, wanted)
            row = cursor.fetchone()
        return int(row[0]) if row else 0

    def confirm(self, fences: Collection[int], *, idle_seconds: float) -> set[int]:
        """Those that are still held, which nobody can take over before the transaction ends.

        A holder that stays silent within the transaction for `idle_seconds` is cut off by the database.
        """
        with connection.cursor() as cursor:
            cursor.execute(CONFIRM, [str(round(idle_seconds * 1000)), list(fences)])
            return {fence for fence, _ in cursor.fetchall()}

    def renew(self, fences: Collection[int], *, seconds: float) -> int:
        """Extend leases from now on. `fence`, a key, stays as it is, so this waits for no `confirm`."""
        length = Cast(Value(f"{seconds} seconds"), models.DurationField())
        return self.filter(fence__in=fences).update(until=NOW + length)

    def running(self) -> set[str]:
        """The names of leases whose holder may be alive."""
        return {name for name, owner in self.filter(until__gte=NOW).values_list("name", "owner") if not is_gone(owner)}

    def expired(self) -> "LeaseQuerySet":
        return self.filter(until__lt=NOW)


class Lease(models.Model):
    """`name` is worked on by `owner`, a process, until the instant `until` or its release.

    `fence`: grows with each acquisition of any lease, so a holder that was taken over can tell.
    """

    fence = models.BigAutoField(primary_key=True)
    name = models.CharField(max_length=255, unique=True)
    owner = models.CharField(max_length=255)
    until = models.DateTimeField()

    objects = LeaseQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} until {self.until}"
