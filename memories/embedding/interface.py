"""The Embedder interface, its errors, and the similarity of vectors.

`ask` embeds a search question with a short timeout; a failed endpoint is skipped for a while.
"""

import math
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float32]]
REST = 10.0  # seconds before a failed endpoint is called again
MOST_AT_ONCE = 16
FAIR = 0.5  # seconds; a timeout below this is no failure of the endpoint


class EmbeddingError(Exception):
    """A failed embedding call. The message is a sentence for the operator and never holds a key."""


class Unavailable(EmbeddingError):
    """The endpoint is down, or rejects any text (wrong key, model or dimension). Says nothing about these texts."""


class Refused(EmbeddingError):
    """The endpoint works, but rejects one of these texts."""


class Embedder(Protocol):
    """Interface of embedding models.

    `name` identifies its vectors. `dimensions`: 0 when not known before the first answer. `external`: texts leave the
    machine. `mean`: the mean vector of all texts, None where it is not known beforehand.
    """

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def near_duplicate_threshold(self) -> float: ...
    @property
    def mean(self) -> Array | None: ...
    @property
    def external(self) -> bool: ...

    def embed(self, texts: Sequence[str], *, patience: float = 30.0) -> list[Array | None]:
        """Embed each text as a vector of length 1, or None where the text has no meaning to the model.

        Waits at most `patience` seconds for a network. EmbeddingError: no text was embedded.
        """


def normalised(vector: Array) -> Array | None:
    """Scale a vector to length 1; None for a zero vector."""
    length = math.sqrt(vector.dot(vector))
    return (vector / length).astype(np.float32, copy=False) if length > 0 else None


def similarity(a: Array | None, b: Array | None, *, mean: Array | None) -> float:
    """Cosine of two vectors after subtracting the `mean` of all texts, between -1 and 1."""
    if a is None or b is None:
        return 0.0
    shift = np.zeros_like(a) if mean is None else mean
    left, right = normalised(a - shift), normalised(b - shift)
    return 0.0 if left is None or right is None else float(left @ right)


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
