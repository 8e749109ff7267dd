"""Whether a skill helps, by an anytime-valid test: it may be looked at after every run, and stops by itself.

Each run is drawn by a known lot: it gets the skill, or does without. Whoever bets on it before its run ends,
`1 + bet * (drawn - expected) * (ended - guess)`, wins nothing in the long run while the lot makes no difference,
whatever share of runs ends well and however that share drifts. The stake of such a bettor is a test martingale (an
e-process); Ville's inequality bounds the chance that it ever grows LEVEL-fold by 1 / LEVEL. Mixtures over some sizes of
bets spare us knowing the effect (Waudby-Smith and Ramdas 2024, Estimating means by betting; Grünwald, de Heide and
Koolen 2024, Safe testing).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Answer = Literal["helps", "hurts", "no_effect", "unknown"]
LEVEL = 200.0  # of each side: of 100 series without effect one is told to help or to hurt
LEVEL_SMALL = 20.0  # for "no effect worth WORTH"
WORTH = 0.05
BETS = (0.05, 0.1, 0.2, 0.3, 0.45, 0.65, 0.9)
SMALL_BETS = (0.02, 0.035, 0.05, 0.07, 0.1)
LEAST_RUNS = 60  # before which nothing is said of how many more are needed, but by SUPPOSED
SUPPOSED = 0.2  # an effect
MOST_MORE = 20_000
Floats = NDArray[np.float64]


class Trial(NamedTuple):
    """One run that ended. `share`: with which probability it was to do without."""

    withheld: bool
    well: bool
    share: float


@dataclass(frozen=True)
class EffectAnswer:
    """`runs`: after how many the answer was known, else how many there are; `more`: about how many are still needed,
    None where it is known or cannot be told."""

    answer: Answer
    runs: int
    more: int | None = None

    @property
    def is_known(self) -> bool:
        return self.answer != "unknown"


def answer_of(trials: Iterable[Trial]) -> EffectAnswer:
    """The first answer that the runs give in this order. Runs not drawn by lot (share 0 or 1) do not count."""
    drawn = [trial for trial in trials if 0 < trial.share < 1]
    if not drawn:
        return EffectAnswer("unknown", 0, _supposed(0))
    signs, ended_well = _signs(drawn), np.array([trial.well for trial in drawn], float)
    before = np.cumsum(ended_well) - ended_well
    guess = (before + 1) / (np.arange(len(drawn)) + 2)
    won, least = signs * (ended_well - guess), np.array([min(trial.share, 1 - trial.share) for trial in drawn])
    growth = {"helps": _grown(won, BETS), "hurts": _grown(-won, BETS)}
    effect = won * np.array([max(trial.share, 1 - trial.share) / (trial.share * (1 - trial.share)) for trial in drawn])
    scale = 2 * least
    growth["no_effect"] = np.minimum(*(_grown((WORTH - side * effect) * scale, SMALL_BETS) for side in (1, -1)))
    levels = {"helps": LEVEL, "hurts": LEVEL, "no_effect": LEVEL_SMALL}
    firsts = {name: _first(logs, math.log(levels[name])) for name, logs in growth.items()}
    decisive: list[tuple[int, Answer]] = [(n, name) for name, n in firsts.items() if n]  # type: ignore[misc]
    if decisive:
        runs, answer = min(decisive)
        return EffectAnswer(answer, runs)
    last = {name: float(logs[-1]) for name, logs in growth.items()}
    return EffectAnswer(
        "unknown", len(drawn), _more(float(np.mean(effect)), float(np.mean(ended_well)), last, len(drawn))
    )


def _signs(trials: Sequence[Trial]) -> Floats:
    """Of each run the draw less its expectation, as a share of the largest such difference: positive where it got the
    skill, negative where it did without."""
    return np.array(
        [((not trial.withheld) - (1 - trial.share)) / max(trial.share, 1 - trial.share) for trial in trials],
        dtype=float,
    )


def _grown(won: Floats, bets: Sequence[float]) -> Floats:
    """The logarithm of the mean stake of bettors with these sizes of bets, after each run."""
    stakes = np.array([np.cumsum(np.log1p(bet * won)) for bet in bets])
    mixture: Floats = np.logaddexp.reduce(stakes, axis=0) - math.log(len(bets))
    return mixture


def _first(logs: Floats, level: float) -> int:
    """After how many runs the level is reached first; 0: never."""
    positions = np.flatnonzero(logs >= level)
    return int(positions[0]) + 1 if len(positions) else 0


def _more(effect: float, well: float, last: dict[str, float], runs: int) -> int | None:
    """About how many more runs are needed if what was seen goes on: by the growth of the stakes per run."""
    if runs < LEAST_RUNS:
        return _supposed(runs)
    spread = max(well * (1 - well), 0.01)
    side = "helps" if effect > 0 else "hurts"
    clear = _needed(math.log(LEVEL) - last[side], effect**2 / (8 * spread))
    distance = WORTH - abs(effect)
    small = _needed(math.log(LEVEL_SMALL) - last["no_effect"], distance**2 / (8 * spread)) if distance > 0 else None
    return min((n for n in (clear, small) if n is not None), default=None)


def _supposed(runs: int) -> int:
    """About how many more runs an effect of SUPPOSED needs, while too few runs show the real one."""
    return max(10, 10 * round((math.log(LEVEL) / (SUPPOSED**2 / 2) - runs) / 10))


def _needed(missing: float, growth: float) -> int | None:
    n = missing / growth if growth > 0 else math.inf
    return None if n > MOST_MORE else max(10, 10 * round(n / 10))
