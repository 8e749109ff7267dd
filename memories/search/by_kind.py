"""One question to knowledge and to episodes, for the page that searches everything: each kind has room of its own."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime

from django.conf import settings
from django.db import connection, transaction

from memories.indexing import ann_index
from memories.search import filters
from memories.search.candidates import pool
from memories.search.late_interaction import by_passage
from memories.search.plan import SearchPlan
from memories.search.question import embed_question, read_question
from memories.search.ranking import weights_of
from memories.search.ranking_memories import Ranked, by_memory
from memories.search.request import SearchRequest
from memories.search.results import Result, fetched
from memories.values.choices import LIVE, Type
from memories.values.trust import Trust

KNOWLEDGE = [type.value for type in Type if type != Type.EPISODIC]
LEAST_RELEVANT = 0.25  # of a result that holds none of the words: people read a list, and see at once what is off


@dataclass(frozen=True)
class ResultsByKind:
    """Knowledge and episodes, best first. `degraded`: failed parts."""

    knowledge: list[Result] = field(default_factory=list)
    episodes: list[Result] = field(default_factory=list)
    degraded: tuple[str, ...] = ()


def find_by_kind(text: str, *, trust: Trust, at: datetime, limit: int) -> ResultsByKind:
    """The best live memories and episodes, at most `limit` of each. Must not be called inside a transaction."""
    model, vector, degraded = embed_question(text)
    statuses = [status.value for status in LIVE]
    requests = [
        SearchRequest.model_validate({"query": text, "types": types, "statuses": statuses, "limit": limit})
        for types in (KNOWLEDGE, [Type.EPISODIC.value])
    ]
    question = read_question(text, model, vector, trust.filter)
    plans = [SearchPlan(question, filters.of_search(request, trust, at), at) for request in requests]
    indexed = any(plan.uses_index for plan in plans)
    with transaction.atomic() if indexed else nullcontext():  # the index is prepared for one transaction
        if indexed:
            with connection.cursor() as cursor:
                ann_index.prepare(cursor)
        kept = [hit for plan in plans for hit in _best(plan, limit)]
        results = [result for result in fetched(kept, requests[0], trust) if is_relevant(result)]
    episodes = [result for result in results if result.memory.type == Type.EPISODIC]
    return ResultsByKind([result for result in results if result.memory.type != Type.EPISODIC], episodes, degraded)


def is_relevant(result: Result) -> bool:
    """Whether it holds a word of the question, or is near in meaning: among few rows the nearest one may be far."""
    return result.matched > 0 or (result.relevance or 0.0) >= LEAST_RELEVANT


def _best(plan: SearchPlan, limit: int) -> Sequence[Ranked]:
    weights = weights_of(settings.SEARCH_WEIGHTS)
    candidates = pool(plan)
    scored = by_passage(candidates, plan.question.text, weights)
    return by_memory(scored, weights, most=limit)
