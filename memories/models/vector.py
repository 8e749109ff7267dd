"""Vectors of passages, the queue of passages that wait for one, and the embedding models.

Vectors are a narrow table, so that writing one does not rewrite the passage. Scope and sensitivity are copies of the
passage's, held equal by the database. A model's name identifies its vectors: those of two models are never compared.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Self

import numpy as np
import psycopg
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models import F, Q
from pgvector.django import HalfVectorField
from psycopg.adapt import Dumper
from psycopg.postgres import types
from psycopg.pq import Format
from pydantic_core import to_json

from memories import embedding
from memories.models import bulk_rows
from memories.models.row_queue import QueuedRow, RowQueue

IN_HAND = timedelta(minutes=10)  # longer than any request to an endpoint


def halfvec_text(vector: Any) -> str:
    """Write a vector as the text of a halfvec. `pgvector.HalfVector(vector).to_text()` takes six times as long."""
    return to_json(np.asarray(vector, dtype=np.float16).tolist()).decode()


class Vector(models.Model):
    pk = models.CompositePrimaryKey("passage_id", "model")
    passage = models.ForeignKey(
        "memories.Passage", models.DO_NOTHING, related_name="vectors", db_constraint=False, db_index=False
    )
    model = models.TextField()
    embedding = HalfVectorField()
    scope = models.TextField()
    sensitivity = models.SmallIntegerField()

    class Meta:
        indexes = [models.Index(fields=["model", "scope"], name="vector_by_model_and_scope")]

    def __str__(self) -> str:
        return f"{self.model} of {self.passage_id}"


class PendingQuerySet(RowQueue["Pending"]):
    trust_path = "passage__"

    def waiting(self, model: str) -> Self:
        """Queue entries of that model, taken by a worker or not."""
        return self.due().filter(model=model)

    def of(self, passages: Sequence[int], model: str) -> Self:
        return self.filter(passage_id__in=passages, model=model)

    def take(self, model: str, *, at: datetime, most: int) -> list[int]:
        """Take passages from the queue and count one attempt for each.

        Passages that were tried before are taken alone: one bad text must not spoil the others, nor may one that kills
        its worker count against them again.
        """
        with transaction.atomic():
            free = Q(taken_at=None) | Q(taken_at__lt=at - IN_HAND)
            rows = self.waiting(model).filter(free).order_by("passage_id").select_for_update(skip_locked=True)
            new_rows, tried_rows = rows.filter(attempts=0), rows.filter(attempts__gt=0)
            ids = list(new_rows.values_list("passage_id", flat=True)[:most])
            ids = ids or list(tried_rows.values_list("passage_id", flat=True)[:1])
            self.of(ids, model).update(attempts=F("attempts") + 1, taken_at=at)
            return ids

    def let_go(self, passages: Sequence[int], model: str, *, why: str) -> None:
        """Return entries to the queue after a failed attempt; after the third they are not taken again."""
        self.of(passages, model).update(taken_at=None, error=why)

    def given_back(self, passages: Sequence[int], model: str, *, why: str) -> None:
        """Return entries to the queue without counting the attempt: the passages were not the cause."""
        self.of(passages, model).update(taken_at=None, error=why, attempts=F("attempts") - 1)


class Pending(QueuedRow):
    """A passage that waits for a vector. `taken_at`: a worker has it, until the time limit of a live worker."""

    pk = models.CompositePrimaryKey("passage_id", "model")
    passage = models.ForeignKey(
        "memories.Passage", models.DO_NOTHING, related_name="pending", db_constraint=False, db_index=False
    )
    model = models.TextField()
    taken_at = models.DateTimeField(null=True)

    objects = PendingQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "pending"

    def __str__(self) -> str:
        return f"{self.model} of {self.passage_id}"


class Serving(NamedTuple):
    """The model whose vectors are compared. `mean`: the mean vector of its texts, None where it is not known.
    `dimensions` of its vectors, 0 where they are not known yet."""

    name: str
    mean: "np.ndarray[Any, Any] | None"
    dimensions: int = 0


class EmbeddingModelQuerySet(models.QuerySet["EmbeddingModel"]):
    def serving(self) -> str:
        """The name of the model whose vectors searches compare: the built-in one until another has taken over."""
        return self.filter(active=True).values_list("name", flat=True).first() or embedding.built_in().name

    def serving_with_mean(self) -> Serving:
        """The serving model with its mean; one prepared statement, because every search asks it."""
        built_in = embedding.built_in()
        with bulk_rows.prepared() as cursor:
            cursor.execute("SELECT name, mean, dimensions FROM memories_embeddingmodel WHERE active")
            name, mean, dimensions = cursor.fetchone() or (built_in.name, None, 0)
        if name == built_in.name:
            return Serving(name, built_in.mean)
        return Serving(name, None if mean is None else np.array(mean, dtype=np.float32), dimensions)


class EmbeddingModel(models.Model):
    """A model that passages are or were embedded with. While none is active, the built-in one serves.

    `mean` is subtracted where similarity means likeness (duplicates), and only there.
    """

    name = models.TextField(primary_key=True)
    dimensions = models.IntegerField()
    near_duplicate_threshold = models.FloatField()
    mean = ArrayField(models.FloatField(), null=True)
    active = models.BooleanField(default=False)

    objects = EmbeddingModelQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["active"], condition=models.Q(active=True), name="embedding_model_is_active_alone"
            ),
        ]

    def __str__(self) -> str:
        return self.name


ELEMENT = np.dtype([("length", ">i4"), ("number", ">f4")])
NONE = np.zeros(0, np.float32)
HEADER = struct.Struct(
    ">iiIii"
)  # dimensions, whether some are null, type of the elements, how many, number of the first


@dataclass(frozen=True)
class FloatArray:
    """The numbers of these vectors one after the other, rounded as a halfvec rounds them."""

    vectors: Sequence[Any]


class FloatArrayDumper(Dumper):
    format = Format.BINARY
    oid = types["float4"].array_oid

    def dump(self, obj: FloatArray) -> bytes:
        numbers = np.concatenate([NONE, *obj.vectors]).astype(np.float16)
        elements = np.empty(numbers.size, ELEMENT)
        elements["length"], elements["number"] = 4, numbers
        return HEADER.pack(1, 0, types["float4"].oid, numbers.size, 1) + elements.tobytes()


psycopg.adapters.register_dumper(FloatArray, FloatArrayDumper)
