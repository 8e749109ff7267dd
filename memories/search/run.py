"""Execution of a search: parse the question, read the candidates, rank them, fetch the results."""

import time
from datetime import datetime

from django.conf import settings
from django.db import connection, transaction

from memories.indexing import ann_index
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.models.vector import Serving
from memories.search import filters
from memories.search.candidates import pool
from memories.search.plan import SearchPlan
from memories.search.question import embed_question, read_question
from memories.search.ranking import Ranked, by_memory, by_passage, weights_of
from memories.search.request import SearchRequest
from memories.search.results import Result, SearchResults, fetched, most_salient, selection
from memories.values.choices import ActorKind
from memories.values.conditions import Filter
from memories.values.trust import Trust

MOST_COUNTED = 10
MOST_STUBS = 50


def search(request: SearchRequest, *, trust: Trust, at: datetime) -> SearchResults:
    """Search what the caller may see, best first; counts one use of the first 10 results for an agent."""
    found = find(request, trust=trust, at=at)
    if found.results and trust.actor.kind == ActorKind.AGENT:
        used = list(dict.fromkeys(result.memory.pk for result in found.results))[:MOST_COUNTED]
        Memory.objects.filter(pk__in=used).count_use(at=at)
    return found


def find(request: SearchRequest, *, trust: Trust, at: datetime) -> SearchResults:
    """Search without counting uses. Must not be called inside a transaction: an endpoint may embed the question."""
    began = time.perf_counter()
    narrowed, text = request.narrows(trust), request.query.strip()
    wanted = filters.of_search(request, narrowed, at)
    model, vector, degraded = embed_question(text) if text else (Serving("", None), None, ())
    with transaction.atomic():
        if text:
            question = read_question(text, model, vector, narrowed.scopes_to_read)
            results = _answers(SearchPlan(question, wanted, at), request, narrowed)
        else:
            results = most_salient(Memory.objects.filter(wanted.q()), at=at, limit=request.limit)
        stubs = list(_stubs(wanted, narrowed, at=at)) if request.include_redacted else []
    took = round((time.perf_counter() - began) * 1000, 2)
    return SearchResults(results, stubs, selection(request, results, at=at), degraded, took)


def _answers(plan: SearchPlan, request: SearchRequest, trust: Trust) -> list[Result]:
    weights = weights_of(settings.SEARCH_WEIGHTS)
    if plan.uses_index:
        with connection.cursor() as cursor:
            ann_index.prepare(cursor)
    candidates = pool(plan)
    scored = by_passage(candidates.candidates, candidates.words, plan.question.text, weights)
    if request.unit == "passage":
        return fetched([Ranked(one.score, 0.0, [one]) for one in scored[: request.limit]], request, trust)
    return fetched(by_memory(scored, weights)[: request.limit], request, trust)


def _stubs(wanted: Filter, trust: Trust, *, at: datetime) -> MemoryQuerySet:
    """Memories for stubs, by type, scope, tags and time only, newest first. Their content is not matched."""
    rows = Memory.objects.just_above(trust).current(at).filter(wanted.on(("type", "tags")).q())
    return rows.order_by("-created_at", "-pk")[:MOST_STUBS]
