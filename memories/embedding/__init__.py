"""Text embedding: the built-in model, or an external endpoint where the settings name one."""

from functools import cache

from django.conf import settings

from memories.embedding.interface import Array, Embedder, EmbeddingError, Refused, Unavailable, ask, similarity
from memories.embedding.static import Static


@cache
def built_in() -> Static:
    return Static()


def embedder() -> Embedder:
    """The embedder that the settings name."""
    if not settings.EMBEDDING_ENDPOINT:
        return built_in()
    return _endpoint(settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS)


def embedder_of(name: str) -> Embedder:
    """The embedder whose vectors carry this model name, needed while another model takes its place.

    It is the built-in one, or a model of the same endpoint. Unavailable: no endpoint is configured any more.
    """
    if name == built_in().name:
        return built_in()
    if not settings.EMBEDDING_ENDPOINT:
        raise Unavailable(f"the endpoint of {name} is not set any more (EMBEDDING_ENDPOINT)")
    model, at, dimensions = name.rpartition("@")
    return _endpoint(model, int(dimensions)) if at and dimensions.isdigit() else _endpoint(name, 0)


def _endpoint(model: str, dimensions: int) -> Embedder:
    from memories.embedding.endpoint import (
        Endpoint,
    )  # imported here: an HTTP client, which most installations never use

    return Endpoint(settings.EMBEDDING_ENDPOINT, model, dimensions, settings.EMBEDDING_API_KEY)


def centred_similarity(a: Array | None, b: Array | None, *, mean: Array | None = None) -> float:
    """Cosine similarity of two vectors without the mean of all texts; `mean` defaults to the current model's."""
    return similarity(a, b, mean=embedder().mean if mean is None else mean)
