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

    `words`: its lexemes, of a long question the rarest. `emphasis`: weights of words, 1 for those not in it. `vector`:
    by `model`; None if all is stop words, punctuation or unknown to the model, or if the endpoint failed. `mean`: the
    mean vector of the model's texts, where it is known.
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
    def embedded_share(self) -> float:
        """The share of the text that the model can compare: the built-in one knows hardly any script without spaces,
        and would find all such texts alike."""
        return spaced_share(self.text) if self.model == embedding.built_in().name else 1.0

    @property
    def weights(self) -> list[float]:
        """How much each of the words counts."""
        return [self.emphasis.get(word, emphasis.LAST) for word in self.words]


def embed_question(text: str) -> tuple[Serving, Array | None, tuple[str, ...]]:
    """The serving model, the question's vector, and failed parts. Must not be called inside a transaction."""
    model = EmbeddingModel.objects.serving_with_mean()
    try:
        vector = vector_of(text, model, patience=ENDPOINT_SECONDS)
    except embedding.EmbeddingError as error:
        log.warning("searching by words only: %s", error)
        return model, None, ("embedding",)
    return model, vector, ()


def vector_of(text: str, model: Serving, *, patience: float) -> Array | None:
    """The question's vector; None where it has no meaning to the model. EmbeddingError: the endpoint failed, or its
    vectors have another size than the stored ones. `patience`: seconds.
    """
    vector = embedding.ask(embedding.embedder_of(model.name), emphasis.embedding_text(text), patience=patience)
    if vector is not None and model.dimensions not in (0, len(vector)):
        raise embedding.Unavailable(f"{model.name} gives {len(vector)} dimensions now, stored are {model.dimensions}")
    return vector


def read_question(text: str, model: Serving, vector: Array | None, search_filter: Filter) -> Question:
    """Parse a question into lexemes; where they are many, the rarest ones in what the filter lets through.

    One statement, which refreshes the statistics of the tables where they are stale, and a second one for a long
    question.
    """
    parsed_text = emphasis.excerpt(text)
    parts = emphasis.by_weight(parsed_text)
    statistics_sql = table_statistics.SQL if table_statistics.cache.is_stale else "NULL"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT tsvector_to_array(to_tsvector('english', %s)), {statistics_sql}, {WORDS_OF_PARTS}",
            [searchable(parsed_text) or parsed_text, [searchable(part) or part for part in parts.values()]],
        )
        words, rows, words_of = cursor.fetchone()
    if rows is not None:
        table_statistics.cache.keep(TableStatistics.of(rows))
    statistics = table_statistics.cache.statistics
    if not words:
        return Question(text, statistics=statistics)
    word_weights = _word_weights(list(parts), words_of or [])
    return Question(
        text,
        _searched_words(words, statistics, search_filter, word_weights),
        vector,
        model.name,
        model.mean,
        statistics,
        word_weights,
    )


def _word_weights(weights: Sequence[float], words: Sequence[Sequence[str]]) -> dict[str, float]:
    """Each word's weight: the greatest of the parts that hold it."""
    word_weights: dict[str, float] = {}
    for weight, words_of_part in zip(weights, words, strict=True):
        for word in words_of_part:
            word_weights[word] = max(weight, word_weights.get(word, 0.0))
    return word_weights


def _searched_words(
    words: Sequence[str], statistics: TableStatistics, search_filter: Filter, word_weights: Mapping[str, float]
) -> list[str]:
    """The words to search for: all of a short question, the rarest ones of a long one.

    Where the caller sees few passages, words are counted in these: the database estimates frequencies over all rows,
    which would reveal what stands in rows that the caller may not see.
    """
    passages = statistics.passages_in(search_filter.value("scope"))
    most = lexemes.most_words(passages)
    if len(words) <= most:
        return lexemes.longest(words, most, word_weights)
    if passages > lexemes.MOST_MATCHED:
        return lexemes.rarest(
            words, [statistics.share(word) or statistics.rare or 1.0 for word in words], most, word_weights
        )
    longest_words = lexemes.longest(words, lexemes.MOST_COUNTED_WORDS, word_weights)
    return lexemes.rarest(longest_words, _count(longest_words, search_filter), most, word_weights)


def _count(words: Sequence[str], search_filter: Filter) -> list[int]:
    """In how many passages that the filter lets through each word stands."""
    statement = f"""
        SELECT word, count(*)
        FROM memories_passage p CROSS JOIN LATERAL unnest(tsvector_to_array(p.search)) AS word
        WHERE {search_filter.on(OF_PASSAGE).sql("p", INDEXED)} AND word = ANY(%(words)s)
        GROUP BY word
    """  # noqa: S608 - conditions of our own
    with connection.cursor() as cursor:
        cursor.execute(statement, {**search_filter.values(), "words": list(words)})
        passage_counts = dict(cursor.fetchall())
    return [passage_counts.get(word, 0) for word in words]
