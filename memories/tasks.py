"""The worker's doors. The row is the queue: a task is a nudge, may come twice, and may get lost."""

import logging
import time
from collections.abc import Mapping

from django.utils import timezone
from django_q.tasks import async_task

from memories import lifecycle
from memories.embedding import Unavailable
from memories.indexing import ann_index, queue
from memories.intake import episodes

SLICE = 45  # seconds: the next nudge comes after a minute
LONG_SLICE = 200  # below Q_CLUSTER's timeout
log = logging.getLogger("memos.embedding")


def close_silent() -> str:
    return f"{episodes.close_silent(at=timezone.now())} closed"


def embed_pending() -> str:
    """The queue of an endpoint. One that is down leaves everything as it was, for the next nudge."""
    deadline, embedded = time.monotonic() + SLICE, 0
    try:
        while time.monotonic() < deadline and (some := queue.embed_some(at=timezone.now())):
            embedded += some["embedded"]
    except Unavailable as down:
        log.warning("%s", down)
        return f"{embedded} embedded; {down}"
    return f"{embedded} embedded"


def index_vectors() -> str:
    """A build that takes longer than a job may goes on in the database; the next nudge finds it done, or under way."""
    return ann_index.ensure()


def settle() -> str:
    """Idle claims lose confidence; what has expired by that or by its TTL is removed."""
    at, until = timezone.now(), time.monotonic() + LONG_SLICE
    done = lifecycle.settle(at=at, until=until) + lifecycle.expire(at=at, until=until)
    return _said(done, "memories.tasks.settle", until=until)


def prune() -> str:
    until = time.monotonic() + LONG_SLICE
    return _said(lifecycle.prune(at=timezone.now(), until=until), "memories.tasks.prune", until=until)


def sweep() -> str:
    return _in_words(lifecycle.sweep(at=timezone.now()))


def _said(counters: Mapping[str, int], again: str, *, until: float) -> str:
    """Whose time was up nudges itself: a worker takes other work in between, and the rest is not a day late."""
    if time.monotonic() < until:
        return _in_words(counters)
    async_task(again)  # type: ignore[no-untyped-call]
    return f"{_in_words(counters)}; more is due"


def _in_words(counters: Mapping[str, int]) -> str:
    """`12 pruned, 3 kept`."""
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counters.items() if n) or "nothing was due"
