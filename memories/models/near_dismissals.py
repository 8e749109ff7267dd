"""Dismissals that are near a statement: of the same account or order and what it belongs to, or in nearly these words.

They do not block it: it waits for a person. The words of a forgotten claim are gone; its identifiers are still
compared, as digests.

How near two texts are is told word for word, by the vectors of the built-in model. The vector of a whole text is that
of its topic: chat sentences that only share it are as near as rewordings. So each term of a text is held against all of
the other, as in late interaction, and what is rare weighs more.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from django.contrib.postgres.fields import ArrayField
from django.db.models import F, Func, IntegerField, OuterRef, Subquery, TextField, Value

from memories import claims
from memories.claims import Claim
from memories.claims.terms import Term, terms
from memories.embedding import built_in
from memories.embedding.interface import Array
from memories.models.memory import Memory
from memories.models.tombstone import Tombstone, TombstoneQuerySet
from memories.values.text import sentences

NEAR, CONTAINED = 0.56, 0.85  # shares
LEAST_LIKE = 0.35  # cosine of two words that have something to do with each other
OF_EXACT, OF_CHARACTER = 8.0, 4.5  # weights of numbers and addresses, and of a Chinese character; a rare word has 7
LEAST_SHARED = 80.0  # of the squares of weights: three words that are no everyday ones
MISSPELLED, LEAST_MISSPELLED = 0.9, 5  # likeness of two words that differ in one letter; their least length


class TermWeights(NamedTuple):
    """The terms of a text, with a vector for each (zero where it has none) and the square of its weight."""

    terms: Sequence[Term]
    vectors: Array
    weights: Array


def weighed(text: str) -> TermWeights:
    text_terms = terms(text)
    vectors, weights = built_in().words([term.word for term in text_terms])
    for place, term in enumerate(text_terms):
        if not term.word:
            weights[place] = OF_CHARACTER if term.is_character else OF_EXACT
    return TermWeights(text_terms, vectors, weights**2)


def is_near(text: TermWeights, dismissed_text: TermWeights) -> bool:
    """Whether a text says nearly what the dismissed one says, or holds nearly all of it."""
    text_share, dismissed_share = shares(text, dismissed_text)
    return min(text_share, dismissed_share) >= NEAR or dismissed_share >= CONTAINED


def shares(first: TermWeights, second: TermWeights) -> tuple[float, float]:
    """The share of either text that the other one has too, by weight: 1 for the same terms. 0 if they share little."""
    if not first.terms or not second.terms:
        return 0.0, 0.0
    likeness = first.vectors @ second.vectors.T
    likeness[likeness < LEAST_LIKE] = 0
    for row, column, equal in _equal_and_misspelled(first.terms, second.terms):
        likeness[row, column] = equal
    weights = likeness.max(1) @ first.weights, likeness.max(0) @ second.weights
    if min(weights) < LEAST_SHARED:
        return 0.0, 0.0
    return float(weights[0] / first.weights.sum()), float(weights[1] / second.weights.sum())


def _equal_and_misspelled(first: Sequence[Term], second: Sequence[Term]) -> Iterator[tuple[int, int, float]]:
    places = {term.value: place for place, term in enumerate(second)}
    rest = [(place, term.word) for place, term in enumerate(second) if len(term.word) >= LEAST_MISSPELLED]
    for row, term in enumerate(first):
        if term.value in places:
            yield row, places[term.value], 1.0
        elif len(term.word) >= LEAST_MISSPELLED:
            yield from ((row, column, MISSPELLED) for column, word in rest if differ_in_one(term.word, word))


def differ_in_one(word: str, other: str) -> bool:
    """Whether one letter is another, is missing, or stands before its neighbour."""
    if abs(len(word) - len(other)) > 1 or word == other:
        return False
    start = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    a, b = word[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


MOST_NOMINATED = 20
LONGEST_STATEMENT, MOST_SENTENCES = 600, 200  # characters of a text that is compared as a whole; sentences of others


class SharedTokens(Func):
    """How many tokens of an array stand in a list."""

    template, arg_joiner = "cardinality(ARRAY(SELECT unnest(%(expressions)s)))", ") INTERSECT SELECT unnest("
    output_field = IntegerField()

    def __init__(self, column: str, tokens: list[str]) -> None:
        super().__init__(F(column), Value(tokens, output_field=ArrayField(TextField())))


def nearest(stones: TombstoneQuerySet, content: str) -> Tombstone | None:
    """The one of these tombstones that is near a text, which equals none of them.

    Compared with those that share most tokens with it, and first with those that share an identifier.
    """
    statement: list[TermWeights] = []
    claims_by_way = stones.sealed_alike(content)
    for stone, text in _candidates(stones, list(chain(*claims_by_way.values()))):
        if any(claims.share_identifier(stone.claim, claim) for claim in claims_by_way.get(stone.way, ())):
            return stone
        if text:
            statement = statement or [weighed(part) for part in _parts(content)]
            dismissed_terms = weighed(text)
            if any(is_near(part, dismissed_terms) for part in statement):
                return stone
    return None


def _candidates(stones: TombstoneQuerySet, content_claims: Sequence[Claim]) -> Iterator[tuple[Tombstone, str | None]]:
    """Tombstones, each with the text of the dismissed memory: None if it is gone."""
    tokens = sorted({token for claim in content_claims for token in claims.as_lists(claim)[0]})
    marks = sorted({value for claim in content_claims for value in claim.mark_values})
    text = Memory.objects.filter(pk=OuterRef("memory_id")).values("content")[:1]
    rows = stones.filter(claim_tokens__overlap=tokens, duplicate=False).exclude(category=None)
    by_share = SharedTokens("claim_tokens", marks).desc(), SharedTokens("claim_tokens", tokens).desc()
    candidates: Any = rows.annotate(text=Subquery(text)).order_by(*by_share, "-at", "-pk")[:MOST_NOMINATED]
    return ((stone, stone.text) for stone in candidates)


def _parts(content: str) -> list[str]:
    """The whole of a short text, the sentences of a long one."""
    if len(content) <= LONGEST_STATEMENT:
        return [content]
    return sentences(content)[:MOST_SENTENCES]
