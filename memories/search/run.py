"""Execution of a search: parse the question, read the candidates, rank them, fetch the results.

`find_by_kind` is that of the page which searches everything: knowledge and episodes have room of their own.
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
from memories.search.ranking_memories import Ranked, by_memory, is_answer, is_answered
from memories.search.request import SearchRequest
from memories.search.results import Result, SearchResults, fetched, most_salient, repeated_last, selection, updated
from memories.values.choices import LIVE, ActorKind, Type
from memories.values.conditions import Filter
from memories.values.trust import Trust

EVERYTHING = Filter()
MOST_COUNTED = 10
MOST_STUBS = 50
KNOWLEDGE = [type.value for type in Type if type != Type.EPISODIC]
LEAST_RELEVANT = 0.25  # of a result that holds none of the words: people read a list, and see at once what is off


def search(request: SearchRequest, *, trust: Trust, at: datetime) -> SearchResults:
    """Search what the caller may see, best first; counts one use of the first 10 results for an agent, of today's."""
    answer = find(request, trust=trust, at=at)
    if answer.results and request.as_of is None and trust.actor.kind == ActorKind.AGENT:
        used = list(dict.fromkeys(result.memory.pk for result in answer.results))[:MOST_COUNTED]
        Memory.objects.count_use(used, at=at)
    return answer


def find(
    request: SearchRequest, *, trust: Trust, at: datetime, votes: bool = True, also: Filter = EVERYTHING
) -> SearchResults:
    """Search without counting uses. Must not be called inside a transaction: an endpoint may embed the question.

    `votes`: of skills alone those come first that similar runs speak for, where the question names none. Not as of
    then: runs are those of today. `also`: conditions that no request has.
    """
    began = time.perf_counter()
    narrowed, text = request.narrows(trust), request.query.strip()
    moment = AsOf.of(request.as_of, max_sensitivity=narrowed.max_sensitivity, now=at)
    at = moment.at if moment else at
    wanted, withheld = filters.of_search(request, narrowed, at) & also, run_votes.withheld(request, narrowed)
    model, vector, degraded = embed_question(text) if text else (Serving("", None), None, ())
    if text:
        question = read_question(text, model, vector, wanted)
        former = FormerWords.of(wanted, moment, model=model.name) if moment else None
        votes = votes and moment is None and run_votes.applies_to(request.types)
        plan = SearchPlan(question, wanted, at, former)
        results = _answers(plan, request, narrowed, votes=votes, without=withheld)
        degraded += former.degraded if former else ()
    else:
        rows = with_recorded(Memory.objects.as_of(moment), moment).filter(wanted.q())
        rows = rows.exclude(pk__in=withheld) if withheld else rows
        results = most_salient(rows, at=at, limit=request.limit, by_parts=_kinds(request, wanted, moment))
    if moment:
        former_state.restore([result.memory for result in results], at)
    results = dismissed_words.offered(results, narrowed)
    stubs = list(_stubs(wanted, narrowed, moment, at=at)) if request.include_redacted else []
    took = round((time.perf_counter() - began) * 1000, 2)
    return SearchResults(results, stubs, selection(request, results, at=at), degraded, took, moment)


def _answers(
    plan: SearchPlan, request: SearchRequest, trust: Trust, *, votes: bool, without: Collection[UUID]
) -> list[Result]:
    weights, [candidates] = weights_of(settings.SEARCH_WEIGHTS), _pools(plan)
    if without:
        left_out = set(map(str, without))
        candidates = replace(
            candidates,
            candidates=[candidate for candidate in candidates.candidates if candidate.memory not in left_out],
        )
    scored = by_passage(candidates, plan.question.text, weights)
    votes_of_runs = run_votes.votes(request.query, scored, trust) if votes else {}
    if not votes_of_runs and not is_answered(scored, candidates):
        return []
    if request.unit == "passage":
        kept = [Ranked(passage.score, 0.0, [passage]) for passage in scored[: request.limit]]
    else:
        best: dict[str, Any] = {"most": request.limit, "with_repeated": True, "holds": is_answer}
        kept = by_memory(scored, weights, votes_of_runs, **best)
    results = fetched(kept, request, trust, plan.former, scale=1.0 if votes_of_runs else _scale(kept))
    return results if request.unit == "passage" else updated(repeated_last(results)[: request.limit])


def _scale(kept: Sequence[Ranked]) -> float:
    """What makes scores comparable between questions: the best one becomes the greatest relevance."""
    return max(passage.relevance for passage in kept) / kept[0].score if kept and kept[0].score else 1.0


def _pools(*plans: SearchPlan) -> list[Pool]:
    """A transaction only where an index is prepared for it: otherwise it would be three more round trips a search."""
    if not any(plan.index for plan in plans):
        return [pool(plan) for plan in plans]
    with transaction.atomic(), connection.cursor() as cursor:
        ann_index.prepare(cursor)
        return [pool(plan) for plan in plans]


def _kinds(request: SearchRequest, wanted: Filter, moment: AsOf | None) -> list[bool]:
    """Whether knowledge (False) and episodes (True) are to be read in the order of salience, where there may be many.

    None of both where a filter leaves few, which are found and sorted sooner, or for the table of an instant, which has
    no indexes.
    """
    if moment is not None or filters.is_selective(wanted):
        return []
    if table_statistics.known().passages_in(wanted.value("scope")) <= FEW:
        return []
    return sorted({type == Type.EPISODIC for type in request.types or Type})


def _stubs(wanted: Filter, trust: Trust, moment: AsOf | None, *, at: datetime) -> MemoryQuerySet:
    """Memories for stubs, by type, scope, tags and time only, newest first. Their content is not matched."""
    above = replace(moment, max_sensitivity=moment.max_sensitivity + 1) if moment else None
    rows = Memory.objects.just_above(trust).as_of(above).current(at).filter(wanted.on(("type", "tags")).q())
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
    scored = [by_passage(candidates, text, weights) for candidates in _pools(*plans)]
    kept = [hit for passages in scored for hit in by_memory(passages, weights, most=limit)]
    results = [result for result in fetched(kept, requests[0], trust) if is_relevant(result)]
    episodes = [result for result in results if result.memory.type == Type.EPISODIC]
    return ResultsByKind([result for result in results if result.memory.type != Type.EPISODIC], episodes, degraded)


def is_relevant(result: Result) -> bool:
    """Whether it holds a word of the question, or is near in meaning: among few rows the nearest one may be far."""
    return result.matched > 0 or (result.relevance or 0.0) >= LEAST_RELEVANT
