"""Terms that separate requests of the pattern's successes from those of other runs: log-odds with a prior."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from consolidation.learning import terms
from consolidation.learning.chance import by_chance
from consolidation.learning.privacy import Holders
from consolidation.learning.runs import Run
from consolidation.learning.scope import Scope

PRIOR = 10.0
DISTINCT = 1.2  # standard errors

CASES = 3
TOO_COMMON = 0.6  # of the other runs


@dataclass(frozen=True)
class Term:
    """A term of requests: `runs` of the successes and `others` of the other runs contain it.

    `score`: log-odds in standard errors; `chance`: one-sided p-value over cases (Fisher's exact test).
    """

    key: str
    written: str
    runs: int
    others: int
    score: float
    chance: float = 1.0


def scored(scope: Scope, *, everyday: bool = False) -> list[Term]:
    """Return the terms that may be shown and that successes of three cases contain, highest score first.

    `everyday`: include terms that nearly every request of the scope contains.
    """
    said = _Said(scope, everyday=everyday)
    found = list(said.terms())
    return sorted(found, key=lambda term: (-term.score, -term.runs, -len(term.key), term.key))


class _Said:
    """Counts of the runs and cases that contain each term."""

    def __init__(self, scope: Scope, *, everyday: bool) -> None:
        self.scope, self.everyday = scope, everyday
        self.holders = Holders()
        self.inside, self.outside = Counter[str](), Counter[str]()
        self.forms: dict[str, list[str]] = defaultdict(list)
        self.threads: dict[str, set[str]] = defaultdict(set)
        self.elsewhere: dict[str, set[str]] = defaultdict(set)
        self.own = {run.id for run in scope.successes}
        self.cases = {run.thread for run in scope.successes}
        self.other_cases = {run.thread for run in scope.all if self._is_other(run)}
        for run in scope.successes:
            self._add(run, scope.opening_terms(run))
        for run in scope.all:
            if run.id not in self.own:
                self._contrast(run, scope.opening_terms(run).keys() & self.inside.keys())

    def _is_other(self, run: Run) -> bool:
        """Return whether a run asked for something else, as far as can be told.

        A run of the same pattern or case may have asked for the same; a run of another place has other words anyway.
        """
        places = {run.place for run in self.scope.successes}
        return run.id not in self.scope.ids and run.thread not in self.cases and run.place in places

    def _add(self, run: Run, said: dict[str, str]) -> None:
        self.inside.update(said.keys())
        self.holders.add(said, run.thread)
        for key, written in said.items():
            self.forms[key].append(written)
            self.threads[key].add(run.thread)

    def _contrast(self, run: Run, shared: set[str]) -> None:
        self.outside.update(shared)
        self.holders.add(shared, run.thread)
        if run.thread in self.other_cases and self._is_other(run):
            for key in shared:
                self.elsewhere[key].add(run.thread)

    def terms(self) -> Iterator[Term]:
        total, own = len(self.scope.all), len(self.own)
        for key, inside in self.inside.items():
            outside = self.outside[key]
            if not self._enough(key) or not self.holders.common(key):
                continue
            written = terms.most_written(self.forms[key])
            everyday = outside > max(3.0, TOO_COMMON * (total - own))
            thing = self.scope.goods.intersection(key.split())
            if (self.everyday or not everyday) and not thing and self.scope.names_nobody(written):
                score = _score(inside, own, outside, total - own)
                yield Term(key, written, inside, outside, score, self._chance(key))

    def _enough(self, key: str) -> bool:
        """Return whether requests of CASES cases contain the term."""
        return len(self.threads[key]) >= CASES

    def _chance(self, key: str) -> float:
        inside, outside = len(self.threads[key]), len(self.elsewhere[key])
        if inside * len(self.other_cases) <= outside * len(self.cases):
            return 1.0
        return by_chance(inside, len(self.cases), outside, len(self.other_cases))


def _score(inside: int, own: int, outside: int, rest: int) -> float:
    """Return the log-odds ratio with an informative Dirichlet prior over its standard error.

    Monroe, Colaresi and Quinn 2008.
    """
    share = (inside + outside) / max(1, own + rest)
    a, b = PRIOR * share + 0.01, PRIOR * (1 - share) + 0.01
    odds = math.log((inside + a) / (own - inside + b)) - math.log((outside + a) / (rest - outside + b))
    return round(odds / math.sqrt(1 / (inside + a) + 1 / (outside + a)), 6)


def apart(found: Sequence[Term], most: int) -> list[Term]:
    """Return at most `most` terms, without those that overlap a better one."""
    chosen: list[Term] = []
    for term in found:
        if len(chosen) == most:
            break
        if not any(overlap(other.key, term.key) for other in chosen):
            chosen.append(term)
    return chosen


def overlap(one: str, other: str) -> bool:
    """Return whether two terms share a word, or two consecutive Chinese characters."""
    if terms.is_han(one) and terms.is_han(other):
        return any(one[n : n + 2] in other for n in range(len(one) - 1))
    return bool(set(one.split()) & set(other.split()))
