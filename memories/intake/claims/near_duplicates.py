"""Find live memories that claim the same or nearly so. Words nominate, the comparison of claims decides."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from memories import claims
from memories.claims import Claim, Likeness
from memories.models import Memory, Tombstone
from memories.models.locked_rows import ClaimOf, LikeIds, alike_among
from memories.models.memory import MemoryQuerySet
from memories.models.nominating import nominated, nominated_elsewhere
from memories.values.choices import LIVE, Origin, Type
from memories.values.exceptions import Conflict
from memories.values.trust import Trust

MOST_SHOWN = 5
COMPARED = ("type", "content", "scope", "company_id", "origin")  # columns
CLOSEST = list(Likeness)  # same, rewording, changed, other


@dataclass(frozen=True)
class Near:
    """A memory, or a dismissal, that is near to some words.

    `memory` None: what was dismissed is forgotten since; `similarity`: the share of words that both have.
    """

    memory: Memory | None
    likeness: Likeness
    similarity: float
    tombstone: Tombstone | None = None

    @property
    def dismissed(self) -> bool:
        return self.tombstone is not None

    @property
    def as_json(self) -> dict[str, Any]:
        row = self.memory
        return {
            "id": row.pk if row else None,
            "key": row.key if row else self.tombstone.key if self.tombstone else None,
            "content": row.content if row else None,
            "scope": row.scope if row else self.tombstone.scope if self.tombstone else None,
            "confidence": row.confidence if row else None,
            "updated_at": row.updated_at if row else None,
            "status": row.status if row else "forgotten",
            "likeness": self.likeness.value,
            "similarity": round(self.similarity, 3),
        }


class NearDuplicate(Conflict):
    """Something like it is known, or was dismissed; the caller says with `resolve` what is meant."""

    code = "near_duplicate"

    def __init__(self, candidates: Sequence[Near]) -> None:
        nearest = candidates[0]
        state = "is known"
        if nearest.dismissed:
            state = "was dismissed" if nearest.memory else "was forgotten"
        options = "restore or separate" if nearest.dismissed else "update or separate"
        super().__init__(f"something like this {state} already; say with resolve what is meant: {options}")
        self.candidates = candidates
        self.more = {"candidates": [near.as_json for near in candidates]}


def nearest(content: str, *, scope: str, trust: Trust, besides: UUID | None = None) -> list[Near]:
    """Live claims of this scope that say the same, in these or other words, or something else of it; nearest first."""
    rows = Memory.objects.visible_to(trust).live().exclude(pk__in=[besides] if besides else [])
    return _nearest_first(compare_with(row, content) for row in nominated(content, rows, scopes=[scope]))


def equals_and_near(memory: Memory, rows: MemoryQuerySet) -> tuple[list[Memory], list[Near]]:
    """Those of `rows` in its scope that claim the same (see `equals_of`), and those nearly so, nearest first."""
    if memory.type != Type.SEMANTIC:
        return [], []
    candidates = list(nominated(memory.content, rows.exclude(pk=memory.pk), scopes=[memory.scope]))
    equals = _equal_ones(memory, candidates)
    rest = {row.pk for row in candidates} - {row.pk for row in equals}
    near = [compare_with(row, memory.content) for row in candidates if row.pk in rest]
    return equals, _nearest_first(near)


def _nearest_first(candidates: Iterable[Near]) -> list[Near]:
    near = [row for row in candidates if row.likeness != Likeness.OTHER]
    return sorted(near, key=lambda row: (CLOSEST.index(row.likeness), -row.similarity))[:MOST_SHOWN]


def equals_of(memory: Memory, rows: MemoryQuerySet) -> list[Memory]:
    """Those of `rows` in its scope that claim the same of the same company, under any key and category. Findings of
    rules differ in one word: only the very same claim is their equal."""
    if memory.type != Type.SEMANTIC:
        return []
    candidates = nominated(memory.content, rows.exclude(pk=memory.pk), scopes=[memory.scope])
    return _equal_ones(memory, candidates)


def alike_and_equal(memories: Iterable[Memory], claim_of: ClaimOf) -> dict[UUID, LikeIds]:
    """Memory id -> ids of what may claim the same, as `alike_among`; `here` is reduced to its equals."""
    memories = list(memories)
    like_ids = alike_among(memories, claim_of)
    nominated_here = {pk for near in like_ids.values() for pk in near.here}
    rows = Memory.objects.filter(type=Type.SEMANTIC).only(*COMPARED).in_bulk(list(nominated_here))
    for memory in memories:
        if near := like_ids.get(memory.pk):
            candidates = [rows[pk] for pk in near.here if pk in rows and rows[pk].scope == memory.scope]
            is_claim = memory.type == Type.SEMANTIC
            near.here = {row.pk for row in _equal_ones(memory, candidates, claim_of)} if is_claim else set()
    return like_ids


def equals_elsewhere(memories: Iterable[Memory], rows: MemoryQuerySet) -> dict[UUID, list[Memory]]:
    """Id of each of these claims -> those of `rows` in other scopes that claim the same (see `equals_of`), by scope.

    Four statements, however many claims.
    """
    sources = {memory.pk: memory for memory in memories if memory.type == Type.SEMANTIC}
    claim_of = cache(claims.claim_of)  # many are nominated again and again
    pairs = set(nominated_elsewhere(list(sources.values()), rows, claim_of))
    other_rows = rows.only(*COMPARED).in_bulk({other_id for _, other_id in pairs})
    equal_pairs = [
        (pk, other_id)
        for pk, other_id in pairs
        if other_id in other_rows
        and _is_equal(sources[pk], claim_of(sources[pk].content), other_rows[other_id], claim_of)
    ]
    full_rows = rows.in_bulk({other_id for _, other_id in equal_pairs})
    equal_rows: dict[UUID, list[Memory]] = {pk: [] for pk in sources}
    for pk, other_id in equal_pairs:
        equal_rows[pk] += [full_rows[other_id]] if other_id in full_rows else []
    return {pk: sorted(matches, key=lambda row: (row.scope, row.pk)) for pk, matches in equal_rows.items()}


def held_equals(memory: Memory) -> list[Memory]:
    """The live memories that claim the same as a held row; they are held rows too."""
    like_ids = memory.locked_rows.like_ids.get(memory.pk)
    locked_rows = map(memory.locked_rows.rows.get, sorted(like_ids.here) if like_ids else ())
    return [row for row in locked_rows if row and row.status in LIVE]


def _equal_ones(memory: Memory, candidates: Iterable[Memory], claim_of: ClaimOf = claims.claim_of) -> list[Memory]:
    claim = claim_of(memory.content)
    return [row for row in candidates if _is_equal(memory, claim, row, claim_of)]


def _is_equal(memory: Memory, claim: Claim, row: Memory, claim_of: ClaimOf) -> bool:
    if memory.company_id and row.company_id and memory.company_id.casefold() != row.company_id.casefold():
        return False
    other = claim_of(row.content)
    if {memory.origin, row.origin} & Origin.of_rules():
        return claim == other
    return claims.may_be_same(claim, other) and claims.compare(claim, other) == Likeness.SAME


def compare_with(row: Memory, content: str, *, same_subject: bool = False) -> Near:
    """How near these words are to the memory. `same_subject`: both are known to be about the same."""
    old, new = claims.claim_of(row.content), claims.claim_of(content)
    likeness = claims.compare(old, new, same_subject=same_subject)
    return Near(row, likeness, claims.jaccard(old.tokens, new.tokens))


@dataclass(frozen=True)
class Resemblance:
    """`tombstone` None: the reader may not see it, only that there is one. `memory` None: nor the words, or they are
    forgotten."""

    tombstone: Tombstone | None
    memory: Memory | None

    @property
    def as_json(self) -> dict[str, Any]:
        stone, row = self.tombstone, self.memory
        return {
            "tombstone": stone.pk if stone else None,
            "scope": stone.scope if stone else None,
            "memory_id": row.pk if row else None,
            "content": row.content if row else None,
        }


def resemblance_of(memory: Memory, trust: Trust) -> Resemblance | None:
    """The dismissal that this memory resembles; None without one."""
    return resemblances_of([memory], trust).get(memory.pk)


def resemblances_of(memories: Iterable[Memory], trust: Trust) -> dict[UUID, Resemblance]:
    """Id -> the dismissal that it resembles, of those memories that resemble one; two statements at most."""
    stone_ids = {memory.pk: memory.resembles for memory in memories if memory.resembles is not None}
    if not stone_ids:
        return {}
    stones: dict[UUID, Tombstone] = Tombstone.objects.visible_to(trust).in_bulk(stone_ids.values())
    memory_ids = {stone.memory_id for stone in stones.values() if stone.memory_id}
    rows: dict[UUID | None, Memory] = Memory.objects.visible_to(trust).in_bulk(memory_ids) if memory_ids else {}
    by_memory = {pk: stones.get(stone_id) for pk, stone_id in stone_ids.items()}
    return {pk: Resemblance(stone, rows.get(stone.memory_id) if stone else None) for pk, stone in by_memory.items()}
