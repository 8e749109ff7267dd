"""Embedding of a search question with a short timeout; a failed endpoint is skipped for a while."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache

from memories.embedding.embedder import Array, Embedder, Refused, Unavailable

REST = 10.0  # seconds before a failed endpoint is called again
MOST_AT_ONCE = 16
FAIR = 0.5  # seconds; a timeout below this is no failure of the endpoint

_resting: dict[Embedder, float] = {}  # end of the pause by the monotonic clock; of this process


def ask(embedder: Embedder, text: str, *, patience: float) -> Array | None:
    """Embed one text; None where it has no meaning to the model. EmbeddingError after `patience` seconds.

    An endpoint that failed is not called again for a while: until then concurrent callers get Unavailable immediately,
    and the first caller afterwards tries again. Must not be called inside a transaction. Runs in a thread, because no
    connection timeout covers the DNS lookup.
    """
    if not embedder.external:
        return embedder.embed([text])[0]
    _may_be_asked(embedder, patience)
    try:
        vector = _within(embedder, text, patience)
    except Unavailable:
        if patience >= FAIR:
            _resting[embedder] = time.monotonic() + REST
        raise
    except Refused:  # the endpoint works, but rejects this text
        _resting.pop(embedder, None)
        raise
    _resting.pop(embedder, None)
    return vector


def _may_be_asked(embedder: Embedder, patience: float) -> None:
    until = _resting.get(embedder)
    if until is None:
        return
    now = time.monotonic()
    if now < until:
        raise Unavailable(f"the embedding endpoint failed a moment ago: it is asked again in {until - now:.0f} seconds")
    _resting[embedder] = now + patience  # this caller tries; concurrent ones skip the endpoint


def _within(embedder: Embedder, text: str, patience: float) -> Array | None:
    answer = _threads(os.getpid()).submit(copy_context().run, embedder.embed, [text], patience=patience)
    try:
        return answer.result(patience)[0]
    except TimeoutError:
        answer.cancel()
        raise Unavailable(f"the embedding endpoint did not answer within {patience:.1f} seconds") from None


@lru_cache(maxsize=1)
def _threads(pid: int) -> ThreadPoolExecutor:
    """The thread pool of a process: threads do not survive a fork."""
    return ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="embedding")
