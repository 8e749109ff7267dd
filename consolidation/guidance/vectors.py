"""What was said as a vector of the built-in model: computed here, whatever endpoint serves searches."""

import numpy as np
from numpy.typing import NDArray

from memories.embedding import built_in

DIMENSIONS = 256


def vector(speech: str) -> NDArray[np.float32]:
    """Centred and of unit length; zeros for what has no known word."""
    model = built_in()
    [found] = model.embed([speech])
    if found is None:
        return np.zeros(DIMENSIONS, np.float32)
    centred = np.asarray(found - model.mean, np.float32)
    length = float(np.linalg.norm(centred))
    return centred / length if length else centred
