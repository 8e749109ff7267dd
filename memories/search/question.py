"""What is asked, as the words and the meaning that are looked for."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from django.db import connection

from memories import embedding
from memories.embedding import Array
from memories.models import EmbeddingModel
from memories.models.vector import Serving
from memories.search import estimates as figures
from memories.search.estimates import Figures
from memories.search.word_selection import REACH
from memories.values.text import searchable

log = logging.getLogger(__name__)
MOST_WORDS, MOST_WHERE_LITTLE = 32, 60  # of them a bit each in 64
LONGEST_READ = 10_000  # characters of a question whose words are looked for
PATIENCE = 2.0  # seconds for an endpoint


@dataclass(frozen=True)
class Question:
    """`words`: lexemes, at most MOST_WHERE_LITTLE. `vector`: None where the text has no meaning to the model `model`,
    or there was no answer from it. `mean`: what all texts of the model have in common, where that is known."""

    text: str
    words: list[str] = field(default_factory=list)
    vector: Array | None = None
    model: str = ""
    mean: Array | None = None
    figures: Figures = field(default_factory=Figures)

    @property
    def says_nothing(self) -> bool:
        return not self.words and self.vector is None


def meaning(text: str) -> tuple[Serving, Array | None, tuple[str, ...]]:
    """The serving model, the vector of the text, and what failed. Not to be called inside a transaction."""
    model = EmbeddingModel.objects.serving_with_mean()
    try:
        vector = embedding.ask(embedding.named(model.name), text, patience=PATIENCE)
    except embedding.EmbeddingError as error:
        log.warning("searching by words only: %s", error)
        return model, None, ("embedding",)
    return model, vector, ()


def read(text: str, scopes: Collection[str] | None) -> tuple[list[str], Figures]:
    """The text's lexemes, the most telling ones in these scopes (None: all) where they are many; one statement."""
    asked = text[:LONGEST_READ]
    fresh = figures.SQL if figures.kept.stale else "NULL"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT tsvector_to_array(to_tsvector('english', %s)), {fresh}",
            [searchable(asked) or asked],
        )
        words, told = cursor.fetchone()
    if told is not None:
        figures.kept.keep(figures.of(told))
    return most_telling(words, figures.kept.figures, scopes), figures.kept.figures


def most_telling(words: Sequence[str], known: Figures, scopes: Collection[str] | None = None) -> list[str]:
    """The rarest ones; of those as rare the longest.

    Where the caller sees little, more of them, and only the longest: which word is frequent is known of everything
    together, and would tell what is in rows that the caller may not see.
    """
    if known.within(scopes) <= REACH:
        return sorted(words, key=lambda word: (-len(word), word))[:MOST_WHERE_LITTLE]
    return sorted(words, key=lambda word: (known.share(word), -len(word), word))[:MOST_WORDS]
