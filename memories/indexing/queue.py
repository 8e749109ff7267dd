"""The embedding queue: take passages that wait, ask the model outside of any transaction, write their vectors."""

import logging
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.db import connection, transaction

from memories import embedding
from memories.embedding import Array, Embedder, Refused, Unavailable
from memories.models import EmbeddingModel, Passage, Pending
from memories.models.vector import halfvec_text
from memories.values import passage_texts
from memories.values.choices import Sensitivity

MOST_AT_ONCE = 64
PROBE = "What is remembered is found again."  # a harmless text to test an endpoint with
log = logging.getLogger("memos.embedding")


class PendingPassage(NamedTuple):
    passage: int
    text: str


def embed_some(*, at: datetime) -> Counter[str]:
    """Embed the next passages of the queue; returns an empty counter when none waits or others have them.

    Unavailable: the endpoint does not work; the passages stay in the queue.
    """
    embedder = embedding.embedder()
    taken = Pending.objects.take(embedder.name, at=at, most=MOST_AT_ONCE)
    if not taken:
        return Counter()
    batch = _passages_to_send(taken, embedder)
    try:
        vectors = _ask(batch, embedder)
        _hold_size(vectors, embedder)
    except Unavailable as down:
        Pending.objects.given_back(taken, embedder.name, why=str(down))
        raise
    except Refused as refused:
        Pending.objects.let_go(taken, embedder.name, why=str(refused))
        return Counter(failed=len(taken))
    _store(batch, vectors, taken, embedder.name)
    return Counter(embedded=sum(vector is not None for vector in vectors), taken=len(taken))


def _passages_to_send(taken: Sequence[int], embedder: Embedder) -> list[PendingPassage]:
    """The passages that may leave the machine by their present sensitivity; the rest is found by words only."""
    rows = Passage.objects.filter(pk__in=taken).order_by("pk")
    if embedder.external:
        rows = rows.filter(sensitivity__lte=Sensitivity.named(settings.EXTERNAL_MAX_SENSITIVITY))
    values = rows.values_list("pk", "event_id", "actor", "text")
    return [
        PendingPassage(pk, passage_texts.with_speaker(actor if event else "", words))
        for pk, event, actor, words in values
    ]


def _ask(batch: Sequence[PendingPassage], embedder: Embedder) -> list[Array | None]:
    try:
        return embedder.embed([row.text for row in batch])
    except Refused as refused:
        log.warning("%s texts: %s", len(batch), refused)
        if len(batch) > 1:
            raise
        try:
            embedder.embed([PROBE])
        except Refused as always:  # not this text's fault, then
            raise Unavailable(str(always)) from None
        raise


def _hold_size(vectors: Sequence[Array | None], embedder: Embedder) -> None:
    """Fix the dimensions of a model at its first vectors, since vectors of two sizes cannot be compared."""
    size = next((len(vector) for vector in vectors if vector is not None), 0)
    if not size:
        return
    facts = {"dimensions": size, "near_duplicate_threshold": embedder.near_duplicate_threshold}
    model, _ = EmbeddingModel.objects.get_or_create(name=embedder.name, defaults=facts)
    if model.dimensions == 0:  # it became the serving model before its first answer
        EmbeddingModel.objects.filter(name=model.name, dimensions=0).update(dimensions=size)
    elif model.dimensions != size:
        raise Unavailable(f"{model.name} gives vectors of {size} dimensions, those before had {model.dimensions}")


def _store(batch: Sequence[PendingPassage], vectors: Sequence[Array | None], taken: Sequence[int], model: str) -> None:
    """Write vectors; skip deleted passages, and remove texts without a vector from the queue."""
    rows = [
        (row.passage, halfvec_text(vector)) for row, vector in zip(batch, vectors, strict=True) if vector is not None
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO memories_vector (passage_id, model, embedding, scope, sensitivity) "
            "SELECT passage.id, %s, given.embedding::halfvec, passage.scope, passage.sensitivity "
            "FROM unnest(%s::bigint[], %s::text[]) AS given (passage_id, embedding) "
            "JOIN memories_passage AS passage ON passage.id = given.passage_id FOR KEY SHARE OF passage "
            "ON CONFLICT (passage_id, model) DO NOTHING",
            [model, [passage for passage, _ in rows], [vector for _, vector in rows]],
        )
        Pending.objects.of(taken, model).delete()
