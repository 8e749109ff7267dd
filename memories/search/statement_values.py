"""One search, ready for SQL: which rows count, and the values of the statement."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.conf import settings

from memories.indexing import ann_index
from memories.models.vector import halfvec_text
from memories.search.question import Question
from memories.search.request import BELIEVED, SearchRequest
from memories.search.word_selection import Reach, quoted, reach
from memories.values.trust import Trust

SALIENCE = (
    "memos_salience_at(%(at)s, m.salience, m.salience_at, m.half_life, m.min_salience, m.max_age, m.created_at,"
    " m.pinned)"
)
FEW = 50_000  # passages that may be compared one by one
EXACT = ("source", "company_id", "thread_id")


class Centring(NamedTuple):
    """What it takes to leave the mean m of all texts out of a comparison with the question a: m as SQL reads it, mm,
    am - mm and |a - m|."""

    mean: str
    square: float
    offset: float
    length: float


@dataclass(frozen=True)
class Asking:
    """`scopes` None: all of them. `trust` is what the request leaves of the caller's."""

    question: Question
    request: SearchRequest
    trust: Trust
    at: datetime

    @property
    def scopes(self) -> list[str] | None:
        return self.trust.scopes_to_read

    @property
    def reach(self) -> Reach:
        return reach(self.question.words, self.question.figures, self.scopes)

    @property
    def centring(self) -> Centring | None:
        """None where the vectors can only be compared as they are."""
        a, m = self.question.vector, self.question.mean
        if a is None or m is None or len(a) != len(m):
            return None
        square = float(m @ m)
        return Centring(halfvec_text(m), square, float(a @ m) - square, max(float(np.linalg.norm(a - m)), 1e-3))

    @property
    def by_index(self) -> bool:
        """Meaning is looked up in an index that may miss some: only where there is too much to compare everything."""
        known = self.question.figures
        many = known.within(self.scopes) > settings.ANN_FROM_PASSAGES
        return many and ann_index.index_name(self.question.model) in known.indexes

    @property
    def is_narrow(self) -> bool:
        """Few memories are asked for: the planner may begin with them."""
        asked, known = self.request, self.question.figures
        few = bool(asked.types) and known.of_types(asked.types, self.scopes) <= FEW
        unusual = bool(asked.statuses) and not set(BELIEVED) <= set(asked.statuses)
        rest = (asked.tags, asked.categories, asked.min_confidence, asked.min_salience)
        return few or unusual or any(rest) or any(getattr(asked, name) for name in EXACT)

    def of_row(self, row: str, scope: str) -> list[str]:
        """What trust and the types ask of a passage or memory."""
        said = [f"{row}.sensitivity <= %(clearance)s"]
        said += [scope.format(row)] if self.scopes is not None else []
        return said + ([f"{row}.type = ANY(%(types)s)"] if self.request.types else [])

    def of_memory(self) -> list[str]:
        """What status, time and the filters ask of the memory m."""
        asked = self.request
        said = [
            "m.status = ANY(%(statuses)s)",
            "(m.expires_at IS NULL OR m.expires_at > %(at)s)",
            "(m.valid_from IS NULL OR m.valid_from <= %(at)s)",
            "(m.valid_to IS NULL OR m.valid_to > %(at)s)",
        ]
        said += [f"m.{name} = %({name})s" for name in EXACT if getattr(asked, name)]
        said += ["m.category = ANY(%(categories)s)"] if asked.categories else []
        said += ["m.tags @> %(tags)s::varchar[]"] if asked.tags else []
        said += ["m.confidence >= %(min_confidence)s"] if asked.min_confidence else []
        return said + ([f"{SALIENCE} >= %(min_salience)s"] if asked.min_salience else [])

    def values(self) -> dict[str, Any]:
        asked, question, reached, centring = self.request, self.question, self.reach, self.centring
        return {
            "clearance": self.trust.max_sensitivity,
            "scopes": self.scopes,
            "types": list(asked.types),
            "statuses": asked.wanted,
            "at": self.at,
            "query": reached.query,
            "found": reached.found,
            "holding": reached.holding,
            "vector": None if question.vector is None else halfvec_text(question.vector),
            "model": question.model,
            **(centring._asdict() if centring else {}),
            "pool": settings.SEARCH_POOL,
            "categories": list(asked.categories),
            "tags": asked.tags,
            "min_salience": asked.min_salience,
            "min_confidence": asked.min_confidence,
            **{name: getattr(asked, name) for name in EXACT},
            **{f"word{n}": quoted(word) for n, word in enumerate(question.words)},
        }
