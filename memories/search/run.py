"""The way out: one search for everything. It reads the question, ranks the pool and fetches what is answered."""

import time
from datetime import datetime

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q

from memories.indexing import ann_index
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.models.vector import Serving
from memories.search.candidates import pool
from memories.search.question import Question, meaning, read
from memories.search.ranking import Ranked, by_memory, by_passage, weights_of
from memories.search.request import SearchRequest
from memories.search.results import Found, Result, fetched, most_salient, selection
from memories.search.statement_values import EXACT, Asking
from memories.values.choices import ActorKind
from memories.values.trust import Trust

MOST_COUNTED = 10
MOST_STUBS = 50


def search(request: SearchRequest, *, trust: Trust, at: datetime) -> Found:
    """What the caller may see and the request asks for, best first. Of the first 10 a use is counted when an agent
    asks."""
    found = find(request, trust=trust, at=at)
    if found.results and trust.actor.kind == ActorKind.AGENT:
        used = list(dict.fromkeys(result.memory.pk for result in found.results))[:MOST_COUNTED]
        Memory.objects.filter(pk__in=used).count_use(at=at)
    return found


def find(request: SearchRequest, *, trust: Trust, at: datetime) -> Found:
    """As `search`, without counting. Not to be called inside a transaction: an endpoint may embed the question."""
    began = time.perf_counter()
    seen = request.narrows(trust)
    asked = request.query.strip()
    model, vector, degraded = meaning(asked) if asked else (Serving("", None), None, ())
    with transaction.atomic():
        if asked:
            words, known = read(asked, seen.scopes_to_read)
            question = Question(asked, words, vector, model.name, model.mean, known)
            results = _answers(Asking(question, request, seen, at))
        else:
            results = most_salient(_asked_for(request, seen, at=at), at=at, limit=request.limit)
        stubs = list(_stubs(request, seen, at=at)) if request.include_redacted else []
    took = round((time.perf_counter() - began) * 1000, 2)
    return Found(results, stubs, selection(request, results, at=at), degraded, took)


def _answers(asking: Asking) -> list[Result]:
    request, weights = asking.request, weights_of(settings.SEARCH_WEIGHTS)
    if asking.by_index:
        with connection.cursor() as cursor:
            ann_index.prepare(cursor)
    found = pool(asking)
    scored = by_passage(found.candidates, found.words, asking.question.text, weights)
    if request.unit == "passage":
        return fetched([Ranked(one.score, 0.0, [one]) for one in scored[: request.limit]], request, asking.trust)
    return fetched(by_memory(scored, weights)[: request.limit], request, asking.trust)


def _asked_for(request: SearchRequest, trust: Trust, *, at: datetime) -> MemoryQuerySet:
    """The filters as a QuerySet."""
    said = Q(status__in=request.wanted, confidence__gte=request.min_confidence)
    said &= (Q(valid_from=None) | Q(valid_from__lte=at)) & (Q(valid_to=None) | Q(valid_to__gt=at))
    said &= Q(type__in=request.types) if request.types else Q()
    said &= Q(category__in=request.categories) if request.categories else Q()
    said &= Q(tags__contains=request.tags) if request.tags else Q()
    said &= Q(**{name: getattr(request, name) for name in EXACT if getattr(request, name)})
    rows = Memory.objects.visible_to(trust).unexpired(at).filter(said).with_salience(at)
    return rows.filter(salience_now__gte=request.min_salience) if request.min_salience else rows


def _stubs(request: SearchRequest, trust: Trust, *, at: datetime) -> MemoryQuerySet:
    """By type, scope, tags and time only; newest first. What they say has no part in it."""
    said = Q(type__in=request.types) if request.types else Q()
    said &= Q(tags__contains=request.tags) if request.tags else Q()
    return Memory.objects.just_above(trust).current(at).filter(said).order_by("-created_at", "-pk")[:MOST_STUBS]
