"""Backfill of vectors, and the change of the embedding model while the former one still serves."""

from collections.abc import Iterator
from typing import NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Avg
from django.utils import timezone

from memories import embedding
from memories.embedding import Embedder
from memories.indexing import queue
from memories.models import EmbeddingModel, Passage, Pending, Vector
from memories.values.choices import Sensitivity

MOST_QUEUED, MOST_REMOVED = 10_000, 10_000  # most rows of one step
IN_HAND = "in hand"
SAMPLE = 20_000  # vectors in the sample for the mean
MOST_SET_ASIDE = 0.01  # largest share of all passages for a takeover


class Step(NamedTuple):
    """Progress: `done` of `total` (0 = not known) in this stage. IN_HAND: other workers have the last ones."""

    stage: str
    done: int
    total: int = 0


class ModelChange(NamedTuple):
    """Names of models: searches compare vectors of `serving` until every passage has one of `next`."""

    serving: str
    next: str


class SetAside(Exception):
    """Too many passages have no vector for the model to take over; the message is a sentence."""


def due() -> bool:
    """Whether the configured model is not the serving one, or the backfill has never been checked."""
    return not EmbeddingModel.objects.filter(active=True, name=embedding.embedder().name).exists()


def model_change() -> ModelChange | None:
    """The change that is under way; None where the configured model serves."""
    change = ModelChange(EmbeddingModel.objects.serving(), embedding.embedder().name)
    return change if change.serving != change.next else None


def retry_set_aside() -> int:
    return Pending.objects.set_aside().filter(model=embedding.embedder().name).update(attempts=0, taken_at=None)


def reembed() -> Iterator[Step]:
    """Run the backfill step by step; it may be stopped after any step, and continues there when called again.

    Unavailable: the endpoint does not work. SetAside: the model does not take over.
    """
    embedder = embedding.embedder()
    yield from _queue(embedder)
    yield from _vectors(embedder)
    _take_over(embedder)
    yield from _remove_others(embedder.name)


def _queue(embedder: Embedder) -> Iterator[Step]:
    """Queue every passage without a vector of this model, except those that may not leave the machine."""
    most = Sensitivity.named(settings.EXTERNAL_MAX_SENSITIVITY) if embedder.external else max(Sensitivity)
    after, last = 0, Passage.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    while after < last:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO memories_pending (passage_id, model, attempts, error) "
                "SELECT id, %s, 0, '' FROM memories_passage AS passage "
                "WHERE id > %s AND id <= %s AND sensitivity <= %s AND NOT EXISTS "
                "(SELECT FROM memories_vector WHERE passage_id = passage.id AND model = %s) "
                "ON CONFLICT (passage_id, model) DO NOTHING",
                [embedder.name, after, after + MOST_QUEUED, most, embedder.name],
            )
        after += MOST_QUEUED
        yield Step("queue", min(after, last), last)


def _vectors(embedder: Embedder) -> Iterator[Step]:
    waiting = Pending.objects.waiting(embedder.name)
    done, total = 0, waiting.count()
    while (counts := queue.embed_some(at=timezone.now())) or waiting.exists():
        done += counts["embedded"]
        yield Step("vectors" if counts else IN_HAND, min(done, total), total)
    set_aside, passages = Pending.objects.set_aside().filter(model=embedder.name).count(), Passage.objects.count()
    if set_aside > MOST_SET_ASIDE * passages:
        raise SetAside(
            f"{set_aside} of {passages} passages were refused three times by {embedder.name}; the former model serves"
        )


def _take_over(embedder: Embedder) -> None:
    """Make this model the serving one."""
    mean = _mean(embedder)
    facts = {
        "dimensions": embedder.dimensions if mean is None else len(mean),
        "near_duplicate_threshold": embedder.near_duplicate_threshold,
        "mean": mean,
        "active": True,
    }
    with transaction.atomic():
        EmbeddingModel.objects.exclude(name=embedder.name).update(active=False)
        EmbeddingModel.objects.update_or_create(name=embedder.name, defaults=facts)


def _mean(embedder: Embedder) -> list[float] | None:
    """The mean vector of all texts: the model's own, else that of a sample of stored vectors."""
    if embedder.mean is not None:
        return [float(number) for number in embedder.mean]
    sample = Vector.objects.filter(model=embedder.name)[:SAMPLE]
    mean: list[float] | None = sample.aggregate(mean=Avg("embedding"))["mean"]
    return mean


def _remove_others(name: str) -> Iterator[Step]:
    Pending.objects.exclude(model=name).delete()
    removed_count = 0
    while count := _remove_some(name):
        removed_count += count
        yield Step("clearing", removed_count)


def _remove_some(name: str) -> int:
    rows = Vector.objects.exclude(model=name).values_list("passage_id", flat=True)[:MOST_REMOVED]
    return Vector.objects.exclude(model=name).filter(passage_id__in=list(rows)).delete()[0]
