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


class Weighed(NamedTuple):
    """The terms of a text, with a vector for each (zero where it has none) and the square of its weight."""

    terms: Sequence[Term]
    vectors: Array
    weights: Array


def weighed(text: str) -> Weighed:
    text_terms = terms(text)
    vectors, weights = built_in().words([term.word for term in text_terms])
    for place, term in enumerate(text_terms):
        if not term.word:
            weights[place] = OF_CHARACTER if term.is_character else OF_EXACT
    return Weighed(text_terms, vectors, weights**2)


def is_near(text: Weighed, dismissed: Weighed) -> bool:
    """Whether a text says nearly what the dismissed one says, or holds nearly all of it."""
    of_text, of_dismissed = shares(text, dismissed)
    return min(of_text, of_dismissed) >= NEAR or of_dismissed >= CONTAINED


def shares(one: Weighed, other: Weighed) -> tuple[float, float]:
    """The share of either text that the other one has too, by weight: 1 for the same terms. 0 if they share little."""
    if not one.terms or not other.terms:
        return 0.0, 0.0
    likeness = one.vectors @ other.vectors.T
    likeness[likeness < LEAST_LIKE] = 0
    for row, column, equal in _equal_and_misspelled(one.terms, other.terms):
        likeness[row, column] = equal
    shared = likeness.max(1) @ one.weights, likeness.max(0) @ other.weights
    if min(shared) < LEAST_SHARED:
        return 0.0, 0.0
    return float(shared[0] / one.weights.sum()), float(shared[1] / other.weights.sum())


def _equal_and_misspelled(one: Sequence[Term], other: Sequence[Term]) -> Iterator[tuple[int, int, float]]:
    places = {term.value: place for place, term in enumerate(other)}
    rest = [(place, term.word) for place, term in enumerate(other) if len(term.word) >= LEAST_MISSPELLED]
    for row, term in enumerate(one):
        if term.value in places:
            yield row, places[term.value], 1.0
        elif len(term.word) >= LEAST_MISSPELLED:
            yield from ((row, column, MISSPELLED) for column, word in rest if differ_in_one(term.word, word))


def differ_in_one(one: str, other: str) -> bool:
    """Whether one letter is another, is missing, or stands before its neighbour."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


MOST_NOMINATED = 20
LONGEST_STATEMENT, MOST_SENTENCES = 600, 200  # characters of a text that is compared as a whole; sentences of others


class Shared(Func):
    """How many tokens of an array stand in a list."""

    template, arg_joiner = "cardinality(ARRAY(SELECT unnest(%(expressions)s)))", ") INTERSECT SELECT unnest("
    output_field = IntegerField()

    def __init__(self, column: str, tokens: list[str]) -> None:
        super().__init__(F(column), Value(tokens, output_field=ArrayField(TextField())))


def nearest(stones: TombstoneQuerySet, content: str) -> Tombstone | None:
    """The one of these tombstones that is near a text, which equals none of them.

    Compared with those that share most tokens with it, and first with those that share an identifier.
    """
    statement: list[Weighed] = []
    sealed = stones.sealed_alike(content)
    for stone, text in _nominated(stones, list(chain(*sealed.values()))):
        if any(claims.share_identifier(stone.claim, claim) for claim in sealed.get(stone.way, ())):
            return stone
        if text:
            statement = statement or [weighed(part) for part in _parts(content)]
            dismissed = weighed(text)
            if any(is_near(part, dismissed) for part in statement):
                return stone
    return None


def _nominated(stones: TombstoneQuerySet, ways: Sequence[Claim]) -> Iterator[tuple[Tombstone, str | None]]:
    """Tombstones, each with the text of the dismissed memory: None if it is gone."""
    tokens = sorted({token for claim in ways for token in claims.as_lists(claim)[0]})
    marks = sorted({value for claim in ways for value in claim.mark_values})
    text = Memory.objects.filter(pk=OuterRef("memory_id")).values("content")[:1]
    rows = stones.filter(claim_tokens__overlap=tokens, duplicate=False).exclude(category=None)
    by_share = Shared("claim_tokens", marks).desc(), Shared("claim_tokens", tokens).desc()
    nominated: Any = rows.annotate(text=Subquery(text)).order_by(*by_share, "-at", "-pk")[:MOST_NOMINATED]
    return ((stone, stone.text) for stone in nominated)


def _parts(content: str) -> list[str]:
    """The whole of a short text, the sentences of a long one."""
    if len(content) <= LONGEST_STATEMENT:
        return [content]
    return sentences(content)[:MOST_SENTENCES]
