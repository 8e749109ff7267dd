"""The worker's doors. The row is the queue: a task is a nudge, may come twice, and may get lost."""

import logging
import time
from collections.abc import Mapping

from django.utils import timezone

from memories import forgetting, ingestion, vectorising
from memories.embedding import Unavailable

SLICE = 45  # seconds: the next nudge comes after a minute
log = logging.getLogger("memos.embedding")


def close_silent() -> str:
    return f"{ingestion.close_silent(at=timezone.now())} closed"


def embed_pending() -> str:
    """The queue of an endpoint. One that is down leaves everything as it was, for the next nudge."""
    deadline, embedded = time.monotonic() + SLICE, 0
    try:
        while time.monotonic() < deadline and (some := vectorising.embed_some(at=timezone.now())):
            embedded += some["embedded"]
    except Unavailable as down:
        log.warning("%s", down)
        return f"{embedded} embedded; {down}"
    return f"{embedded} embedded"


def settle() -> str:
    """Idle claims lose confidence; what has expired by that or by its TTL is removed."""
    at = timezone.now()
    return said(forgetting.settle(at=at) + forgetting.expire(at=at))


def prune() -> str:
    return said(forgetting.prune(at=timezone.now()))


def sweep() -> str:
    return said(forgetting.sweep(at=timezone.now()))


def said(counters: Mapping[str, int]) -> str:
    """`12 pruned, 3 kept`."""
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counters.items() if n) or "nothing was due"
