"""Changes that runs make or leave out whatever they are asked for: a note, logged time, a tag.

Guidance votes for exact sets of effects, and each such chore halves the runs that speak for one. A chore varies beside
two kinds of work at least, in runs that ended well, and neither what users said nor what was looked up foretells it:
of recorded tools that vary so the requests explain 21 % and more, of made-up chores nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from consolidation.guidance.features import Floats
from consolidation.guidance.votes import RIDGE, Ballot, Case, Effects

LEAST_RUNS = 6  # with the effect, and without
LEAST_SETS, LEAST_OF_SET = 2, 2  # other effects of a run, met so often with it and without
EXPLAINED = 0.1  # share of the variance


def ballot_of(cases: Sequence[Case], similar: Floats) -> Ballot:
    """The votes of these runs, without their chores. `similar`: similarities of the runs to each other."""
    optional = optional_effects(cases, similar)
    cases_without_chores = [replace(case, effects=case.effects - optional) for case in cases] if optional else cases
    return Ballot(cases_without_chores, similar, optional)


def optional_effects(cases: Sequence[Case], similar: Floats) -> Effects:
    """The chores of these runs, without those that were the only changes of a run that ended well."""
    well = [n for n, case in enumerate(cases) if case.well and case.effects]
    sets = [cases[n].effects for n in well]
    candidates = sorted(tool for tool in frozenset[str]().union(*sets) if _varies(tool, sets))
    if not candidates:
        return frozenset()
    has_tool = np.array([[tool in effects for tool in candidates] for effects in sets], np.float64)
    shares = _explained(has_tool, similar[np.ix_(well, well)])
    optional = frozenset(tool for tool, share in zip(candidates, shares, strict=True) if share < EXPLAINED)
    return optional.difference(*(effects for effects in sets if effects <= optional))


def _varies(tool: str, sets: Sequence[Effects]) -> bool:
    """Whether enough runs with the same other effects had it, and enough did not."""
    counts: dict[Effects, Counter[bool]] = defaultdict(Counter)
    for effects in sets:
        counts[effects - {tool}][tool in effects] += 1
    varying = [other for other, met in counts.items() if other and min(met[True], met[False]) >= LEAST_OF_SET]
    with_it = sum(tool in effects for effects in sets)
    return len(varying) >= LEAST_SETS and min(with_it, len(sets) - with_it) >= LEAST_RUNS


def _explained(has_tool: "np.ndarray", similar: Floats) -> "np.ndarray":
    """The share of each column's variance that the other runs explain by kernel ridge regression, each run left out in
    closed form; below 0 where they predict it worse than its mean does."""
    inverse = np.linalg.inv(similar.astype(np.float64) + RIDGE * np.eye(len(has_tool)))
    deviations = has_tool - has_tool.mean(0)
    residuals = inverse @ deviations / np.diag(inverse)[:, None]
    shares: np.ndarray = 1 - (residuals**2).sum(0) / (deviations**2).sum(0)
    return shares
