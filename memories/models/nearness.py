"""Dismissals that are near a statement: of the same account or order and what it belongs to, or in nearly these words.

They do not block it: it waits for a person. The words of a forgotten claim are gone; its identifiers are still
compared, as digests.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db.models import F, Func, IntegerField, OuterRef, Subquery, TextField, Value

from memories import claims
from memories.claims import Claim
from memories.embedding.closeness import Weighed, is_near, weighed
from memories.models.memory import Memory
from memories.models.tombstone import Tombstone, TombstoneQuerySet
from memories.values.text import sentences

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
