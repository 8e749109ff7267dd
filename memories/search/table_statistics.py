"""Table sizes and word frequencies as PostgreSQL estimates them, to choose the access path of a search.

Up to lexemes.MOST_MATCHED passages they have no effect on results: every word is counted in what the caller may see.
"""

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from django.db import connection

KEPT_SECONDS = 60.0
# Without VACUUM or ANALYZE there are no statistics: every table then counts as small and is read fully.
SQL = """
json_build_object(
    'passages', (SELECT reltuples FROM pg_class WHERE oid = 'memories_passage'::regclass),
    'scopes', (SELECT json_build_array(most_common_vals::text::text[], most_common_freqs, n_distinct) FROM pg_stats
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
    other words are `rare`, and each other scope has the share `other_scope`.
    """

    passages: float = 0.0
    scopes: dict[str, float] = field(default_factory=dict)
    types: dict[str, float] = field(default_factory=dict)
    words: dict[str, float] = field(default_factory=dict)
    rare: float = 0.0
    other_scope: float = 1.0
    indexes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, row: Any) -> Self:
        """Build from the JSON of the SQL statement."""
        row = json.loads(row) if isinstance(row, str) else row
        words, shares = row["words"] or ([], [])
        passages, scopes = max(0.0, row["passages"] or 0.0), _shares(row["scopes"])
        return cls(
            passages=passages,
            scopes=scopes,
            other_scope=_share_of_another(scopes, (row["scopes"] or (None, None, 0.0))[2], passages),
            types=_shares(row["types"]),
            words=dict(zip(words or (), shares or (), strict=False)),
            rare=min(shares[: len(words)]) if words else 0.0,
            indexes=frozenset(row["indexes"] or ()),
        )

    def passages_in(self, scopes: Collection[str] | None) -> float:
        """Estimated number of passages in these scopes; None: in all."""
        if scopes is None:
            return self.passages
        return self.passages * min(1.0, sum(self.scopes.get(scope, self.other_scope) for scope in set(scopes)))

    def passages_of(self, types: Collection[str], scopes: Collection[str] | None) -> float:
        """Estimated number of passages of these types in these scopes, assuming that both are independent."""
        return self.passages_in(scopes) * sum(self.types.get(type, 0.0) for type in types)

    def share(self, word: str) -> float:
        return self.words.get(word, self.rare)


def _shares(column: Any) -> dict[str, float]:
    """Frequencies by value; empty where no value is frequent: the database then gives null for both lists."""
    values, shares, *_ = column or ((), ())
    return dict(zip(values or (), shares or (), strict=False))


def _share_of_another(frequent: Mapping[str, float], distinct: float, rows: float) -> float:
    """The share of a value that is not frequent, as the planner estimates it: such values share the rest evenly.

    `distinct`: how many values there are, or, where it is negative, that share of the rows.
    """
    rest = max(0.0, 1.0 - sum(frequent.values()))
    other_values = (distinct if distinct >= 0 else -distinct * rows) - len(frequent)
    return min(rest / max(other_values, 1.0), *frequent.values(), 1.0)


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


def current_statistics() -> TableStatistics:
    """The statistics of this process; one statement where they are stale."""
    if cache.is_stale:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {SQL}")
            cache.keep(TableStatistics.of(cursor.fetchone()[0]))
    return cache.statistics
