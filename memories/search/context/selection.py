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
class MemoryWithQueries:
    """A memory with all the queries that found it."""

    memory: UUID
    whys: tuple[str, ...]
    score: float

    @property
    def why(self) -> str:
        return ", ".join(self.whys)


@dataclass(frozen=True)
class Ration:
    """A limit for some memories (`has`): a block holds at most `most` of them. `withhold`: returns those to withhold
    from this run, to measure what they are worth."""

    has: Callable[[Memory], bool]
    most: int
    withhold: Callable[[Collection[Memory]], Collection[UUID]]

    def best(self, entries: Sequence[MemoryWithQueries], rows: Mapping[UUID, Memory]) -> list[MemoryWithQueries]:
        """The entries without those of them beyond the first `most`."""
        rationed_entries = [entry for entry in entries if self.has(rows[entry.memory])][: self.most]
        return [entry for entry in entries if entry in rationed_entries or not self.has(rows[entry.memory])]


def merge(hits: Iterable[Hit]) -> list[MemoryWithQueries]:
    """Merge hits by memory, in the order of their first hits."""
    by_memory: dict[UUID, MemoryWithQueries] = {}
    for hit in hits:
        former = by_memory.get(hit.memory, MemoryWithQueries(hit.memory, (), 0.0))
        by_memory[hit.memory] = MemoryWithQueries(hit.memory, (*former.whys, hit.why), max(former.score, hit.score))
    return list(by_memory.values())


def rank(entries: Iterable[MemoryWithQueries], confidence: Mapping[UUID, int]) -> list[MemoryWithQueries]:
    """Sort by the number of queries, then confidence, then score. Memories missing from `confidence` are left out."""
    current_entries = [entry for entry in entries if entry.memory in confidence]
    return sorted(current_entries, key=lambda entry: (-len(entry.whys), -confidence[entry.memory], -entry.score))


def without_repeats(
    entries: Sequence[MemoryWithQueries], sentences: Mapping[UUID, str], decided_ids: Collection[UUID] = ()
) -> list[MemoryWithQueries]:
    """Remove memories that say the same as a better one: it may be stored in two scopes, or ten times by one agent. One
    of `decided_ids`, which people decided, is the better one."""
    groups = updates.by_claim(entries, lambda entry: sentences[entry.memory])
    return [next((entry for entry in group if entry.memory in decided_ids), group[0]) for group in groups]


def fit(
    entries: Sequence[MemoryWithQueries],
    lines: Mapping[UUID, str],
    *,
    limit: int,
    token_budget: int,
    beside: Sequence[MemoryWithQueries] = (),
) -> list[MemoryWithQueries]:
    """The best memories that fit into the block: one that is too long is left out, a shorter one may follow.
    `beside`: the entries that stand in it already."""
    costs = {id: quarters(line) + 1 for id, line in lines.items()}  # with the line break before it
    room = 4 * token_budget - quarters(HEADING) - sum(costs[entry.memory] for entry in beside)
    fitting_entries: list[MemoryWithQueries] = []
    for entry in entries:
        cost = costs[entry.memory]
        if len(fitting_entries) < limit and cost <= room:
            fitting_entries.append(entry)
            room -= cost
    return fitting_entries
