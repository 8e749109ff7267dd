"""Parsing of a search question into lexemes and a vector."""

import logging
from collections.abc import Collection
from dataclasses import dataclass, field

from django.db import connection

from memories import embedding
from memories.embedding import Array
from memories.models import EmbeddingModel
from memories.models.vector import Serving
from memories.search import table_statistics
from memories.search.lexemes import most_telling
from memories.search.table_statistics import TableStatistics
from memories.values.text import searchable

log = logging.getLogger(__name__)
LONGEST_READ = 10_000  # most characters of a question that are parsed
ENDPOINT_SECONDS = 2.0  # timeout of an endpoint for a question


@dataclass(frozen=True)
class Question:
    """A parsed question.

    `words`: at most 60 lexemes. `vector`: None where the text has no meaning to the model `model`, or the endpoint
    failed. `mean`: the mean vector of the model's texts, where it is known.
    """

    text: str
    words: list[str] = field(default_factory=list)
    vector: Array | None = None
    model: str = ""
    mean: Array | None = None
    statistics: TableStatistics = field(default_factory=TableStatistics)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.words and self.vector is None


def embed_question(text: str) -> tuple[Serving, Array | None, tuple[str, ...]]:
    """The serving model, the vector of the text, and failed parts. Must not be called inside a transaction."""
    model = EmbeddingModel.objects.serving_with_mean()
    try:
        vector = embedding.ask(embedding.named(model.name), text, patience=ENDPOINT_SECONDS)
    except embedding.EmbeddingError as error:
        log.warning("searching by words only: %s", error)
        return model, None, ("embedding",)
    return model, vector, ()


def read_question(text: str, model: Serving, vector: Array | None, scopes: Collection[str] | None) -> Question:
    """Parse a question into lexemes; where they are many, the rarest ones in these scopes (None: all).

    One statement, which refreshes the statistics of the tables where they are stale.
    """
    read = text[:LONGEST_READ]
    refreshed = table_statistics.SQL if table_statistics.cache.is_stale else "NULL"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT tsvector_to_array(to_tsvector('english', %s)), {refreshed}",
            [searchable(read) or read],
        )
        words, rows = cursor.fetchone()
    if rows is not None:
        table_statistics.cache.keep(TableStatistics.of(rows))
    known = table_statistics.cache.statistics
    return Question(text, most_telling(words, known, scopes), vector, model.name, model.mean, known)
