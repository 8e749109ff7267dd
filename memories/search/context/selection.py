"""Selection of hits for the context block: merge, rank, and fit into the token budget. Pure."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from memories.models import Memory
from memories.search import updates
from memories.search.context.rendering import HEADING, quarters


class Hit(NamedTuple):
    """A memory found by one query. `why`: runs, words, meaning, company or source. `score`: of a search, else 0.
    `is_wish`: it holds whatever the task is.
    """

    memory: UUID
    why: str
    score: float = 0.0
    is_wish: bool = False


@dataclass(frozen=True)
class Merged:
    """A memory with all the queries that found it."""

    memory: UUID
    whys: tuple[str, ...]
    score: float

    @property
    def why(self) -> str:
        return ", ".join(self.whys)


@dataclass(frozen=True)
class Rationed:
    """Memories (`has`) of which a block holds the best few only. `withheld`: those of them that this run does without,
    to measure what they are worth."""

    has: Callable[[Memory], bool]
    most: int
    withheld: Callable[[Collection[Memory]], Collection[UUID]]

    def best(self, ranked: Sequence[Merged], rows: Mapping[UUID, Memory]) -> list[Merged]:
        """Without those of them that are too many."""
        kept = [candidate for candidate in ranked if self.has(rows[candidate.memory])][: self.most]
        return [candidate for candidate in ranked if candidate in kept or not self.has(rows[candidate.memory])]


def merged(hits: Iterable[Hit]) -> list[Merged]:
    """Merge hits by memory, in the order of their first hits."""
    by_memory: dict[UUID, Merged] = {}
    for hit in hits:
        former = by_memory.get(hit.memory, Merged(hit.memory, (), 0.0))
        by_memory[hit.memory] = Merged(hit.memory, (*former.whys, hit.why), max(former.score, hit.score))
    return list(by_memory.values())


def ranked(found: Iterable[Merged], confidence: Mapping[UUID, int]) -> list[Merged]:
    """Sort by the number of queries, then confidence, then score. Memories missing from `confidence` are left out."""
    there = [candidate for candidate in found if candidate.memory in confidence]
    return sorted(there, key=lambda one: (-len(one.whys), -confidence[one.memory], -one.score))


def said_once(ranked: Sequence[Merged], sentences: Mapping[UUID, str], decided: Collection[UUID] = ()) -> list[Merged]:
    """Remove memories that say what a better one says: it may be stored in two scopes, or ten times by one agent. Of
    those that say the same one that people `decided` is the better one."""
    groups = updates.by_claim(ranked, lambda candidate: sentences[candidate.memory])
    return [next((one for one in group if one.memory in decided), group[0]) for group in groups]


def fitting(
    ranked: Sequence[Merged],
    lines: Mapping[UUID, str],
    *,
    limit: int,
    token_budget: int,
    beside: Sequence[Merged] = (),
) -> list[Merged]:
    """The best memories that fit into the block: one that does not fit is left out whole, a shorter one may follow.
    `beside`: what stands in it already."""
    costs = {id: quarters(line) + 1 for id, line in lines.items()}  # with the line break before it
    room = 4 * token_budget - quarters(HEADING) - sum(costs[entry.memory] for entry in beside)
    chosen: list[Merged] = []
    for entry in ranked:
        cost = costs[entry.memory]
        if len(chosen) < limit and cost <= room:
            chosen.append(entry)
            room -= cost
    return chosen
