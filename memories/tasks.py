"""Tasks of the job worker. The row is the queue: a task is only a nudge, which may run twice or get lost."""

import logging
import time
from collections.abc import Mapping

from django.utils import timezone
from django_q.tasks import async_task

from memories import lifecycle, metrics
from memories.embedding import Unavailable
from memories.indexing import ann_index, queue, upkeep
from memories.intake import episodes
from memories.models import IdempotencyKey, Injection
from memos_site.platform import tracing

SLICE = 45  # seconds; the next run starts after a minute
LONG_SLICE = 200  # below Q_CLUSTER's timeout
log = logging.getLogger("memos.embedding")


@tracing.job
def close_silent() -> str:
    """Close episodes to which nothing was added for half an hour."""
    return f"{episodes.close_silent(at=timezone.now())} closed"


@tracing.job
def embed_pending() -> str:
    """Embed the queued passages. While the endpoint is down they wait for the next run."""
    deadline, embedded = time.monotonic() + SLICE, 0
    try:
        while time.monotonic() < deadline and (some := queue.embed_some(at=timezone.now())):
            embedded += some["embedded"]
    except Unavailable as down:
        log.warning("%s", down)
        return f"{embedded} embedded; {down}"
    return f"{embedded} embedded"


@tracing.job
def index_vectors() -> str:
    """Build the index of vectors. A build that outlives the job's time limit may continue in the database."""
    return ann_index.ensure()


@tracing.job
def tend_tables() -> str:
    """Vacuum and analyze tables of which the database knows nothing: after a restore, an import or a crash."""
    tended = upkeep.tend()
    return f"{', '.join(tended)} vacuumed and analyzed" if tended else "nothing to tend"


@tracing.job
def count_metrics() -> str:
    """Count a large store for its figures, where something has changed."""
    return "counted" if metrics.refresh(at=timezone.now()) else "nothing to count"


@tracing.job
def settle() -> str:
    """Lower the confidence of idle claims; remove claims that expired by that or by their time to live."""
    at, until = timezone.now(), time.monotonic() + LONG_SLICE
    done = lifecycle.settle(at=at, until=until) + lifecycle.expire(at=at, until=until)
    return _summary(done, "memories.tasks.settle", until=until)


@tracing.job
def prune() -> str:
    """Remove experience whose salience has faded."""
    until = time.monotonic() + LONG_SLICE
    return _summary(lifecycle.prune(at=timezone.now(), until=until), "memories.tasks.prune", until=until)


@tracing.job
def sweep() -> str:
    """Remove idempotency keys and injections past their retention time."""
    at = timezone.now()
    keys = IdempotencyKey.objects.forget_expired(at=at)
    return _in_words({"idempotency_keys": keys, "injections": Injection.objects.forget_expired(at=at)})


def _summary(counters: Mapping[str, int], again: str, *, until: float) -> str:
    """The counters in words. A job that ran out of time queues itself again, so that the rest is not a day late."""
    if time.monotonic() < until:
        return _in_words(counters)
    async_task(again)  # type: ignore[no-untyped-call]
    return f"{_in_words(counters)}; more is due"


def _in_words(counters: Mapping[str, int]) -> str:
    """Format counters: `12 pruned, 3 kept`."""
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counters.items() if n) or "nothing was due"
