"""How much there is, as the database estimates it: only to choose the way of a search where there is a lot of it.

Up to REACH passages nothing of this shows: every word is counted in what the caller may see.
"""

import json
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

KEPT = 60.0  # seconds for which a process believes them
# Without VACUUM or ANALYZE there are none: then everything counts as little, and is looked at.
SQL = """
json_build_object(
    'passages', (SELECT reltuples FROM pg_class WHERE oid = 'memories_passage'::regclass),
    'scopes', (SELECT json_build_array(most_common_vals::text::text[], most_common_freqs) FROM pg_stats
               WHERE schemaname = current_schema() AND tablename = 'memories_passage' AND attname = 'scope'),
    'types', (SELECT json_build_array(most_common_vals::text::text[], most_common_freqs) FROM pg_stats
              WHERE schemaname = current_schema() AND tablename = 'memories_passage' AND attname = 'type'),
    'words', (SELECT json_build_array(most_common_elems::text::text[], most_common_elem_freqs) FROM pg_stats
              WHERE schemaname = current_schema() AND tablename = 'memories_passage' AND attname = 'search'),
    'indexes', (SELECT json_agg(relname) FROM pg_class JOIN pg_index ON pg_class.oid = indexrelid
                WHERE indrelid = 'memories_vector'::regclass AND indisvalid))
"""


@dataclass(frozen=True)
class Figures:
    """`scopes`, `types` and `words`: the share of passages of a frequent scope or type, or holding a frequent lexeme;
    all others are `rare`."""

    passages: float = 0.0
    scopes: dict[str, float] = field(default_factory=dict)
    types: dict[str, float] = field(default_factory=dict)
    words: dict[str, float] = field(default_factory=dict)
    rare: float = 0.0
    indexes: frozenset[str] = frozenset()

    def within(self, scopes: Collection[str] | None) -> float:
        """About how many passages are in these scopes."""
        if scopes is None:
            return self.passages
        others = max(0.0, 1.0 - sum(self.scopes.values()))
        unknown = any(scope not in self.scopes for scope in scopes)
        return self.passages * (sum(self.scopes.get(scope, 0.0) for scope in scopes) + (others if unknown else 0.0))

    def of_types(self, types: Collection[str], scopes: Collection[str] | None) -> float:
        """About how many of those are of these types, if each scope has its share of them."""
        return self.within(scopes) * sum(self.types.get(type, 0.0) for type in types)

    def share(self, word: str) -> float:
        return self.words.get(word, self.rare)


def of(told: Any) -> Figures:
    """From what `SQL` answered."""
    told = json.loads(told) if isinstance(told, str) else told
    words, shares = told["words"] or ([], [])
    return Figures(
        passages=max(0.0, told["passages"] or 0.0),
        scopes=_shares(told["scopes"]),
        types=_shares(told["types"]),
        words=dict(zip(words or (), shares or (), strict=False)),
        rare=min(shares[: len(words)]) if words else 0.0,
        indexes=frozenset(told["indexes"] or ()),
    )


def _shares(told: Any) -> dict[str, float]:
    """None at all where no value is frequent: the database tells both lists as null, then."""
    values, shares = told or ((), ())
    return dict(zip(values or (), shares or (), strict=False))


class Kept:
    """The figures of this process, asked for again after a while."""

    def __init__(self) -> None:
        self.figures, self._until = Figures(), 0.0

    @property
    def stale(self) -> bool:
        return time.monotonic() >= self._until

    def keep(self, figures: Figures) -> None:
        self.figures, self._until = figures, time.monotonic() + KEPT

    def drop(self) -> None:
        self._until = 0.0


kept = Kept()
