"""How many calls each token made today: counted in each process, and written now and then with the time of the last.

A process writes the first call of a token at once, and after it no more than every half minute what came since, so a
busy agent does not write at every call. What is left when the calls of a token end is written with the next call of any
token that this process answers, or when it shows the page of agents. A process that is killed loses what it had left.
"""

import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from memories.models import Agent
from memos_site.platform import outages

WRITTEN_EVERY = timedelta(seconds=30)
NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass
class Unwritten:
    """Calls of one token since `written_at`."""

    written_at: datetime
    calls: int = 0
    last_at: datetime = NEVER


class CallCounts:
    """The counts of one process."""

    def __init__(self) -> None:
        self._unwritten: dict[UUID, Unwritten] = {}
        self._swept_at = NEVER
        self._lock = threading.Lock()

    def count(self, agent: Agent, *, at: datetime) -> None:
        """Count a call of this agent, whose row was just read; write what has waited long enough."""
        with self._lock:
            kept = self._unwritten.setdefault(agent.pk, Unwritten(agent.last_used_at or NEVER))
            kept.calls, kept.last_at = kept.calls + 1, at
            due = self._take({agent.pk: kept}, at)
            if at - self._swept_at >= WRITTEN_EVERY:
                due |= self._sweep(at)
        _write(due)

    def write(self, *, at: datetime) -> None:
        """Write everything that is left."""
        with self._lock:
            due = self._take(self._unwritten, at, every=timedelta())
        _write(due)

    def clear(self) -> None:
        """Forget everything that is left."""
        with self._lock:
            self._unwritten, self._swept_at = {}, NEVER

    def _sweep(self, at: datetime) -> dict[UUID, tuple[int, datetime]]:
        due = self._take(self._unwritten, at)
        self._unwritten = {pk: kept for pk, kept in self._unwritten.items() if at - kept.written_at < WRITTEN_EVERY}
        self._swept_at = at
        return due

    @staticmethod
    def _take(
        unwritten: dict[UUID, Unwritten], at: datetime, *, every: timedelta = WRITTEN_EVERY
    ) -> dict[UUID, tuple[int, datetime]]:
        due = {pk: kept for pk, kept in unwritten.items() if kept.calls and at - kept.written_at >= every}
        taken = {pk: (kept.calls, kept.last_at) for pk, kept in due.items()}
        for kept in due.values():
            kept.calls, kept.written_at = 0, at
        return taken


def _write(due: dict[UUID, tuple[int, datetime]]) -> None:
    for pk, (calls, last_at) in due.items():
        with outages.dispensable("calls of a token"):
            Agent.objects.filter(pk=pk).called(calls, at=last_at)


counts = CallCounts()
