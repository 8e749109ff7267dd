"""Which words tell the pattern's successes from the other runs: log-odds with a prior."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from consolidation.learning import terms
from consolidation.learning.privacy import Holders
from consolidation.learning.runs import Run
from consolidation.learning.scope import Scope

PRIOR = 10.0
DISTINCT = 1.2  # standard errors

CASES = 3
TOO_COMMON = 0.6  # of the other runs


@dataclass(frozen=True)
class Term:
    """`runs` of the successes and `others` of the other runs say it; `score` in standard errors."""

    key: str
    written: str
    runs: int
    others: int
    score: float


def scored(scope: Scope, spoken: Callable[[Run], dict[str, str]], *, everyday: bool = False) -> list[Term]:
    """The terms that may be said and that successes of three cases say, the most telling first; those that nearly every
    request of the scope holds only when `everyday`."""
    said = _Said(scope, spoken, everyday=everyday)
    found = list(said.terms())
    return sorted(found, key=lambda term: (-term.score, -term.runs, -len(term.key), term.key))


class _Said:
    """Who says what."""

    def __init__(self, scope: Scope, spoken: Callable[[Run], dict[str, str]], *, everyday: bool) -> None:
        self.scope, self.everyday = scope, everyday
        self.holders = Holders()
        self.inside, self.outside = Counter[str](), Counter[str]()
        self.forms: dict[str, list[str]] = defaultdict(list)
        self.threads: dict[str, set[str]] = defaultdict(set)
        self.own = {run.id for run in scope.successes}
        for run in scope.successes:
            self._add(run, spoken(run))
        for run in scope.all:
            if run.id not in self.own:
                shared = spoken(run).keys() & self.inside.keys()
                self.outside.update(shared)
                self.holders.add(shared, run.thread)

    def _add(self, run: Run, said: dict[str, str]) -> None:
        self.inside.update(said.keys())
        self.holders.add(said, run.thread)
        for key, written in said.items():
            self.forms[key].append(written)
            self.threads[key].add(run.thread)

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
                yield Term(key, written, inside, outside, _score(inside, own, outside, total - own))

    def _enough(self, key: str) -> bool:
        """Said in three cases."""
        return len(self.threads[key]) >= CASES


def _score(inside: int, own: int, outside: int, rest: int) -> float:
    """Log-odds ratio with an informative Dirichlet prior over its standard error (Monroe, Colaresi and Quinn 2008)."""
    share = (inside + outside) / max(1, own + rest)
    a, b = PRIOR * share + 0.01, PRIOR * (1 - share) + 0.01
    odds = math.log((inside + a) / (own - inside + b)) - math.log((outside + a) / (rest - outside + b))
    return round(odds / math.sqrt(1 / (inside + a) + 1 / (outside + a)), 6)


def apart(found: Sequence[Term], most: int) -> list[Term]:
    """Without a term that a better one already says."""
    chosen: list[Term] = []
    for term in found:
        if len(chosen) == most:
            break
        if not any(overlap(other.key, term.key) for other in chosen):
            chosen.append(term)
    return chosen


def overlap(one: str, other: str) -> bool:
    """Do two terms share a word, or two characters of Chinese?"""
    if terms.is_han(one) and terms.is_han(other):
        return any(one[n : n + 2] in other for n in range(len(one) - 1))
    return bool(set(one.split()) & set(other.split()))
