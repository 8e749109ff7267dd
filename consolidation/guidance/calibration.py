"""How often an answer is right: a logistic curve over what is known when it is given, fitted on the store's own runs.

Each run is asked about with its case left out, and, where its case has other runs, with only itself left out: an
answer that comes from the same case is right more often, and the curve must have seen both.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from consolidation.guidance.features import Floats
from consolidation.guidance.kernel import Compared
from consolidation.guidance.votes import Ballot, Case, Effects, Vote

# Fitted on recorded runs of three domains (airline, retail, telecom; 382 runs, at two moments each): where a store has
# few runs of its own, its curve stays near this one. Intercept, log-odds of the vote, lead of its best run.
PRIOR = (-0.5, 0.8, 4.0)
STRENGTH = 8.0  # of the prior, as the precision of each coefficient
ROUNDS = 30
FAILED_YET_RIGHT = 0.4  # a failed run had the right effects and a wrong argument
FAILED_UNCHANGED_YET_RIGHT = 0.05
OTHERS_RIGHT = 0.35  # an answer other than what failed
NEAREST = 3  # runs whose mean similarity tells whether the store knows such requests at all
OFF_TOPIC = 0.05  # share of the store's own openings that may be called unknown
LEAST_NEARNESS, MOST_NEARNESS = 0.7, 0.9  # off-topic openings reached 0.73 in stores of three domains


Coefficients = tuple[float, float, float]


@dataclass(frozen=True)
class Curve:
    """`nearness`: a question that is less near than this to the known runs is about something else."""

    coefficients: Coefficients = PRIOR
    nearness: float = LEAST_NEARNESS
    answers: int = 0

    def confidence(self, vote: Vote, lead: float) -> float:
        """The share of such answers that were right."""
        return 1 / (1 + math.exp(-sum(w * x for w, x in zip(self.coefficients, _told(vote, lead), strict=True))))


def nearness(words: Floats, meaning: Floats) -> float:
    """How much the store knows of such requests: the best in words, twice, plus the mean of the nearest in meaning,
    which alone says little of a language that the built-in model hardly knows."""
    if not len(words):
        return 0.0
    nearest = np.sort(meaning)[::-1][:NEAREST]
    return 2 * float(np.max(words)) + float(sum(nearest)) / len(nearest)


def fit(ballot: Ballot, moments: Sequence[Compared]) -> tuple[Coefficients, int]:
    """The coefficients, and of how many answers. `moments`: the known runs against themselves, as they stood then."""
    answers = [answer for compared in moments for answer in _answers(ballot, compared)]
    return _logistic(answers) if answers else PRIOR, len(answers)


def _answers(ballot: Ballot, compared: Compared) -> Iterator[tuple[tuple[float, ...], float]]:
    """What was known of each answer, and how right it was."""
    runs: dict[str, list[int]] = defaultdict(list)
    for n, one in enumerate(ballot.cases):
        runs[one.case].append(n)
    for n, one in enumerate(ballot.cases):
        if one.outcome == "partial":
            continue
        blocks = [runs[one.case]] if len(runs[one.case]) == 1 else [runs[one.case], [n]]
        for without in blocks:
            if votes := ballot.votes(compared.whole[n], without):
                right = _right(votes[0].effects, [ballot.cases[m] for m in runs[one.case]])
                lead = ballot.lead(compared.backing[n], compared.words[n], votes[0], without)
                yield _told(votes[0], lead), right


def _right(effects: Effects, case: Sequence[Case]) -> float:
    """1 where a run of the case ended well with these effects, 0 where only others did. Where none ended well, how
    often that was right in recorded runs whose answer is known: leaving such cases out would count only the easy ones.
    """
    if well := {one.effects for one in case if one.well}:
        return float(effects in well)
    if effects in {one.effects for one in case}:
        return FAILED_YET_RIGHT if effects else FAILED_UNCHANGED_YET_RIGHT
    return OTHERS_RIGHT


def _told(vote: Vote, lead: float) -> Coefficients:
    share = min(max(vote.share, 0.02), 0.98)
    return 1.0, math.log(share / (1 - share)), lead


def least_nearness(ballot: Ballot, openings: Compared) -> float:
    """Of the store's own openings nearly all are nearer to the runs of other cases than this."""
    found = []
    numbers = {case: n for n, case in enumerate({one.case for one in ballot.cases})}
    cases = np.array([numbers[one.case] for one in ballot.cases])
    for n, case in enumerate(cases):
        others = np.flatnonzero(cases != case)
        if len(others):
            found.append(nearness(openings.words[n][others], openings.meaning[n][others]))
    return float(np.quantile(found, OFF_TOPIC).clip(LEAST_NEARNESS, MOST_NEARNESS)) if found else LEAST_NEARNESS


def _logistic(answers: Sequence[tuple[tuple[float, ...], float]]) -> Coefficients:
    """Maximum a posteriori with a normal prior around `PRIOR`, by Newton's method."""
    known = np.array([told for told, _ in answers])
    right = np.array([hit for _, hit in answers], np.float64)
    prior = np.array(PRIOR)
    found = prior.copy()
    for _ in range(ROUNDS):
        p = 1 / (1 + np.exp(-known @ found))
        slope = known.T @ (p - right) + STRENGTH * (found - prior)
        curvature = known.T @ (known * (p * (1 - p))[:, None]) + STRENGTH * np.eye(len(prior))
        found = found - np.linalg.solve(curvature, slope)
    intercept, odds, lead = (float(w) for w in found)
    return intercept, odds, lead
