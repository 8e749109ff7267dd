"""What a search answers, field by field."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from memories.api.schema.memory import Memory
from memories.api.schema.payloads import Share
from memories.api.schema.problem import Shape
from memories.api.schema.trails import Stub


class FoundPassage(Shape):
    event_id: UUID | None
    ref: str | None
    """The caller's id of the event"""
    position: int
    actor: str
    at: datetime
    text: str
    score: float


class Parts(Shape):
    """`words`, `neighbours` (words that were said near by), `meaning` and `actor` make up the score of the best
    passage; `relevance`, `salience` and `confidence` that of a memory. Without a query only `salience`."""

    words: float = 0
    neighbours: float = 0
    meaning: float = 0
    actor: float = 0
    relevance: float = 0
    salience: float = 0
    confidence: float = 0


class SearchResult(Shape):
    memory: Memory | Stub
    """Stubs follow the last memory, with score 0, and only when `include_redacted` asks for them"""
    score: float
    """Orders the results of one question, as a share of the best of them"""
    relevance: Share | None
    """How much of the question is answered, whatever else is found: below 0.2 hardly anything, a paraphrase without a
    word in common from about 0.25. null: nothing was asked, or a stub"""
    passages: list[FoundPassage]
    """Of an episode the best three, best first; of `unit: passage` the one that was found"""
    parts: Parts | None = None
    """Only with `explain`"""


class Selected(Shape):
    """Over the competences and plans among the results that are relevant (0.3, and half of the most relevant):
    applicability, the lower end of the success rate's interval, and recency, a third each."""

    selected: list[UUID]
    """Best first"""
    confidence: Share
    """By which share the best is ahead of the second"""
    needs_more: bool
    scores: dict[str, float]


class SearchAnswer(Shape):
    results: list[SearchResult]
    selection: Selected | None
    """null: no competences or plans were asked for, and none found"""
    degraded: list[Literal["embedding"]]
    """`embedding`: the model did not answer, so words alone were searched"""
    took_ms: float
