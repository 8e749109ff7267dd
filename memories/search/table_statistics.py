"""Table sizes and word frequencies as PostgreSQL estimates them, to choose the access path of a search.

Up to lexemes.MOST_MATCHED passages they have no effect on results: every word is counted in what the caller may see.
"""

import json
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Self

KEPT_SECONDS = 60.0
# Without VACUUM or ANALYZE there are no statistics: every table then counts as small and is read fully.
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
class TableStatistics:
    """Estimated table statistics.

    `scopes`, `types` and `words`: the share of passages of a frequent scope or type, or holding a frequent lexeme; all
    others are `rare`.
    """

    passages: float = 0.0
    scopes: dict[str, float] = field(default_factory=dict)
    types: dict[str, float] = field(default_factory=dict)
    words: dict[str, float] = field(default_factory=dict)
    rare: float = 0.0
    indexes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, row: Any) -> Self:
        """Build from the JSON of the SQL statement."""
        row = json.loads(row) if isinstance(row, str) else row
        words, shares = row["words"] or ([], [])
        return cls(
            passages=max(0.0, row["passages"] or 0.0),
            scopes=_shares(row["scopes"]),
            types=_shares(row["types"]),
            words=dict(zip(words or (), shares or (), strict=False)),
            rare=min(shares[: len(words)]) if words else 0.0,
            indexes=frozenset(row["indexes"] or ()),
        )

    def passages_in(self, scopes: Collection[str] | None) -> float:
        """Estimated number of passages in these scopes; None: in all."""
        if scopes is None:
            return self.passages
        others = max(0.0, 1.0 - sum(self.scopes.values()))
        unknown = any(scope not in self.scopes for scope in scopes)
        return self.passages * (sum(self.scopes.get(scope, 0.0) for scope in scopes) + (others if unknown else 0.0))

    def passages_of(self, types: Collection[str], scopes: Collection[str] | None) -> float:
        """Estimated number of passages of these types in these scopes, assuming that both are independent."""
        return self.passages_in(scopes) * sum(self.types.get(type, 0.0) for type in types)

    def share(self, word: str) -> float:
        return self.words.get(word, self.rare)


def _shares(column: Any) -> dict[str, float]:
    """Frequencies by value; empty where no value is frequent: the database then gives null for both lists."""
    values, shares = column or ((), ())
    return dict(zip(values or (), shares or (), strict=False))


class StatisticsCache:
    """The statistics of this process, reloaded after a while."""

    def __init__(self) -> None:
        self.statistics, self._until = TableStatistics(), 0.0

    @property
    def is_stale(self) -> bool:
        return time.monotonic() >= self._until

    def keep(self, statistics: TableStatistics) -> None:
        self.statistics, self._until = statistics, time.monotonic() + KEPT_SECONDS

    def drop(self) -> None:
        self._until = 0.0


cache = StatisticsCache()
