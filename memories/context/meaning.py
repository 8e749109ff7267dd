"""Which model a task is compared by."""

from typing import NamedTuple

import numpy as np

from memories import embedding
from memories.embedding import Array
from memories.models import EmbeddingModel


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
