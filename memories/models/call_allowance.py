"""How many calls a token has left in its running minute, as one row that all web processes of all hosts share."""

from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, models

from memories.models.agent import Agent

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
