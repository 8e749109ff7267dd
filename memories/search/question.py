"""Parsing of a search question into lexemes and a vector."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import connection

from memories import embedding
from memories.embedding import Array
from memories.models import EmbeddingModel
from memories.models.vector import Serving
from memories.search import emphasis, lexemes, table_statistics
from memories.search.filters import INDEXED, OF_PASSAGE
from memories.search.table_statistics import TableStatistics
from memories.values.conditions import Filter
from memories.values.search_words import searchable, spaced_share

log = logging.getLogger(__name__)
ENDPOINT_SECONDS = 2.0  # timeout of an endpoint for a question
WORDS_OF_PARTS = """
    (SELECT json_agg(tsvector_to_array(to_tsvector('english', part)) ORDER BY place)
     FROM unnest(%s::text[]) WITH ORDINALITY AS parts (part, place))
"""


@dataclass(frozen=True)
class Question:
    """A parsed question.

    `words`: its lexemes, of a long question the rarest. `emphasis`: what counts less than 1 of these. `vector`: of what
    it asks; None where that has no meaning to the model `model`, where it is all stop words and punctuation, which are
    near to any text that is short, or the endpoint failed. `mean`: the mean vector of the model's texts, where it is
    known.
    """

    text: str
    words: list[str] = field(default_factory=list)
    vector: Array | None = None
    model: str = ""
    mean: Array | None = None
    statistics: TableStatistics = field(default_factory=TableStatistics)
    emphasis: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.words and self.vector is None

    @property
    def meant(self) -> float:
        """The share of the text that the model knows the meaning of: the built-in one compares hardly any script
        without spaces, of which all texts are alike to it."""
        return spaced_share(self.text) if self.model == embedding.built_in().name else 1.0

    @property
    def weights(self) -> list[float]:
        """How much each of the words counts."""
        return [self.emphasis.get(word, emphasis.LAST) for word in self.words]


def embed_question(text: str) -> tuple[Serving, Array | None, tuple[str, ...]]:
    """The serving model, the vector of what is asked, and failed parts. Must not be called inside a transaction."""
    model = EmbeddingModel.objects.serving_with_mean()
    try:
        vector = vector_of(text, model, patience=ENDPOINT_SECONDS)
    except embedding.EmbeddingError as error:
        log.warning("searching by words only: %s", error)
        return model, None, ("embedding",)
    return model, vector, ()


def vector_of(text: str, model: Serving, *, patience: float) -> Array | None:
    """The vector of what is asked; None where it has no meaning to the model. EmbeddingError: the endpoint failed, or
    its vectors cannot be compared with the stored ones, which have another size.
    """
    vector = embedding.ask(embedding.named(model.name), emphasis.asked(text), patience=patience)
    if vector is not None and model.dimensions not in (0, len(vector)):
        raise embedding.Unavailable(f"{model.name} gives {len(vector)} dimensions now, stored are {model.dimensions}")
    return vector


def read_question(text: str, model: Serving, vector: Array | None, wanted: Filter) -> Question:
    """Parse a question into lexemes; where they are many, the rarest ones in what the filter lets through.

    One statement, which refreshes the statistics of the tables where they are stale, and a second one for a long
    question.
    """
    read = emphasis.bounded(text)
    parts = emphasis.by_weight(read)
    refreshed = table_statistics.SQL if table_statistics.cache.is_stale else "NULL"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT tsvector_to_array(to_tsvector('english', %s)), {refreshed}, {WORDS_OF_PARTS}",
            [searchable(read) or read, [searchable(part) or part for part in parts.values()]],
        )
        words, rows, words_of = cursor.fetchone()
    if rows is not None:
        table_statistics.cache.keep(TableStatistics.of(rows))
    known = table_statistics.cache.statistics
    if not words:
        return Question(text, statistics=known)
    counts = _emphasis(list(parts), words_of or [])
    return Question(text, _telling(words, known, wanted, counts), vector, model.name, model.mean, known, counts)


def _emphasis(weights: Sequence[float], words: Sequence[Sequence[str]]) -> dict[str, float]:
    """The greatest weight that each word has."""
    weights_of_words: dict[str, float] = {}
    for weight, words_of_part in zip(weights, words, strict=True):
        for word in words_of_part:
            weights_of_words[word] = max(weight, weights_of_words.get(word, 0.0))
    return weights_of_words


def _telling(words: Sequence[str], known: TableStatistics, wanted: Filter, counts: Mapping[str, float]) -> list[str]:
    """The words to search for: all of a short question, the rarest ones of a long one.

    Where the caller sees little they are counted in what it sees: the frequencies that the database estimates are those
    of all rows together, and would tell what is in rows that the caller may not see.
    """
    passages = known.passages_in(wanted.value("scope"))
    most = lexemes.most_words(passages)
    if len(words) <= most:
        return lexemes.longest(words, most, counts)
    if passages > lexemes.MOST_MATCHED:
        return lexemes.rarest(words, [known.share(word) or known.rare or 1.0 for word in words], most, counts)
    parsed = lexemes.longest(words, lexemes.MOST_COUNTED_WORDS, counts)
    return lexemes.rarest(parsed, _count(parsed, wanted), most, counts)


def _count(words: Sequence[str], wanted: Filter) -> list[int]:
    """In how many passages that the filter lets through each word stands."""
    statement = f"""
        SELECT word, count(*)
        FROM memories_passage p CROSS JOIN LATERAL unnest(tsvector_to_array(p.search)) AS word
        WHERE {wanted.on(OF_PASSAGE).sql("p", INDEXED)} AND word = ANY(%(words)s)
        GROUP BY word
    """  # noqa: S608 - conditions of our own
    with connection.cursor() as cursor:
        cursor.execute(statement, {**wanted.values(), "words": list(words)})
        holding = dict(cursor.fetchall())
    return [holding.get(word, 0) for word in words]
