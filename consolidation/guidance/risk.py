"""How a run would end, or ended, told by runs like it: its risk, what they called that it did not, and the reverse.

The risk is the share of runs like it that failed: by the votes for the effects that it had, and by those of its like. A
logistic curve, fitted on the store's own runs, each with its case left out and, where that has other runs, with only
itself left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from consolidation.guidance import logistic
from consolidation.guidance.calibration import YOUNG, Calibration, runs_of_case
from consolidation.guidance.experience import Experience
from consolidation.guidance.grounds import MOST_CASES, SIMILAR, Surveyor
from consolidation.guidance.kernel import Similarities
from consolidation.guidance.votes import Ballot, Effects

# Fitted on recorded runs of six corpora (`tests/benchmarks/learned.py --priors`). Intercept, log-odds of the share of
# all runs that failed, log-odds of the vote for the effects, how far the nearest run that ended well with them is ahead
# of others that did, similarity of the nearest that failed with them, shares of the nearest cases that failed, and of
# those with the same effects that did.
PRIOR = (-0.7, 0.3, -0.2, -0.6, 1.05, 1.0, 0.5)
STRENGTH = 8.0
NEAR_CASES = 10
LEAST_VOTE = 0.005
FEW = 1.0  # weight of the scope's share beside the cases with the same effects


@dataclass(frozen=True)
class ComparedRun:
    """A run in row `n` of `similarities`, with its effects, beside the known runs. `without`: of these, the positions
    that are taken as unknown."""

    surveyor: Surveyor
    ballot: Ballot
    similarities: Similarities
    n: int
    effects: Effects
    without: Sequence[int] = ()


@dataclass(frozen=True)
class Signs:
    """What is known of a run that has ended. `similar`: distinct judged cases like it; `regressors`: in the order of
    PRIOR."""

    regressors: tuple[float, ...]
    similar: int
    cases: int

    def risk(self, coefficients: Sequence[float] | None) -> float:
        """The share of such runs that failed."""
        return float(logistic.probability(np.array([self.regressors]), coefficients or PRIOR)[0])


def signs(run: ComparedRun) -> Signs | None:
    """What is known of a run. None: no run is known whose end was judged."""
    surveyor, similarities, n, effects = run.surveyor, run.similarities, run.n, run.effects
    row, words = similarities.overall[n][: len(surveyor.cases)], similarities.words[n][: len(surveyor.cases)]
    mask = surveyor.kept(run.without) & surveyor.judged
    if not mask.any():
        return None
    well, same = surveyor.well & mask, surveyor.with_effects(effects) & mask
    failed_share = float((mask & ~well).sum() / mask.sum())
    votes = run.ballot.votes(similarities.overall[n], run.without, also=effects)
    share = next(vote.share for vote in votes if vote.effects == effects)
    lead = row[same & well].max(initial=0.0) - words[well & ~same].max(initial=0.0)
    near, weights = surveyor.near(row, mask, NEAR_CASES)
    ill = ~well[near]
    alike = (np.maximum(row[same], 1e-3) / max(float(row[mask].max()), 1e-3)) ** 2
    with_them = (float(alike[~well[same]].sum()) + FEW * failed_share) / (float(alike.sum()) + FEW)
    cases = surveyor.distinct(mask)
    trust_in_cases = min(cases, MOST_CASES) / (min(cases, MOST_CASES) + YOUNG)
    shares = (
        logistic.odds(share, LEAST_VOTE),
        float(lead),
        float(row[same & ~well].max(initial=0.0)),
        float(weights[ill].sum()),
        logistic.odds(with_them),
    )
    features_of_case = (1.0, logistic.odds(failed_share), *(trust_in_cases * regressor for regressor in shares))
    return Signs(features_of_case, surveyor.distinct(mask & (row >= SIMILAR)), cases)


def training_rows(ballot: Ballot, similarities: Similarities) -> tuple["np.ndarray", "np.ndarray"]:
    """The regressors of each judged run, and 1 where it failed: a row for each way to leave out its case."""
    surveyor, runs = Surveyor(ballot.cases), runs_of_case(ballot.cases)
    rows: list[tuple[float, ...]] = []
    is_failure: list[float] = []
    for n, neighbour in enumerate(ballot.cases):
        case = runs[neighbour.case]
        ways = [] if neighbour.outcome == "partial" else [case] if len(case) == 1 else [case, [n]]
        for without in ways:
            if features := signs(ComparedRun(surveyor, ballot, similarities, n, neighbour.effects, without)):
                rows.append(features.regressors)
                is_failure.append(float(not neighbour.well))
    return np.array(rows).reshape(len(rows), len(PRIOR)), np.array(is_failure)


def fit(ballot: Ballot, similarities: Similarities) -> list[float]:
    """The coefficients over the known runs, as they stood right before their first change."""
    rows, is_failure = training_rows(ballot, similarities)
    return logistic.fitted(rows, is_failure, PRIOR, STRENGTH)


Level = Literal["low", "medium", "high", "unknown"]
HIGH, LOW = 0.7, 0.3  # shares of such runs that failed
LEAST_CASES = 5  # similar ones, for a level
SHARE_OF_BEST = 0.55  # of what ended well: what is hardly half as near as the nearest is not like the run
LEAST_AGREEING, MOSTLY, HARDLY = 3, 0.6, 0.1


@dataclass(frozen=True)
class ToolCount:
    """A tool: `cases` of `of` similar cases that ended well called it."""

    tool: str
    cases: int
    of: int


@dataclass(frozen=True)
class RiskVerdict:
    """`risk`: the share of such runs that failed; None: no judged run is known. `missing`: tools that most similar
    cases called which ended well, and this run did not; `unexpected`: the reverse; `cases`: similar ones; `alike`,
    `alike_ill`: those of the nearest that had the same effects, and of these the ones that failed."""

    level: Level = "unknown"
    risk: float | None = None
    missing: Sequence[ToolCount] = ()
    unexpected: Sequence[ToolCount] = ()
    cases: int = 0
    alike: int = 0
    alike_ill: int = 0


def judged(experience: Experience, calibration: Calibration, effects: Effects) -> RiskVerdict:
    """The verdict on a run with these effects, by the similar runs in `experience`."""
    like = experience.nearness >= calibration.nearness
    run = ComparedRun(experience.surveyor, experience.ballot, experience.moment, 0, effects)
    return judge(run, calibration=calibration, like=like)


def judge(run: ComparedRun, *, calibration: Calibration, like: bool) -> RiskVerdict:
    """The verdict on a run, by its effects that are not optional. `like`: the scope knows such requests."""
    surveyor, effects = run.surveyor, run.effects - run.ballot.optional
    shown = signs(replace(run, effects=effects))
    if shown is None:
        return RiskVerdict()
    share = shown.risk(calibration.risk)
    row, mask = run.similarities.overall[run.n][: len(surveyor.cases)], surveyor.kept(run.without)
    near, _ = surveyor.near(row, mask & (row >= SIMILAR), NEAR_CASES)
    alike = near[surveyor.with_effects(effects)[near]]
    missing, unexpected = _differing(surveyor, row, mask, effects)
    return RiskVerdict(
        level=_level(share) if like and shown.similar >= LEAST_CASES else "unknown",
        risk=share,
        missing=missing,
        unexpected=unexpected,
        cases=shown.similar,
        alike=len(alike),
        alike_ill=int((~surveyor.well[alike]).sum()),
    )


def _level(share: float) -> Level:
    return "high" if share >= HIGH else "low" if share <= LOW else "medium"


def _differing(
    surveyor: Surveyor, row: "np.ndarray", mask: "np.ndarray", effects: Effects
) -> tuple[list[ToolCount], list[ToolCount]]:
    """The tools that most similar cases with a good end called and the run did not, and those that only it called."""
    well, _ = surveyor.near(row, mask & surveyor.well & (row >= SIMILAR), NEAR_CASES)
    if len(well) >= LEAST_AGREEING:  # one alone may be of the very case
        well = well[row[well] >= SHARE_OF_BEST * row[well[LEAST_AGREEING - 1]]]
    if (of := len(well)) < LEAST_AGREEING:
        return [], []
    effect_sets = [surveyor.cases[int(n)].effects for n in well]
    counts = {tool: sum(tool in tools for tools in effect_sets) for tool in sorted(effects.union(*effect_sets))}
    missing_tools = [ToolCount(tool, n, of) for tool, n in counts.items() if tool not in effects and n >= MOSTLY * of]
    unexpected_tools = [ToolCount(tool, n, of) for tool, n in counts.items() if tool in effects and n <= HARDLY * of]
    return sorted(missing_tools, key=lambda count: -count.cases), unexpected_tools
