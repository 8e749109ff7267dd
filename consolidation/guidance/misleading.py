"""Whether the agent that reported the most misleads: that others ended well, and how, is foretold better without it.

What one agent reports shares its mistakes, and volume must not turn them into experience. As long as its runs help to
foretell what the others found, or say nothing about it, they all count. Where the others only failed, they may have met
one that can do better.
"""

from collections import Counter
from collections.abc import Sequence
from math import log, sqrt

import numpy as np

from consolidation.guidance.calibration import runs_of_case
from consolidation.guidance.features import Floats
from consolidation.guidance.votes import LEAST, Ballot, Case

LEAST_OTHERS, LEAST_OF_OTHERS = 2, 10  # agents, and their runs that ended well
BEYOND_DOUBT = 2.5  # standard errors
FEW = 0.5  # weight of one that ended well, beside those alike


def loud_voice(voices: Sequence[str]) -> str:
    """Who reported the most, and a third of the runs at least, where others did too; '' for nobody."""
    [(voice, count)] = Counter(voices).most_common(1) or [("", 0)]
    return voice if count < len(voices) <= 3 * count else ""


def misleading(voices: Sequence[str], cases: Sequence[Case], similar: Floats) -> str:
    """The loud voice, where what several others found to work is foretold better without it; '' for none. `voices`: who
    reported each run; `similar`: the runs among each other."""
    loud = loud_voice(voices)
    others = [n for n, voice in enumerate(voices) if voice != loud]
    asked = [n for n in others if cases[n].well]
    if not loud or len({voices[n] for n in asked}) < LEAST_OTHERS or len(asked) < LEAST_OF_OTHERS:
        return ""
    gained = _foretold(asked, others, cases, similar) - _foretold(asked, range(len(cases)), cases, similar)
    doubt = float(gained.std()) / sqrt(len(gained))
    return loud if float(gained.mean()) > max(BEYOND_DOUBT * doubt, LEAST) else ""


def _foretold(asked: Sequence[int], known: Sequence[int], cases: Sequence[Case], similar: Floats) -> "np.ndarray":
    """How well the known runs tell that each of these ended well with its changes, its own case left out: the logarithm
    of the share that they give to these, and of the share of those alike with these that ended well."""
    voting = [cases[n] for n in known]
    ballot, of_case = Ballot(voting, similar[np.ix_(known, known)]), runs_of_case(voting)
    well = np.array([case.well for case in voting])
    told = []
    for n in asked:
        effects, row, without = cases[n].effects, similar[n, known], of_case[cases[n].case]
        share = next(vote.share for vote in ballot.votes(row, without, also=effects) if vote.effects == effects)
        same = np.array([case.effects == effects and case.outcome != "partial" for case in voting])
        same[without] = False
        alike = np.maximum(row, 0) ** 2 * same
        ended_well = (float((alike * well).sum()) + FEW) / (float(alike.sum()) + FEW)
        told.append(log(max(LEAST, share)) + log(max(LEAST, ended_well)))
    return np.array(told)
