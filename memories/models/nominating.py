"""Rows whose words may claim the same: words nominate, the comparison of claims decides."""

import re
from collections.abc import Collection, Iterator
from typing import Any, TypeVar
from uuid import UUID

from django.apps import apps
from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import Q, QuerySet

from memories import claims
from memories.values import text
from memories.values.choices import Type
from memories.values.trust import SHARED_SCOPES

Memories = TypeVar("Memories", bound="QuerySet[Any]")
MOST_WORDS, MOST_NOMINATED = 60, 50
WORD = re.compile(r"\w+")


def nominated(
    content: str, rows: Memories, *, scope: str | None = None, types: Collection[str] = (Type.SEMANTIC,)
) -> Memories:
    """Those of `rows` (memories) that may say this: they have its fingerprint, or most of its words. `scope`: of this
    one alone; of any other than the shared ones they are known by words."""
    claim = claims.claim_of(content)
    rows = rows.filter(type__in=types) if scope is None else rows.filter(scope=scope, type__in=types)
    same = [claims.fingerprint(claim, place) for place in (SHARED_SCOPES if scope is None else [scope])]
    return rows.filter(Q(fingerprint__in=same) | Q(pk__in=_by_words(content, rows, scope, types)))


def _by_words(content: str, rows: "QuerySet[Any]", scope: str | None, types: Collection[str]) -> list[UUID]:
    words = list(dict.fromkeys(_words(content)))[:MOST_WORDS]
    if not words:
        return []
    query = SearchQuery(" or ".join(words), search_type="websearch", config="english")
    passages = apps.get_model("memories", "Passage")._default_manager.filter(type__in=types, search=query)
    passages = passages if scope is None else passages.filter(scope=scope)
    ranked = passages.filter(memory__in=rows).order_by(SearchRank("search", query).desc())
    return list(ranked.values_list("memory", flat=True)[:MOST_NOMINATED])


def _words(content: str) -> Iterator[str]:
    """Without the two that a search takes for operators."""
    for word in WORD.findall(text.searchable(content) or content):
        if word.casefold() not in ("or", "and"):
            yield word
