"""Calls of tokens: how many each made today, and how many it may still make in this minute.

Each process counts its own. It writes the first call of a token at once, and after it no more than every half minute
what came since, so a busy agent does not write at every call. What is left when the calls of a token end is written
with the next call of any token that this process answers, or when it shows the page of agents. A process that is
killed loses what it had left.

The limit holds over all web processes: each takes shares of the allowance of all. A share is an eighth of the calls
that this process answered in the window, or in the one before, so most calls ask nobody. Together the processes never
answer more calls than the limit in a window. They may refuse before it is reached, at the earliest at three quarters of
it, when calls of a token move from one process to another, which leaves a rest of its share unused; a token whose calls
go to one process, or to all alike, gets all of them.

The allowance is a row of the database, or a counter of the Redis of CACHE_URL; while that does not answer, the row.
A process logs once that it does not, and once that it does again.
While the disk of the database is full, no call is refused.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
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


@dataclass
class Share:
    """What this process has of one token's allowance. `answered`: calls in this window; `before`: in the last one."""

    until: float
    limit: int
    left: int = 0
    answered: int = 0
    before: int = 0
    used_up: bool = False

    @property
    def wanted(self) -> int:
        return max(1, max(self.answered, self.before) // PART)


def _allowance(agent: UUID, *, wanted: int, limit: int) -> Grant:
    if settings.CACHE_URL:
        from redis.exceptions import RedisError  # many megabytes, where few installations need it

        try:
            grant = _counted(agent, wanted=wanted, limit=limit)
        except RedisError as error:
            _cache_outage.note("the cache does not answer, calls are counted in the database: %s", error)
        else:
            _cache_outage.end()
            return grant
    with outages.dispensable("calls of a minute"):
        return CallAllowance.objects.grant(agent, wanted=wanted, limit=limit)
    return Grant(wanted, outages.RETRY_AFTER)


def _counted(agent: UUID, *, wanted: int, limit: int) -> Grant:
    """The same in the cache, in windows of the clock: whole minutes."""
    window, second = divmod(time.time(), WINDOW_SECONDS)
    key = f"calls:{agent}:{window:.0f}"
    cache.add(key, 0, timeout=2 * WINDOW_SECONDS)
    granted = cache.incr(key, wanted)
    return Grant(max(0, min(wanted, limit - (granted - wanted))), WINDOW_SECONDS - second)


class Shares:
    """The shares of one process."""

    def __init__(self, allowance: Callable[..., Grant] = _allowance) -> None:
        self._allowance = allowance
        self._shares: dict[UUID, Share] = {}
        self._lock = threading.Lock()

    def wait(self, agent: UUID, limit: int) -> float:
        """Take one call of the agent's allowance: 0, or the seconds until there are calls again."""
        now = time.monotonic()
        with self._lock:
            share = self._running(agent, limit, now)
            if share.left:
                share.left, share.answered = share.left - 1, share.answered + 1
                return 0.0
            if share.used_up:
                return share.until - now
            wanted = share.wanted
        grant = self._allowance(agent, wanted=wanted, limit=limit)  # without the lock: it may wait for the database
        with self._lock:
            share.until, share.used_up = now + grant.seconds, not grant.calls
            if not grant.calls:
                return grant.seconds
            share.left, share.answered = share.left + grant.calls - 1, share.answered + 1
        return 0.0

    def _running(self, agent: UUID, limit: int, now: float) -> Share:
        """The share in the window that runs. A changed limit is asked about anew; its window is the same."""
        share = self._shares.get(agent)
        if share is None or share.until <= now:
            if len(self._shares) >= MOST_SHARES:
                self._shares = {known: kept for known, kept in self._shares.items() if kept.until > now}
            before = share.answered if share and now - share.until < WINDOW_SECONDS else 0
            share = self._shares[agent] = Share(now + WINDOW_SECONDS, limit, before=before)
        elif share.limit != limit:
            share.limit, share.left, share.used_up = limit, 0, False
        return share
