"""How a run would end, or ended, told by runs like it: its risk, what they called that it did not, and the reverse."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from consolidation.guidance import risk
from consolidation.guidance.calibration import Calibration
from consolidation.guidance.experience import Experience
from consolidation.guidance.grounds import SIMILAR, Surveyor
from consolidation.guidance.kernel import Compared
from consolidation.guidance.votes import Ballot, Effects

Level = Literal["low", "medium", "high", "unknown"]
HIGH, LOW = 0.7, 0.3  # shares of such runs that failed
LEAST_CASES = 5  # similar ones, for a level
SHARE_OF_BEST = 0.55  # of what ended well: what is hardly half as near as the nearest is not like the run
LEAST_AGREEING, MOSTLY, HARDLY = 3, 0.6, 0.1


@dataclass(frozen=True)
class Counted:
    """A tool: `cases` of `of` similar cases that ended well called it."""

    tool: str
    cases: int
    of: int


@dataclass(frozen=True)
class Judged:
    """`risk`: the share of such runs that failed; None: no judged run is known. `missing`: tools that most similar
    cases called which ended well, and this run did not; `unexpected`: the reverse; `cases`: similar ones; `alike`,
    `alike_ill`: those of the nearest that had the same effects, and of these the ones that failed."""

    level: Level = "unknown"
    risk: float | None = None
    missing: Sequence[Counted] = ()
    unexpected: Sequence[Counted] = ()
    cases: int = 0
    alike: int = 0
    alike_ill: int = 0


def judged(experience: Experience, calibration: Calibration, effects: Effects) -> Judged:
    """A run that had these effects, beside the runs that were found for it."""
    like = experience.nearness >= calibration.nearness
    return judge(
        experience.surveyor, experience.ballot, experience.moment, 0, effects, calibration=calibration, like=like
    )


def judge(
    surveyor: Surveyor,
    ballot: Ballot,
    compared: Compared,
    n: int,
    effects: Effects,
    without: Sequence[int] = (),
    *,
    calibration: Calibration,
    like: bool,
) -> Judged:
    """The run in row `n`. `without`: known runs that are taken as unknown; `like`: the scope knows such requests."""
    signs = risk.signs(surveyor, ballot, compared, n, effects, without)
    if signs is None:
        return Judged()
    share = signs.risk(calibration.risk)
    row, kept = compared.whole[n][: len(surveyor.cases)], surveyor.kept(without)
    near, _ = surveyor.near(row, kept & (row >= SIMILAR), risk.NEAR_CASES)
    alike = near[surveyor.with_effects(effects)[near]]
    missing, unexpected = _differing(surveyor, row, kept, effects)
    return Judged(
        level=_level(share) if like and signs.similar >= LEAST_CASES else "unknown",
        risk=share,
        missing=missing,
        unexpected=unexpected,
        cases=signs.similar,
        alike=len(alike),
        alike_ill=int((~surveyor.well[alike]).sum()),
    )


def _level(share: float) -> Level:
    return "high" if share >= HIGH else "low" if share <= LOW else "medium"


def _differing(
    surveyor: Surveyor, row: "np.ndarray", kept: "np.ndarray", effects: Effects
) -> tuple[list[Counted], list[Counted]]:
    """What the run did not call and most similar cases that ended well did, and what it called and hardly any did."""
    well, _ = surveyor.near(row, kept & surveyor.well & (row >= SIMILAR), risk.NEAR_CASES)
    if len(well) >= LEAST_AGREEING:  # one alone may be of the very case
        well = well[row[well] >= SHARE_OF_BEST * row[well[LEAST_AGREEING - 1]]]
    if (of := len(well)) < LEAST_AGREEING:
        return [], []
    called = [surveyor.cases[int(n)].effects for n in well]
    counts = {tool: sum(tool in tools for tools in called) for tool in sorted(effects.union(*called))}
    missing = [Counted(tool, n, of) for tool, n in counts.items() if tool not in effects and n >= MOSTLY * of]
    unexpected = [Counted(tool, n, of) for tool, n in counts.items() if tool in effects and n <= HARDLY * of]
    return sorted(missing, key=lambda one: -one.cases), unexpected
