"""Rows whose words may claim the same: words nominate, the comparison of claims decides."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db import connection
from django.db.models import F, Func, Q, QuerySet, TextField

from memories import claims
from memories.claims import Claim
from memories.models.built import statement_of
from memories.models.trusted import all_of
from memories.values import search_words
from memories.values.choices import EXPERIENCE, LIVE, Type
from memories.values.trust import SHARED_SCOPES

Memories = TypeVar("Memories", bound="QuerySet[Any]")
MOST_WORDS, MOST_NOMINATED = 60, 50
WORD = re.compile(r"\w+")


class ScopeAsArray(Func):
    """The scope of a passage as the index `passage_search` has it."""

    template = "(ARRAY[%(expressions)s])"
    output_field = ArrayField(TextField())


def nominated(
    content: str,
    rows: Memories,
    *,
    scopes: Collection[str] | None,
    types: Collection[str] = (Type.SEMANTIC,),
) -> Memories:
    """Those of `rows` (memories) that may say this: they have its fingerprint, or are among the MOST_NOMINATED that
    have most of its words. `scopes`: of these alone; with None those of unshared scopes are known by words only."""
    claim = claims.claim_of(content)
    rows = rows.filter(type__in=types) if scopes is None else rows.filter(scope__in=scopes, type__in=types)
    fingerprints = [claims.fingerprint(claim, scope) for scope in (SHARED_SCOPES if scopes is None else scopes)]
    return rows.filter(Q(fingerprint__in=fingerprints) | Q(pk__in=_by_words(content, rows, scopes, types)))


def nominated_elsewhere(
    claim_rows: Sequence[Any], rows: "QuerySet[Any]", claim_of: Callable[[str], Claim]
) -> Iterator[tuple[UUID, UUID]]:
    """Each of these claims with those of `rows` in other scopes that may say the same: by words, and in shared scopes
    by fingerprint too. Two statements, however many are asked about."""
    statement = statement_of(rows.order_by().values("pk"))
    if not claim_rows or statement is None:
        return
    texts = [_any_word(row.content) for row in claim_rows]
    with connection.cursor() as cursor:
        sql = ELSEWHERE.format(rows=statement[0], most=MOST_NOMINATED)
        cursor.execute(sql, [texts, [row.scope for row in claim_rows], *statement[1]])
        for place, other_id in cursor.fetchall():
            yield claim_rows[place - 1].pk, other_id
    by_fingerprint: dict[bytes, list[UUID]] = defaultdict(list)
    for row in claim_rows:
        for scope in {*SHARED_SCOPES} - {row.scope}:
            by_fingerprint[claims.fingerprint(claim_of(row.content), scope)].append(row.pk)
    equal_rows = rows.filter(type=Type.SEMANTIC, fingerprint__in=list(by_fingerprint))
    for other_id, fingerprint in equal_rows.order_by().values_list("pk", "fingerprint"):
        yield from ((pk, other_id) for pk in by_fingerprint[bytes(fingerprint)])


def _by_words(
    content: str, rows: "QuerySet[Any]", scopes: Collection[str] | None, types: Collection[str]
) -> list[UUID]:
    words = _any_word(content)
    if not words:
        return []
    query = SearchQuery(words, search_type="websearch", config="english")
    passages = all_of("Passage").filter(type__in=types, search=query)
    if scopes is not None:
        passages = passages.alias(scopes=ScopeAsArray("scope")).filter(scopes__overlap=list(scopes))
    ranked_passages = passages.filter(memory__in=rows).order_by(SearchRank(F("search"), query).desc())
    return list(ranked_passages.values_list("memory", flat=True)[:MOST_NOMINATED])


def _any_word(content: str) -> str:
    return " or ".join(list(dict.fromkeys(_words(content)))[:MOST_WORDS])


def _words(content: str) -> Iterator[str]:
    """The words of a text, without "or" and "and", which a search takes for operators."""
    for word in WORD.findall(search_words.searchable(content) or content):
        if word.casefold() not in ("or", "and"):
            yield word


WORDS = "SELECT memory_id, tsvector_to_array(search) FROM memories_passage WHERE memory_id = ANY(%s)"
SOUGHT = """
SELECT memory.id, memory.type = 'working' OR memory.scope = ANY(%(shared)s), memory.type = 'working',
    tsvector_to_array(passage.search)
FROM memories_memory AS memory JOIN memories_passage AS passage ON passage.memory_id = memory.id
WHERE memory.status = ANY(%(live)s) AND (memory.type = ANY(%(claims)s) AND memory.scope = ANY(%(scopes)s)
    OR memory.type = 'working' AND (%(everywhere)s OR memory.scope = ANY(%(scopes)s)))
"""
ELSEWHERE = """
SELECT asked.place, near.memory_id
FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS asked (words, scope, place)
CROSS JOIN LATERAL (
    SELECT passage.memory_id
    FROM memories_passage AS passage, websearch_to_tsquery('english', asked.words) AS query
    WHERE passage.type = 'semantic' AND passage.search @@ query AND passage.scope <> asked.scope
        AND passage.memory_id IN ({rows})
    ORDER BY ts_rank(passage.search, query) DESC LIMIT {most}
) AS near
"""
READ_AT_ONCE = 4_096


def nominated_together(ids: Sequence[UUID], scope: str) -> Iterator[tuple[UUID, UUID, bool]]:
    """Each of these memories of a scope with the live ones that may claim the same: claims of the scope, and (with
    True) shared ones and working states that are read there.

    Where two claim the same, the shorter one has no word that the other has not, but for one written otherwise, and
    half of the words of both are in common; a working state that says it has half of its words.
    """
    parameters: dict[str, Any] = {
        "live": list(LIVE),
        "claims": [type.value for type in Type if type not in EXPERIENCE],
        "scopes": sorted({scope, *SHARED_SCOPES}),
        "shared": list(SHARED_SCOPES),
        "everywhere": scope in SHARED_SCOPES,
    }
    with connection.cursor() as cursor:
        cursor.execute(WORDS, [list(ids)])
        word_rows = cursor.fetchall()
        places = {word: place for place, word in enumerate(sorted({word for _, words in word_rows for word in words}))}
        has = _matrix([words for _, words in word_rows], places)
        sizes = has.sum(axis=1)
        cursor.execute(SOUGHT, parameters)
        while rows := cursor.fetchmany(READ_AT_ONCE):
            common = _matrix([row[3] for row in rows], places) @ has.T
            length = np.array([len(row[3]) for row in rows], dtype=np.float32)[:, None]
            is_state = np.array([row[2] for row in rows])[:, None]
            alike = (common + 1 >= np.minimum(length, sizes)) & (3 * common >= length + sizes)
            for place, number in np.argwhere(np.where(is_state, 2 * common >= sizes, alike)):
                yield word_rows[number][0], rows[place][0], rows[place][1]


def _matrix(texts: Sequence[Sequence[str]], places: dict[str, int]) -> "np.ndarray[Any, Any]":
    """Texts x words: 1 where a text has the word. `places`: word -> column."""
    matrix = np.zeros((len(texts), len(places)), dtype=np.float32)
    for number, words in enumerate(texts):
        matrix[number, [places[word] for word in words if word in places]] = 1
    return matrix
