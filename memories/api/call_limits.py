"""Calls of tokens: how many each made today, and how many it may still make in this minute.

Each process counts its own calls. It writes the first call of a token at once and later ones at most every half minute,
so a busy agent does not write at every call. Counts that remain when the calls of a token end are written with the next
call of any token in this process, or when it shows the page of agents. A killed process loses its unwritten counts.

The limit holds over all web processes: each reserves shares of the common allowance. A share is an eighth of the calls
that this process answered in this window or the one before, so most calls need no query. Together the processes never
answer more calls than the limit in a window. They may refuse earlier, at three quarters of it at the earliest, when the
calls of a token move from one process to another and leave a share unused; a token whose calls go to one process, or to
all alike, gets the whole limit.

The allowance is a row of the database, or a counter of the Redis of CACHE_URL; while that does not answer, the row.
A process logs once that it does not, and once that it does again.
While the disk of the database is full, no call is refused.
"""

import logging
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import UUID

from django.conf import settings
from django.core.cache import cache

from memories.models import Agent
from memories.models.coordination import WINDOW_SECONDS, CallAllowance, Grant
from memos_site.platform import outages

WRITTEN_EVERY = timedelta(seconds=30)
NEVER = datetime.min.replace(tzinfo=UTC)
PART = 8  # of what a process answers is its next share
MOST_SHARES = 10_000  # tokens that are remembered; then those whose window is over are dropped
log = logging.getLogger("memos.limits")
_cache_outage = outages.OutageLog(log, over="the cache answers again, calls are counted there", each_error=False)


@dataclass
class UnwrittenCalls:
    """Calls of one token since `written_at`."""

    written_at: datetime
    calls: int = 0
    last_at: datetime = NEVER


class CallCounts:
    """The counts of one process."""

    def __init__(self) -> None:
        self._unwritten: dict[UUID, UnwrittenCalls] = {}
        self._swept_at = NEVER
        self._lock = threading.Lock()

    def count(self, agent: Agent, *, at: datetime) -> None:
        """Count a call of this agent, whose row was just read; write the counts that are due."""
        with self._lock:
            unwritten = self._unwritten.setdefault(agent.pk, UnwrittenCalls(agent.last_used_at or NEVER))
            unwritten.calls, unwritten.last_at = unwritten.calls + 1, at
            due = self._take({agent.pk: unwritten}, at)
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
        self._unwritten = {pk: entry for pk, entry in self._unwritten.items() if at - entry.written_at < WRITTEN_EVERY}
        self._swept_at = at
        return due

    @staticmethod
    def _take(
        unwritten: dict[UUID, UnwrittenCalls], at: datetime, *, every: timedelta = WRITTEN_EVERY
    ) -> dict[UUID, tuple[int, datetime]]:
        due = {pk: entry for pk, entry in unwritten.items() if entry.calls and at - entry.written_at >= every}
        calls_by_agent = {pk: (entry.calls, entry.last_at) for pk, entry in due.items()}
        for entry in due.values():
            entry.calls, entry.written_at = 0, at
        return calls_by_agent


def _write(due: dict[UUID, tuple[int, datetime]]) -> None:
    for pk, (calls, last_at) in due.items():
        with outages.dispensable("calls of a token"):
            Agent.objects.filter(pk=pk).called(calls, at=last_at)


counts = CallCounts()


@dataclass
class Share:
    """This process's share of one token's allowance. `calls`: calls in this window; `calls_before`: in the last one."""

    until: float
    limit: int
    calls_left: int = 0
    calls: int = 0
    calls_before: int = 0
    used_up: bool = False

    @property
    def next_size(self) -> int:
        return max(1, max(self.calls, self.calls_before) // PART)


def _allowance(agent: UUID, *, calls: int, limit: int) -> Grant:
    if settings.CACHE_URL:
        from redis.exceptions import RedisError  # many megabytes, where few installations need it

        try:
            grant = _cache_grant(agent, calls=calls, limit=limit)
        except RedisError as error:
            _cache_outage.note("the cache does not answer, calls are counted in the database: %s", error)
        else:
            _cache_outage.end()
            return grant
    with outages.dispensable("calls of a minute"):
        return CallAllowance.objects.grant(agent, wanted=calls, limit=limit)
    return Grant(calls, outages.RETRY_AFTER)


def _cache_grant(agent: UUID, *, calls: int, limit: int) -> Grant:
    """The grant of a counter in the cache, in windows of whole minutes. RedisError: the cache does not answer."""
    window, second = divmod(time.time(), WINDOW_SECONDS)
    key = f"calls:{agent}:{window:.0f}"
    cache.add(key, 0, timeout=2 * WINDOW_SECONDS)
    calls_granted = cache.incr(key, calls)
    return Grant(max(0, min(calls, limit - (calls_granted - calls))), WINDOW_SECONDS - second)


class Allowance(Protocol):
    def __call__(self, agent: UUID, /, *, calls: int, limit: int) -> Grant: ...


class Shares:
    """The shares of one process."""

    def __init__(self, allowance: Allowance = _allowance) -> None:
        self._allowance = allowance
        self._shares: dict[UUID, Share] = {}
        self._lock = threading.Lock()

    def wait(self, agent: UUID, limit: int) -> float:
        """Take one call of the agent's allowance: 0, or the seconds until there are calls again."""
        now = time.monotonic()
        with self._lock:
            share = self._running(agent, limit, now)
            if share.calls_left:
                share.calls_left, share.calls = share.calls_left - 1, share.calls + 1
                return 0.0
            if share.used_up:
                return share.until - now
            calls = share.next_size
        grant = self._allowance(agent, calls=calls, limit=limit)  # without the lock: it may wait for the database
        with self._lock:
            share.until, share.used_up = now + grant.seconds, not grant.calls
            if not grant.calls:
                return grant.seconds
            share.calls_left, share.calls = share.calls_left + grant.calls - 1, share.calls + 1
        return 0.0

    def _running(self, agent: UUID, limit: int, now: float) -> Share:
        """The share of the current window. A changed limit empties it, so that calls are granted anew."""
        share = self._shares.get(agent)
        if share is None or share.until <= now:
            if len(self._shares) >= MOST_SHARES:
                self._shares = {
                    agent_id: other_share for agent_id, other_share in self._shares.items() if other_share.until > now
                }
            before = share.calls if share and now - share.until < WINDOW_SECONDS else 0
            share = self._shares[agent] = Share(now + WINDOW_SECONDS, limit, calls_before=before)
        elif share.limit != limit:
            share.limit, share.calls_left, share.used_up = limit, 0, False
        return share
