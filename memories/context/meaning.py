"""The task as a vector, with patience for an endpoint that does not answer at all."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from memories import embedding
from memories.embedding import Array
from memories.models import EmbeddingModel

MOST_AT_ONCE = 4


class Serving(NamedTuple):
    """The model whose vectors are compared. `mean`: what all its texts have in common, None where that is not known."""

    name: str
    mean: Array | None


def serving() -> Serving:
    """The same answer as EmbeddingModel.objects.serving(), with the mean; one statement."""
    active = EmbeddingModel.objects.filter(active=True).values_list("name", "mean").first()
    built_in = embedding.built_in()
    name, mean = active or (built_in.name, None)
    if name == built_in.name:
        return Serving(name, built_in.mean)
    return Serving(name, None if mean is None else np.array(mean, dtype=np.float32))


def vector_of(text: str, model: str, *, patience: float) -> Array | None:
    """None where the text says nothing to the model. EmbeddingError, or TimeoutError after `patience` seconds.

    Not to be called inside a transaction. An endpoint is asked from a thread: no timeout of a connection covers the
    look-up of its name.
    """
    embedder = embedding.named(model)
    if not embedder.external:
        return embedder.embed([text])[0]
    asked = _threads(os.getpid()).submit(embedder.embed, [text], patience=patience)
    return asked.result(patience)[0]


@lru_cache(maxsize=1)
def _threads(pid: int) -> ThreadPoolExecutor:
    """Of this process: threads do not come along into a fork."""
    return ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="embedding")
