"""How often an answer is right: a logistic curve over what is known when it is given, fitted on the store's own runs.

Each run is asked about with its case left out, and, where its case has other runs, with only itself left out: an
answer that comes from the same case is right more often, and the curve must have seen both. Moments have curves of
their own: what a user says first, a run under way, and right before the first change.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from consolidation.guidance import logistic
from consolidation.guidance.features import Floats
from consolidation.guidance.grounds import Grounds, Surveyor
from consolidation.guidance.kernel import Similarities
from consolidation.guidance.votes import Ballot, Case, Effects

Moment = Literal["opening", "under_way", "before_write"]
# Fitted on recorded runs of six corpora (`tests/benchmarks/learned.py --priors`): where a store has few runs of its own
# its curve stays near this one. Intercept, log-odds of the vote, lead of its best run, share of unsolved cases.
PRIORS: Mapping[Moment, tuple[float, ...]] = {
    "opening": (0.4, 0.55, 1.9, -1.3),
    "under_way": (0.4, 1.1, 2.1, -1.1),
    "before_write": (0.25, 0.85, 2.45, -0.4),
}
STRENGTH = 20.0  # of the prior, as the precision of each coefficient
YOUNG = 10  # cases: of a scope with so many half of what speaks for or against an answer is believed
FAILED_YET_RIGHT = 0.4  # a failed run had the right effects and a wrong argument
FAILED_UNCHANGED_YET_RIGHT = 0.05
OTHERS_RIGHT = 0.35  # an answer other than what failed
NEAREST = 3  # runs whose mean similarity tells whether the store knows such requests at all
OFF_TOPIC = 0.05  # share of the store's own openings that may be called unknown
LEAST_NEARNESS, MOST_NEARNESS = 0.7, 0.9  # off-topic openings reached 0.73 in stores of three domains

# Thresholds. `FAMILIAR_RIGHT`: of answers that a nearly identical run backs so many were right in recorded runs from
# the lowest confidence on; of others about a tenth more than the confidence says at least.
LOWEST, HIGHEST, STEP = 0.5, 0.96, 0.02
FAMILIAR_RIGHT, ABOVE = 0.87, 0.1
EXPECTED_ANSWERS = 5  # weight of that expectation, in answers
NEVER = 1.01


@dataclass(frozen=True)
class Curve:
    """Of one moment. `familiar`, `other`: the confidence from which on an answer is given, where a nearly identical run
    backs it and where none does."""

    coefficients: tuple[float, ...]
    familiar: float = LOWEST
    other: float = 0.76

    def confidence(self, grounds: Grounds) -> float:
        """The share of such answers that were right; by the rule of succession never above what so few cases can
        show."""
        share = float(logistic.probability(np.array([regressors(grounds)]), self.coefficients)[0])
        return min(share, (grounds.similar + 1) / (grounds.similar + 2))

    def threshold(self, grounds: Grounds) -> float:
        return self.familiar if grounds.is_familiar else self.other


@dataclass(frozen=True)
class Calibration:
    """Of one scope up to one level. `nearness`: a question that is less near than this to the known runs is about
    something else; `risk`: the coefficients of verdicts, None: the prior's."""

    curves: Mapping[str, Curve] = field(default_factory=lambda: {m: Curve(prior) for m, prior in PRIORS.items()})
    nearness: float = LEAST_NEARNESS
    risk: Sequence[float] | None = None


def nearness(words: Floats, meaning: Floats) -> float:
    """How much the store knows of such requests: the best in words, twice, plus the mean of the nearest in meaning,
    which alone says little of a language that the built-in model hardly knows."""
    if not len(words):
        return 0.0
    nearest = np.sort(meaning)[::-1][:NEAREST]
    return 2 * float(np.max(words)) + float(sum(nearest)) / len(nearest)


@dataclass(frozen=True)
class GradedAnswer:
    """One answer about the known run `run`. `right`: how right it was; `is_repeated`: its case had another run."""

    run: int
    grounds: Grounds
    right: float
    is_repeated: bool


def answered(ballot: Ballot, similarities: Similarities) -> list[GradedAnswer]:
    """Ask about each known run without its case, and grade the answers. `similarities`: of these runs to each other."""
    surveyor, runs, answers = Surveyor(ballot.cases), runs_of_case(ballot.cases), []
    for n, neighbour in enumerate(ballot.cases):
        if neighbour.outcome == "partial":
            continue
        case = runs[neighbour.case]
        for without in [case] if len(case) == 1 else [case, [n]]:
            grounds = surveyor.grounds(ballot, similarities, n, without)
            if grounds.cases:
                right = _right(grounds.vote.effects, [ballot.cases[m] for m in case])
                answers.append(GradedAnswer(n, grounds, right, len(without) < len(case)))
    return answers


