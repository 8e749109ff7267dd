"""Execution of a search: parse the question, read the candidates, rank them, fetch the results.

`find_by_kind` serves the page that searches everything, with separate lists of knowledge and episodes.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from memories.indexing import ann_index
from memories.models import Memory, former_state
from memories.models.as_of import AsOf
from memories.models.former_state import with_recorded
from memories.models.memory import MemoryQuerySet
from memories.models.vector import Serving
from memories.search import dismissed_words, filters, run_votes, table_statistics
from memories.search.candidates import Pool, pool
from memories.search.former_words import FormerWords
from memories.search.late_interaction import by_passage
from memories.search.plan import FEW, SearchPlan
from memories.search.question import embed_question, read_question
from memories.search.ranking import weights_of
from memories.search.ranking_memories import RankedMemory, by_memory, is_answer, is_answered
from memories.search.request import SearchRequest
from memories.search.results import (
    Result,
    SearchResults,
    fetch,
    most_salient,
    newer_states_first,
    repeats_last,
    selection,
)
from memories.values.choices import LIVE, ActorKind, Type
from memories.values.conditions import Filter
from memories.values.trust import Trust

EVERYTHING = Filter()
MOST_COUNTED = 10
MOST_STUBS = 50
KNOWLEDGE = [type.value for type in Type if type != Type.EPISODIC]
LEAST_RELEVANT = 0.25  # of a result that holds none of the words: people read a list, and see at once what is off


def search(request: SearchRequest, *, trust: Trust, at: datetime) -> SearchResults:
    """Search what the caller may see, best first. For an agent one use of the first 10 results is counted, except with
    `as_of`."""
    answer = find(request, trust=trust, at=at)
    if answer.results and request.as_of is None and trust.actor.kind == ActorKind.AGENT:
        used_ids = list(dict.fromkeys(result.memory.pk for result in answer.results))[:MOST_COUNTED]
        Memory.objects.count_use(used_ids, at=at)
    return answer


def find(
    request: SearchRequest, *, trust: Trust, at: datetime, votes: bool = True, extra_filter: Filter = EVERYTHING
) -> SearchResults:
    """Search without counting uses. Must not be called inside a transaction: an endpoint may embed the question.

    `votes`: a search for skills alone ranks them by the votes of similar runs, if the question names no skill; never
    with `as_of`, since runs are today's. `extra_filter`: conditions that a request cannot express.
    """
    began = time.perf_counter()
    reader, text = request.narrows(trust), request.query.strip()
    moment = AsOf.of(request.as_of, max_sensitivity=reader.max_sensitivity, now=at)
    at = moment.at if moment else at
    search_filter, withheld_ids = (
        filters.of_search(request, reader, at) & extra_filter,
        run_votes.withheld_skills(request, reader),
    )
    model, vector, degraded = embed_question(text) if text else (Serving("", None), None, ())
    if text:
        question = read_question(text, model, vector, search_filter)
        former = FormerWords.of(search_filter, moment, model=model.name) if moment else None
        votes = votes and moment is None and run_votes.applies_to(request.types)
        plan = SearchPlan(question, search_filter, at, former)
        results = _answers(plan, request, reader, votes=votes, withheld_ids=withheld_ids)
        degraded += former.degraded if former else ()
    else:
        rows = with_recorded(Memory.objects.as_of(moment), moment).filter(search_filter.q())
        rows = rows.exclude(pk__in=withheld_ids) if withheld_ids else rows
        results = most_salient(rows, at=at, limit=request.limit, by_parts=_kinds(request, search_filter, moment))
    if moment:
        former_state.restore([result.memory for result in results], at)
    results = dismissed_words.without_dismissed_passages(results, reader)
    stubs = list(_stubs(search_filter, reader, moment, at=at)) if request.include_redacted else []
    duration_ms = round((time.perf_counter() - began) * 1000, 2)
    return SearchResults(results, stubs, selection(request, results, at=at), degraded, duration_ms, moment)


def _answers(
    plan: SearchPlan, request: SearchRequest, trust: Trust, *, votes: bool, withheld_ids: Collection[UUID]
) -> list[Result]:
    weights, [candidates] = weights_of(settings.SEARCH_WEIGHTS), _pools(plan)
    if withheld_ids:
        left_out = set(map(str, withheld_ids))
        candidates = replace(
            candidates,
            candidates=[candidate for candidate in candidates.candidates if candidate.memory not in left_out],
        )
    scores = by_passage(candidates, plan.question.text, weights)
    votes_of_runs = run_votes.votes(request.query, scores, trust) if votes else {}
    if not votes_of_runs and not is_answered(scores, candidates):
        return []
    if request.unit == "passage":
        ranking = [RankedMemory(passage.score, 0.0, [passage]) for passage in scores[: request.limit]]
    else:
        best: dict[str, Any] = {"most": request.limit, "with_repeated": True, "holds": is_answer}
        ranking = by_memory(scores, weights, votes_of_runs, **best)
    results = fetch(ranking, request, trust, plan.former, scale=1.0 if votes_of_runs else _scale(ranking))
    return results if request.unit == "passage" else newer_states_first(repeats_last(results)[: request.limit])


def _scale(ranking: Sequence[RankedMemory]) -> float:
    """What makes scores comparable between questions: the best one becomes the greatest relevance."""
    return max(memory.relevance for memory in ranking) / ranking[0].score if ranking and ranking[0].score else 1.0


def _pools(*plans: SearchPlan) -> list[Pool]:
    """Read a pool for each plan; in a transaction only if an index needs settings: it costs three round trips."""
    if not any(plan.index for plan in plans):
        return [pool(plan) for plan in plans]
    with transaction.atomic(), connection.cursor() as cursor:
        ann_index.prepare(cursor)
        return [pool(plan) for plan in plans]


def _kinds(request: SearchRequest, search_filter: Filter, moment: AsOf | None) -> list[bool]:
    """Which partial indexes by salience to read: of knowledge (False), of episodes (True).

    Empty if the filter or the scopes leave few rows, which are sorted sooner, or with `moment`: its rows have no index.
    """
    if moment is not None or filters.is_selective(search_filter):
        return []
    if table_statistics.current_statistics().passages_in(search_filter.value("scope")) <= FEW:
        return []
    return sorted({type == Type.EPISODIC for type in request.types or Type})


def _stubs(search_filter: Filter, trust: Trust, moment: AsOf | None, *, at: datetime) -> MemoryQuerySet:
    """Memories for stubs, by type, scope, tags and time only, newest first. Their content is not matched."""
    above = replace(moment, max_sensitivity=moment.max_sensitivity + 1) if moment else None
    rows = Memory.objects.just_above(trust).as_of(above).current(at).filter(search_filter.on(("type", "tags")).q())
    return rows.order_by("-created_at", "-pk")[:MOST_STUBS]


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
    question, weights = read_question(text, model, vector, trust.filter), weights_of(settings.SEARCH_WEIGHTS)
    plans = [SearchPlan(question, filters.of_search(request, trust, at), at) for request in requests]
    scores_by_kind = [by_passage(candidates, text, weights) for candidates in _pools(*plans)]
    ranking = [memory for scores in scores_by_kind for memory in by_memory(scores, weights, most=limit)]
    results = [result for result in fetch(ranking, requests[0], trust) if is_relevant(result)]
    episodes = [result for result in results if result.memory.type == Type.EPISODIC]
    return ResultsByKind([result for result in results if result.memory.type != Type.EPISODIC], episodes, degraded)


def is_relevant(result: Result) -> bool:
    """Whether it holds a word of the question, or is near in meaning: among few rows the nearest one may be far."""
    return result.words_matched > 0 or (result.relevance or 0.0) >= LEAST_RELEVANT
