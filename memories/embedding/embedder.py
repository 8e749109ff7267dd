"""The Embedder interface, its errors, and the similarity of vectors."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float32]]


class EmbeddingError(Exception):
    """A sentence for the operator. Never holds a key."""


class Unavailable(EmbeddingError):
    """It is down, or will not work for any text: a wrong key, model, dimension. Says nothing about these texts."""


class Refused(EmbeddingError):
    """It works, but takes one of these texts for wrong."""


class Embedder(Protocol):
    """`name` is the identity of its vectors. `dimensions` 0: not known before its first answer. `external`: texts leave
    the machine. `mean` is what all texts have in common, None where that is not known beforehand."""

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
        """A vector of length 1 for each text, None where a text has no meaning to it.

        Waits `patience` seconds for a network at most. EmbeddingError: none of them has one.
        """


def normalised(vector: Array) -> Array | None:
    """The same direction with length 1; None for a vector without one."""
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length > 0 else None


def similarity(a: Array | None, b: Array | None, *, mean: Array | None) -> float:
    """How alike two texts are, between -1 and 1: the cosine of what is their own, without the `mean` of all texts."""
    if a is None or b is None:
        return 0.0
    shift = np.zeros_like(a) if mean is None else mean
    left, right = normalised(a - shift), normalised(b - shift)
    return 0.0 if left is None or right is None else float(left @ right)