def runs_of_case(cases: Sequence[Case]) -> dict[str, list[int]]:
    """Case -> the places of its runs."""
    runs: dict[str, list[int]] = defaultdict(list)
    for n, neighbour in enumerate(cases):
        runs[neighbour.case].append(n)
    return runs


def fit(moment: Moment, answers: Sequence[GradedAnswer], precision: float) -> Curve:
    """The curve of a moment, and from where on at least `precision` of its answers are right."""
    features = np.array([regressors(answer.grounds) for answer in answers]).reshape(len(answers), len(PRIORS[moment]))
    right = np.array([answer.right for answer in answers])
    curve = Curve(tuple(logistic.fitted(features, right, PRIORS[moment], STRENGTH)))
    sure = np.array([curve.confidence(answer.grounds) for answer in answers])
    familiar = np.array([answer.grounds.is_familiar for answer in answers], bool)
    # That the words of two openings agree says less than it does later: there only a case that came again shows what an
    # answer out of the same case is worth.
    shown = familiar & (moment == "opening" or np.array([answer.is_repeated for answer in answers], bool))
    return Curve(
        curve.coefficients,
        _threshold(sure[shown], right[shown], precision, FAMILIAR_RIGHT),
        _threshold(sure[~familiar], right[~familiar], precision, 0.0),
    )


def _threshold(sure: "np.ndarray", right: "np.ndarray", precision: float, prior_share: float) -> float:
    """The lowest confidence from which on enough answers are right, EXPECTED_ANSWERS assumed ones among them."""
    for threshold in np.arange(LOWEST, HIGHEST, STEP):
        answers = right[sure >= threshold]
        prior = min(max(threshold + ABOVE, prior_share), 0.95)
        if answers.sum() + EXPECTED_ANSWERS * prior >= precision * (len(answers) + EXPECTED_ANSWERS):
            return round(float(threshold), 2)
    return NEVER


def _right(effects: Effects, case: Sequence[Case]) -> float:
    """1 where a run of the case ended well with these effects, 0 where only others did. Where none ended well, how
    often that was right in recorded runs whose answer is known: leaving such cases out would count only the easy ones.
    """
    if well := {run.effects for run in case if run.well}:
        return float(effects in well)
    if effects in {run.effects for run in case}:
        return FAILED_YET_RIGHT if effects else FAILED_UNCHANGED_YET_RIGHT
    return OTHERS_RIGHT


def regressors(grounds: Grounds) -> list[float]:
    """What the curve weighs of an answer, in the order of the coefficients in PRIORS."""
    trust_in_cases = grounds.cases / (grounds.cases + YOUNG)
    return [
        1.0,
        *(trust_in_cases * ground for ground in (logistic.odds(grounds.vote.share), grounds.lead, grounds.unsolved)),
    ]


def least_nearness(cases: Sequence[Case], openings: Similarities) -> float:
    """A threshold: nearly all openings of the store are nearer than this to the runs of other cases."""
    nearnesses = []
    numbers = {case: n for n, case in enumerate({run.case for run in cases})}
    of = np.array([numbers[run.case] for run in cases])
    for n, case in enumerate(of):
        other_runs = np.flatnonzero(of != case)
        if len(other_runs):
            nearnesses.append(nearness(openings.words[n][other_runs], openings.meaning[n][other_runs]))
    return (
        float(np.quantile(nearnesses, OFF_TOPIC).clip(LEAST_NEARNESS, MOST_NEARNESS)) if nearnesses else LEAST_NEARNESS
    )


def as_json(calibration: Calibration) -> dict[str, Any]:
    """A calibration as plain JSON values, without its nearness, which has a column of its own."""
    curves = {
        moment: {"coefficients": list(curve.coefficients), "familiar": curve.familiar, "other": curve.other}
        for moment, curve in calibration.curves.items()
    }
    return {"curves": curves, "risk": calibration.risk}


def from_json(values: Mapping[str, Any], nearness: float) -> Calibration:
    """A calibration from the values of `as_json`; a curve that was never measured is that of PRIORS."""
    curves = dict(Calibration().curves)
    for moment, curve_values in values.get("curves", {}).items():
        curves[moment] = Curve(tuple(curve_values["coefficients"]), curve_values["familiar"], curve_values["other"])
    return Calibration(curves, nearness, values.get("risk"))
