"""The plan of one search: which rows count, which access path finds them, and the SQL parameters."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.conf import settings

from memories.indexing import ann_index
from memories.models.vector import halfvec_text
from memories.search import filters
from memories.search.former_words import FormerWords
from memories.search.lexemes import LexemeQuery, lexeme_query, quote_lexeme
from memories.search.question import Question
from memories.search.ranking import FEW_PASSAGES
from memories.values.conditions import Filter
from memories.values.trust import SHARED_SCOPES

FEW = 50_000  # most passages to compare without an index
MOST_NEAREST = 2_000  # nearest passages to filter; of 100,000 vectors sorting out 5,000 took a quarter of the time
CENTRING = ("mean", "mean_square", "mean_offset", "length")
NEAREST_SHARE = 4  # times the pool: so many of them first, where filters are expected to leave the most


@dataclass(frozen=True)
class SearchPlan:
    """A question, the memories to search, and the moment of the search. `former`: the words that they had then.

    `looks_far`: a first attempt found that the filter leaves too few of the nearest passages: more of them are read.
    """

    question: Question
    filter: Filter
    at: datetime
    former: FormerWords | None = None
    looks_far: bool = False

    @property
    def scopes(self) -> list[str] | None:
        """The scopes to search; None: all."""
        scopes: list[str] | None = self.filter.value("scope")
        return scopes

    @property
    def asked_scopes(self) -> list[str] | None:
        """The scopes to search before the shared ones; None: there is no such difference."""
        if settings.SEARCH_WEIGHTS["shared"] >= 1:
            return None
        scopes_before_shared = [scope for scope in self.scopes or () if scope not in SHARED_SCOPES]
        return scopes_before_shared or None

    @property
    def index(self) -> ann_index.Kind | None:
        """The approximate index for meaning, where there are too many vectors to compare.

        No lists (IVF) where asked and shared scopes are ranked apart: the few of one could be missing from the lists.
        """
        statistics = self.question.statistics
        kind = (
            None
            if self.former or self.question.vector is None
            else ann_index.present(self.question.model, statistics.indexes)
        )
        if kind is None or statistics.passages_in(self.scopes) <= kind.least:
            return None
        return None if kind == ann_index.Kind.LISTS and self.asked_scopes else kind

    @property
    def most_nearest(self) -> int:
        """The nearest passages that are filtered: of 10,000 sorting out 2,000 takes 1.4 of 6 ms more than 200."""
        if self.index:
            return self.index.nearest
        if self.looks_far or self.filter.value("type"):
            return MOST_NEAREST
        return min(NEAREST_SHARE * settings.SEARCH_POOL, MOST_NEAREST)

    @property
    def may_end_early(self) -> bool:
        """Whether more of the nearest passages would be read where the filter leaves few of them."""
        return not self.wants_few and not self.index and self.most_nearest < MOST_NEAREST

    @property
    def wants_few(self) -> bool:
        """Whether the filter leaves few memories, so that the database may start from these."""
        types = self.filter.value("type")
        few = bool(types) and self.question.statistics.passages_of(types, self.scopes) <= FEW
        return few or filters.is_selective(self.filter)

    @property
    def lexeme_query(self) -> LexemeQuery | None:
        question = self.question
        if not question.words:
            return None
        return lexeme_query(question.words, question.statistics, self.scopes, emphasis=question.emphasis)

    @property
    def centring(self) -> dict[str, str | float | None]:
        """Values for comparing vectors without the mean m of all texts, for the question's vector a: m as SQL reads it,
        mm, am - mm and |a - m|. All None: vectors can only be compared uncentred.
        """
        a, m = self.question.vector, self.question.mean
        if a is None or m is None or len(a) != len(m):
            return dict.fromkeys(CENTRING)
        square = float(m @ m)
        offset, length = float(a @ m) - square, max(float(np.linalg.norm(a - m)), 1e-3)
        return dict(zip(CENTRING, (halfvec_text(m), square, offset, length), strict=True))

    def parameters(self) -> dict[str, Any]:
        """The parameters of statement.sql, by name."""
        question, query = self.question, self.lexeme_query
        return {
            **self.filter.values(),
            **(self.former.parameters() if self.former else {}),
            **self.centring,
            **{f"word{n}": quote_lexeme(word) for n, word in enumerate(question.words)},
            "at": self.at,
            "asked_scopes": self.asked_scopes,
            "shared_scopes": list(SHARED_SCOPES),
            "shared_pool": -(-settings.SEARCH_POOL // 2),
            "shared": settings.SEARCH_WEIGHTS["shared"],
            "query": query and query.tsquery,
            "most_matched": query and query.most,
            "estimated_total": query and query.total,
            "estimated_frequencies": query and query.frequencies,
            "emphasis": question.weights,
            "last_word": len(question.words) - 1,
            "few_passages": FEW_PASSAGES,
            "has_vector": question.vector is not None,
            "vector": None if question.vector is None else halfvec_text(question.vector),
            "model": question.model,
            "most_nearest": self.most_nearest,
            "pool": settings.SEARCH_POOL,
            "neighbours": len(settings.SEARCH_WEIGHTS["neighbours"]),
        }
