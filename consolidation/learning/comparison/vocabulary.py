"""Words, names and field names of a set of runs, counted once for all the patterns that are compared with it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from consolidation.learning.runs.holdings import short_results
from consolidation.learning.runs.privacy import Holders
from consolidation.learning.runs.run import Run


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Counts over runs."""

    runs: Sequence[Run]

    @cached_property
    def tools(self) -> frozenset[str]:
        """Names of the tools that were called."""
        return frozenset(tool for run in self.runs for tool in run.tools)

    @cached_property
    def words(self) -> Holders:
        """Who holds which word of requests and of short answers."""
        return Holders((run.words, run.thread) for run in self.runs)

    @cached_property
    def keys(self) -> Holders:
        """Who holds which key of an object."""
        return Holders((run.holdings.keys, run.thread) for run in self.runs)

    @cached_property
    def personal(self) -> set[str]:
        """Words of fields with details of a person."""
        return set[str]().union(*(run.holdings.personal for run in self.runs))

    @cached_property
    def capitals(self) -> tuple[Counter[str], Counter[str]]:
        """In how many runs a word stands with a capital inside a clause, and in how many without."""
        return _word_counts(run.words_by_case[0] for run in self.runs), _word_counts(
            run.words_by_case[1] for run in self.runs
        )

    @cached_property
    def results(self) -> dict[str, set[str]]:
        """The short values of each field of results."""
        return short_results(run.holdings for run in self.runs)


def _word_counts(words_of_runs: Iterable[Iterable[str]]) -> Counter[str]:
    return Counter(word for words in words_of_runs for word in words)
