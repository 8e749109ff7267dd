"""Terms that separate the requests that led to an effect from other requests: log-odds with a prior, over cases."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from consolidation.learning.chance import by_chance
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs import terms
from consolidation.learning.runs.run import Run

PRIOR = 10.0
DISTINCT = 1.2  # standard errors

CASES = 3
ENOUGH = 10  # cases that ended well: with fewer the requests of failed runs count, too
TOO_COMMON = 0.6  # of the other cases
LONGEST_REQUEST = 100  # words


@dataclass(frozen=True)
class Term:
    """A term of requests: `runs` of those for the effect and `others` of the other runs contain it.

    `cases`: cases of these runs; `apart`: of them those with other effects than the pattern's, too; `own`: the share of
    the pattern's cases. `score`: log-odds in standard errors; `chance`: one-sided p-value (Fisher's exact test);
    `everyday`: most other requests open with it.
    """

    key: str
    written: str
    runs: int
    others: int
    cases: int
    apart: int
    own: float
    score: float
    chance: float = 1.0
    everyday: bool = False


@dataclass(frozen=True)
class Requests:
    """The requests of runs that ended well with a tool's effect, beside those of cases without it.

    Where few cases ended well, but more than one of the pattern's, those of failed runs count, too: how a run ended
    tells nothing of what its user wished. `tool`: '' for the runs of a pattern without effects, of which the opening
    tells the request: what users say after they were refused is none.
    """

    scope: Scope
    tool: str

    @cached_property
    def _asking(self) -> list[Run]:
        if not self.tool:
            return self.scope.successes
        having = [run for run in self.scope.all if self.tool in self.scope.effects(run)]
        well = [run for run in having if run.succeeded]
        few = len({run.thread for run in well}) < ENOUGH
        return having if few and len({run.thread for run in self.scope.successes}) > 1 else well

    @cached_property
    def _cases(self) -> set[str]:
        return {run.thread for run in self._asking}

    @cached_property
    def _own(self) -> set[str]:
        """The cases of the pattern among them."""
        return {run.thread for run in self._asking if run.id in self.scope.ids}

    @cached_property
    def _elsewhere(self) -> list[Run]:
        """Runs that asked for something else, as far as can be told.

        A run with the effect or of such a case may have asked for the same; a report about another place has other
        words anyway.
        """
        places = {run.place for run in self._asking} if are_reports(self._asking) else None
        rest = (run for run in self.scope.all if run.thread not in self._cases and not self._has(run))
        return [run for run in rest if places is None or run.place in places]

    def _has(self, run: Run) -> bool:
        return self.tool in self.scope.effects(run) if self.tool else run.id in self.scope.ids

    @property
    def _terms(self) -> Callable[[Run], dict[str, str]]:
        return self.scope.request_terms if self.tool else self.scope.opening_terms

    def scored(self) -> list[Term]:
        """Return the terms that may be shown and that CASES cases contain, highest score first."""
        return sorted(self._scored(), key=lambda term: (-term.score, -term.cases, -len(term.key), term.key))

    def _scored(self) -> Iterator[Term]:
        well, other = self._holding(self._asking), self._holding(self._elsewhere)
        other_cases = {run.thread for run in self._elsewhere}
        total, rest = len(self._cases), len(other_cases)
        for key, runs in well.items():
            threads = {run.thread for run in runs}
            opening = self.scope.opening_cases.get(key, set())  # else it is part of the conversation, not of a request
            if min(len(threads), len(opening), len(runs)) < CASES:
                continue
            written = terms.most_written([self._terms(run)[key] for run in runs])
            if self.scope.goods.intersection(key.split()) or not self.scope.names_nobody(written):
                continue
            others = other.get(key, [])
            outside = len({run.thread for run in others})
            yield Term(
                key,
                written,
                len(runs),
                len(others),
                cases=len(threads),
                apart=len(threads - self._own),
                own=len(threads & self._own) / max(1, len(self._own)),
                score=_score(len(threads), total, outside, rest),
                chance=_chance(len(threads), total, outside, rest),
                everyday=len(opening & other_cases) > max(3.0, TOO_COMMON * rest),
            )

    def _holding(self, runs: Sequence[Run]) -> dict[str, list[Run]]:
        by_words: dict[str, list[Run]] = defaultdict(list)
        for run in runs:
            for key in self._terms(run):
                by_words[key].append(run)
        return by_words


def are_reports(runs: Sequence[Run]) -> bool:
    """Return whether runs that worked in some place mostly began with a long text: a report of a fault, say."""
    lengths = [len(run.opening.split()) for run in runs if run.place]
    return bool(lengths) and median(lengths) > LONGEST_REQUEST


def _chance(inside: int, own: int, outside: int, rest: int) -> float:
    return 1.0 if inside * rest <= outside * own else by_chance(inside, own, outside, rest)


def _score(inside: int, own: int, outside: int, rest: int) -> float:
    """Return the log-odds ratio with an informative Dirichlet prior over its standard error.

    Monroe, Colaresi and Quinn 2008.
    """
    share = (inside + outside) / max(1, own + rest)
    a, b = PRIOR * share + 0.01, PRIOR * (1 - share) + 0.01
    odds = math.log((inside + a) / (own - inside + b)) - math.log((outside + a) / (rest - outside + b))
    return round(odds / math.sqrt(1 / (inside + a) + 1 / (outside + a)), 6)


def apart(candidates: Sequence[Term], most: int) -> list[Term]:
    """Return at most `most` terms, without those that overlap a better one."""
    chosen: list[Term] = []
    for term in candidates:
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
