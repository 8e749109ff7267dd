"""The share of runs like a given one that failed: by the votes for the effects that it had, and by those of its like.

A logistic curve, fitted on the store's own runs, each with its case left out and, where that has other runs, with only
itself left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consolidation.guidance import logistic
from consolidation.guidance.calibration import YOUNG, runs_of_case
from consolidation.guidance.grounds import MOST_CASES, SIMILAR, Surveyor
from consolidation.guidance.kernel import Compared
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
class Signs:
    """What is known of a run that has ended. `similar`: distinct judged cases like it; `regressors`: in the order of
    PRIOR."""

    regressors: tuple[float, ...]
    similar: int
    cases: int

    def risk(self, coefficients: Sequence[float] | None) -> float:
        """The share of such runs that failed."""
        return float(logistic.probability(np.array([self.regressors]), coefficients or PRIOR)[0])


def signs(
    surveyor: Surveyor, ballot: Ballot, compared: Compared, n: int, effects: Effects, without: Sequence[int] = ()
) -> Signs | None:
    """Of the run in row `n`, which had these effects. None: no run is known whose end was judged."""
    row, words = compared.whole[n][: len(surveyor.cases)], compared.words[n][: len(surveyor.cases)]
    kept = surveyor.kept(without) & surveyor.judged
    if not kept.any():
        return None
    well, same = surveyor.well & kept, surveyor.with_effects(effects) & kept
    failed = float((kept & ~well).sum() / kept.sum())
    share = next(v.share for v in ballot.votes(compared.whole[n], without, also=effects) if v.effects == effects)
    lead = row[same & well].max(initial=0.0) - words[well & ~same].max(initial=0.0)
    near, weights = surveyor.near(row, kept, NEAR_CASES)
    ill = ~well[near]
    alike = (np.maximum(row[same], 1e-3) / max(float(row[kept].max()), 1e-3)) ** 2
    with_them = (float(alike[~well[same]].sum()) + FEW * failed) / (float(alike.sum()) + FEW)
    cases = surveyor.distinct(kept)
    believed = min(cases, MOST_CASES) / (min(cases, MOST_CASES) + YOUNG)
    shares = (
        logistic.odds(share, LEAST_VOTE),
        float(lead),
        float(row[same & ~well].max(initial=0.0)),
        float(weights[ill].sum()),
        logistic.odds(with_them),
    )
    features_of_case = (1.0, logistic.odds(failed), *(believed * one for one in shares))
    return Signs(features_of_case, surveyor.distinct(kept & (row >= SIMILAR)), cases)


def training_rows(ballot: Ballot, compared: Compared) -> tuple["np.ndarray", "np.ndarray"]:
    """The regressors of each judged run, and 1 where it failed: a row for each way to leave out its case."""
    surveyor, runs = Surveyor(ballot.cases), runs_of_case(ballot.cases)
    rows: list[tuple[float, ...]] = []
    failed: list[float] = []
    for n, neighbour in enumerate(ballot.cases):
        case = runs[neighbour.case]
        ways = [] if neighbour.outcome == "partial" else [case] if len(case) == 1 else [case, [n]]
        for without in ways:
            if features := signs(surveyor, ballot, compared, n, neighbour.effects, without):
                rows.append(features.regressors)
                failed.append(float(not neighbour.well))
    return np.array(rows).reshape(len(rows), len(PRIOR)), np.array(failed)


def fit(ballot: Ballot, compared: Compared) -> list[float]:
    """The coefficients over the known runs, as they stood right before their first change."""
    rows, failed = training_rows(ballot, compared)
    return logistic.fitted(rows, failed, PRIOR, STRENGTH)
