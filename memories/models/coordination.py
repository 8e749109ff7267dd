"""Rows by which the processes of all hosts agree: who works on what, which requests were answered, and how many calls a
token has left in its running minute.

A lease involves no state of a database session, so it works across hosts and through a connection pooler.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models
from django.db.models import Func, Value
from django.db.models.functions import Cast

from memories.models.agent import Agent
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
KEY_KEPT = timedelta(hours=24)
WINDOW_SECONDS = 60
# One statement, so that two processes are never granted the same calls. The clock is the database's, read once: hosts'
# clocks differ.
GRANT = """
INSERT INTO memories_callallowance AS kept (agent_id, until, granted, latest)
SELECT %(agent)s, clock_timestamp() + %(window)s * interval '1 second', first, first
FROM LEAST(%(wanted)s::integer, %(limit)s::integer) AS first
ON CONFLICT (agent_id) DO UPDATE SET (until, granted, latest) = (
    SELECT CASE WHEN runs THEN kept.until ELSE excluded.until END,
           CASE WHEN runs THEN kept.granted + more ELSE excluded.granted END,
           CASE WHEN runs THEN more ELSE excluded.latest END
    FROM (SELECT kept.until > excluded.until - %(window)s * interval '1 second' AS runs,
                 GREATEST(0, LEAST(%(wanted)s, %(limit)s - kept.granted)) AS more) AS state
)
RETURNING latest, EXTRACT(epoch FROM until - clock_timestamp())::float8
"""


class LeaseQuerySet(models.QuerySet["Lease"]):
    def acquire(self, name: str, *, owner: str, seconds: float) -> int:
        """The fence of a new lease; 0 if a process that may be alive holds it."""
        parameters = {"name": name, "owner": owner, "seconds": seconds}
        if fence := self._acquire({**parameters, "gone": 0}):
            return fence
        holder = self.filter(name=name).values_list("fence", "owner").first()
        return self._acquire({**parameters, "gone": holder[0]}) if holder and is_gone(holder[1]) else 0

    def _acquire(self, parameters: dict[str, Any]) -> int:
        with connection.cursor() as cursor:
            cursor.execute(ACQUIRE, parameters)
            row = cursor.fetchone()
        return int(row[0]) if row else 0

    def confirm(self, fences: Collection[int], *, idle_seconds: float) -> set[int]:
        """The fences that still hold; they cannot be taken over before the transaction ends.

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


class IdempotencyKeyQuerySet(models.QuerySet["IdempotencyKey"]):
    def forget_expired(self, *, at: datetime) -> int:
        return self.filter(expires_at__lt=at).delete()[0]


class IdempotencyKey(models.Model):
    """A used key and its answer. Inserted in the transaction of the work, so that a concurrent request waits for it."""

    caller = models.CharField(max_length=64)  # the kind and id of the agent or person
    key = models.CharField(max_length=255)
    request_sha256 = models.BinaryField(max_length=32)  # method, path and body
    status = models.SmallIntegerField(default=0)
    answer = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    expires_at = models.DateTimeField(db_index=True)

    objects = IdempotencyKeyQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["caller", "key"], name="idempotency_key_is_used_once_by_a_caller")
        ]

    def __str__(self) -> str:
        return self.key


class Grant(NamedTuple):
    calls: int
    seconds: float
    """Until the window ends, and what is left of it with it"""


class CallAllowanceQuerySet(models.QuerySet["CallAllowance"]):
    def grant(self, agent: UUID, *, wanted: int, limit: int) -> Grant:
        """Take at most `wanted` calls out of what the limit leaves in the agent's window, or begin the next window."""
        parameters: dict[str, Any] = {"agent": agent, "wanted": wanted, "limit": limit, "window": WINDOW_SECONDS}
        with connection.cursor() as cursor:
            cursor.execute(GRANT, parameters)
            calls, seconds = cursor.fetchone()
        return Grant(calls, max(0.0, seconds))


class CallAllowance(models.Model):
    """Of one agent: `granted` calls until the instant `until`. The table is not logged: after a crash of the database
    windows begin anew, and no call waits for a disk.
    """

    agent = models.OneToOneField(Agent, primary_key=True, on_delete=models.CASCADE)
    until = models.DateTimeField()
    granted = models.IntegerField()
    latest = models.IntegerField()  # calls of the latest grant

    objects = CallAllowanceQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.granted} calls of {self.agent_id} until {self.until}"
