"""Selection of the competence or plan to use among search results, and its lead over the second. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

RECENCY_HALF_LIFE = timedelta(days=30)
UNKNOWN = 0.5  # default without a record or reinforcement


@dataclass(frozen=True)
class Option:
    """A competence or plan to select from.

    `cosine` None: there are no vectors, and confidence (0-100) is used. `success_rate` None: no record is kept. Of a
    plan it is 1 - failure_rate.
    """

    id: Any
    confidence: int
    cosine: float | None = None
    success_rate: float | None = None
    reinforced_at: datetime | None = None


@dataclass(frozen=True)
class Selection:
    """The selected options, best first; `scores` by id; `confidence` is the lead of the best over the second."""

    selected: list[Any]
    confidence: float
    needs_more: bool
    scores: dict[Any, float]


def select(options: Sequence[Option], *, at: datetime, threshold: float) -> Selection:
    scores = {option.id: score(option, at=at) for option in options}
    ids = sorted(scores, key=lambda id: -scores[id])
    confidence = lead([scores[id] for id in ids])
    return Selection(ids, confidence, not ids or confidence < threshold, scores)


def score(option: Option, *, at: datetime) -> float:
    success_rate = UNKNOWN if option.success_rate is None else option.success_rate
    return (applicability(option) + success_rate + recency(option.reinforced_at, at=at)) / 3


def lead(scores: Sequence[float]) -> float:
    """The lead of sorted scores: 0 for none, the score (at most 1) for one, else the best's relative lead over
    the second.
    """
    if not scores:
        return 0.0
    if len(scores) == 1:
        return min(scores[0], 1.0)
    return (scores[0] - scores[1]) / scores[0] if scores[0] else 0.0


def applicability(option: Option) -> float:
    return option.confidence / 100 if option.cosine is None else (option.cosine + 1) / 2


def recency(reinforced_at: datetime | None, *, at: datetime) -> float:
    """Exponential decay with a half-life of 30 days; 1 for a moment in the future."""
    if reinforced_at is None:
        return UNKNOWN
    age = max(at - reinforced_at, timedelta())
    return float(2.0 ** -(age / RECENCY_HALF_LIFE))
