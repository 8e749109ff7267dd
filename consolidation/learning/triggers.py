"""Which words of a request speak for this competence: log-odds against the other runs of the scope, with a prior."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning import terms
from consolidation.learning.scope import Scope

MOST = 8
PRIOR = 10.0
DISTINCT = 0.8  # standard errors
TOO_COMMON = 0.6


@dataclass(frozen=True)
class Term:
    """`runs` of the successes and `others` of the other runs open with it; `score` in standard errors."""

    key: str
    written: str
    runs: int
    others: int
    score: float


def terms_of(scope: Scope) -> list[Term]:
    """The telling terms of the successes' openings, the most telling first; the merely frequent ones fill up."""
    found = _candidates(scope)
    telling = [term for term in found if term.score >= DISTINCT]
    frequent = [term for term in found if term.score < DISTINCT and term.runs * 3 >= len(scope.successes)]
    telling.sort(key=lambda term: (-term.score, term.key))
    frequent.sort(key=lambda term: (-term.runs, -term.score, term.key))
    chosen = _distinct(telling)
    return chosen if len(chosen) >= 3 else _distinct([*chosen, *frequent])[: max(3, len(chosen))]


def _candidates(scope: Scope) -> list[Term]:
    inside, outside, forms, threads = Counter[str](), Counter[str](), defaultdict(list), defaultdict(set)
    own = {run.id for run in scope.successes}
    for run in scope.all:
        for key, written in scope.spoken(run).items():
            (inside if run.id in own else outside)[key] += 1
            forms[key].append(written)
            if run.id in own:
                threads[key].add(run.thread)
    total = len(scope.all)
    kept = [key for key in inside if _enough(inside[key], len(threads[key]), len(own))]
    return [
        Term(key, written, inside[key], outside[key], _score(inside[key], len(own), outside[key], total - len(own)))
        for key in kept
        if (written := terms.most_written(forms[key]))
        and scope.may_say(key, written)
        and (inside[key] + outside[key]) < max(3, TOO_COMMON * total)
    ]


def _enough(runs: int, threads: int, of: int) -> bool:
    """Said in two conversations, or in a quarter of the runs."""
    return runs >= 2 and (threads >= 2 or runs * 4 >= of)


def _score(inside: int, own: int, outside: int, rest: int) -> float:
    """Log-odds ratio with an informative Dirichlet prior over its standard error (Monroe, Colaresi and Quinn 2008)."""
    share = (inside + outside) / max(1, own + rest)
    a, b = PRIOR * share + 0.01, PRIOR * (1 - share) + 0.01
    odds = math.log((inside + a) / (own - inside + b)) - math.log((outside + a) / (rest - outside + b))
    return round(odds / math.sqrt(1 / (inside + a) + 1 / (outside + a)), 6)


def _distinct(ranked: Sequence[Term]) -> list[Term]:
    """Without a term that another one already says: a pair says its words when it stands in almost as many runs."""
    chosen: list[Term] = []
    for term in ranked:
        if len(chosen) == MOST:
            break
        if not any(_says(other, term) for other in chosen):
            chosen = [other for other in chosen if not (_says(term, other) and term.runs >= other.runs)]
            chosen.append(term)
    return chosen


def _says(one: Term, other: Term) -> bool:
    """Do both speak of the same thing?"""
    if terms.is_han(one.key) or terms.is_han(other.key):
        return one.key in other.key or other.key in one.key
    return bool(set(one.key.split()) & set(other.key.split()))
