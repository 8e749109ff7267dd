"""Words, names and field names of a set of runs, counted once for all the patterns that are compared with it."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from consolidation.learning.runs.holdings import short_results
from consolidation.learning.runs.privacy import Holders
from consolidation.learning.runs.run import Run


class Vocabulary:
    """Counts over runs. `base`: those of other runs, which are counted already."""

    def __init__(self, runs: Sequence[Run], base: "Vocabulary | None" = None) -> None:
        self._runs, self._base = runs, base

    def joined(self, runs: Sequence[Run]) -> "Vocabulary":
        """The vocabulary of these runs and of further ones."""
        return Vocabulary(runs, self) if runs else self

    @cached_property
    def tools(self) -> frozenset[str]:
        """Names of the tools that were called."""
        own = frozenset(tool for run in self._runs for tool in run.tools)
        return own | self._base.tools if self._base else own

    @cached_property
    def words(self) -> Holders:
        """Who holds which word of requests and of short answers."""
        holders = self._base.words.copy() if self._base else Holders()
        for run in self._runs:
            holders.add(run.words, run.thread)
        return holders

    @cached_property
    def keys(self) -> Holders:
        """Who holds which key of an object."""
        holders = self._base.keys.copy() if self._base else Holders()
        for run in self._runs:
            holders.add(run.held.keys, run.thread)
        return holders

    @cached_property
    def personal(self) -> set[str]:
        """Words of fields with details of a person."""
        base = self._base.personal if self._base else set[str]()
        return base.union(*(run.held.personal for run in self._runs))

    @cached_property
    def capitals(self) -> tuple[Counter[str], Counter[str]]:
        """In how many runs a word stands with a capital inside a clause, and in how many without."""
        base = self._base.capitals if self._base else (Counter[str](), Counter[str]())
        capital, small = base[0].copy(), base[1].copy()
        for run in self._runs:
            capital.update(run.names[0])
            small.update(run.names[1])
        return capital, small

    @cached_property
    def results(self) -> dict[str, set[str]]:
        """The short values of each field of results."""
        by_tool = dict(self._base.results) if self._base else {}
        for at, texts in short_results(run.held for run in self._runs).items():
            by_tool[at] = by_tool.get(at, set()) | texts
        return by_tool
