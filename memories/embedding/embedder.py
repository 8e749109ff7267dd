"""The Embedder interface, its errors, and the similarity of vectors."""

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float32]]


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
