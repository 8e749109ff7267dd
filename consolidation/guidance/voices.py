"""Voices: who reported a run, when runs vote. What one agent reports shares its mistakes, so its runs are no
independent occasions, and volume must not turn them into experience.

One that reports the most does not outvote several that agree (`voters`); as long as nobody disagrees, who works a lot
votes with all its runs. Where what others found to end well is foretold better without it, it misleads; where the
others only failed, they may have met one that can do better.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import log, sqrt

import numpy as np

from consolidation.guidance.calibration import runs_of_case
from consolidation.guidance.features import Floats
from consolidation.guidance.votes import LEAST, Ballot, Case
from consolidation.models.profiles import RunProfile
from memories.models import Memory
from memories.values.choices import Outcome
from memories.values.speakers import IMPORT, speaker

LONGEST_VOICE = 64
MOST_VOTERS = 100  # what lies farther away changes little and costs the most
NEAR = 0.5  # as near as this share of the nearest run is a run of such a request
LEAST_CASES = 5  # of an agent, to have a word
LEAST_OTHERS, LEAST_OF_OTHERS = 2, 10  # agents, and their runs that ended well
BEYOND_DOUBT = 2.5  # standard errors
FEW = 0.5  # weight of one that ended well, beside those alike
Word = tuple[tuple[str, ...], bool]  # with which effects its runs mostly ended, and whether well


def voice_of(memory: Memory, source: str) -> str:
    """Who reported the run of an episode: an agent; of what was brought in, the source that whoever did so named."""
    identity = memory.created_by_id
    return f"{IMPORT}:{source}"[:LONGEST_VOICE] if speaker(identity) == IMPORT else identity


def voters(nearest: Sequence[int], runs: Sequence[RunProfile], similar: Floats, *, reader: str) -> list[int]:
    """The places of those that vote, in the order of `nearest`. `reader`: who asks, whose own runs all count."""
    near = (runs[n] for n in nearest if similar[n] >= NEAR * similar[nearest[0]])
    limits = _allowed(near, reader)
    counts: Counter[str] = Counter()
    voting = []
    for n in nearest:
        counts[runs[n].voice] += 1
        if counts[runs[n].voice] <= limits.get(runs[n].voice, MOST_VOTERS):
            voting.append(n)
    return voting[:MOST_VOTERS]


def majority_voice(runs: Iterable[RunProfile], most: int) -> str | None:
    """The voice of more than half of a full number of runs; None: nobody did, or there are no more."""
    counts = Counter(run.voice for run in runs)
    voice, count = counts.most_common(1)[0] if counts.total() >= most else ("", 0)
    return voice if count > most / 2 else None


def _allowed(near: Iterable[RunProfile], reader: str) -> dict[str, int]:
    """How many runs of an agent vote that contradicts what more agents found to end well than anything else: as many
    as the busiest of them has."""
    words_of_voice: dict[str, Counter[Word]] = defaultdict(Counter)
    for run in near:
        if run.outcome != Outcome.PARTIAL and run.voice:
            words_of_voice[run.voice][tuple(run.effects), run.outcome == Outcome.SUCCESS] += 1
    words = {
        voice: counts.most_common(1)[0][0] for voice, counts in words_of_voice.items() if counts.total() >= LEAST_CASES
    }
    consensus = _agreed(words.values())
    if consensus is None:
        return {}
    busiest = max(words_of_voice[voice].total() for voice, word in words.items() if word == consensus)
    dissenters = {voice for voice, word in words.items() if word != consensus and (word[1] or word[0] == consensus[0])}
    return dict.fromkeys(dissenters - {reader}, busiest)


def _agreed(words: Iterable[Word]) -> Word | None:
    """The word of at least two agents for a good end, and of more agents than any other such word; else None."""
    ranking = Counter(word for word in words if word[1]).most_common(2)
    if not ranking or ranking[0][1] < 2 or (len(ranking) > 1 and ranking[1][1] == ranking[0][1]):
        return None
    return ranking[0][0]


def loudest_voice(voices: Sequence[str]) -> str:
    """The voice of the most runs, with at least a third of them and not all; '' for none."""
    [(voice, count)] = Counter(voices).most_common(1) or [("", 0)]
    return voice if count < len(voices) <= 3 * count else ""


def misleading(voices: Sequence[str], cases: Sequence[Case], similar: Floats) -> str:
    """The loudest voice, where what several others found to work is foretold better without it; '' for none.

    `voices`: who reported each run; `similar`: the runs among each other.
    """
    loud = loudest_voice(voices)
    of_others = [n for n, voice in enumerate(voices) if voice != loud]
    judged_runs = [n for n in of_others if cases[n].well]
    if not loud or len({voices[n] for n in judged_runs}) < LEAST_OTHERS or len(judged_runs) < LEAST_OF_OTHERS:
        return ""
    gains = _foretold(judged_runs, of_others, cases, similar) - _foretold(
        judged_runs, range(len(cases)), cases, similar
    )
    doubt = float(gains.std()) / sqrt(len(gains))
    return loud if float(gains.mean()) > max(BEYOND_DOUBT * doubt, LEAST) else ""


def _foretold(runs: Sequence[int], known: Sequence[int], cases: Sequence[Case], similar: Floats) -> "np.ndarray":
    """How well the known runs tell that each of these ended well with its changes, its own case left out: the logarithm
    of the share that they give to these, and of the share of those alike with these that ended well."""
    voting = [cases[n] for n in known]
    ballot, of_case = Ballot(voting, similar[np.ix_(known, known)]), runs_of_case(voting)
    well = np.array([case.well for case in voting])
    logs = []
    for n in runs:
        effects, row, without = cases[n].effects, similar[n, known], of_case[cases[n].case]
        share = next(vote.share for vote in ballot.votes(row, without, also=effects) if vote.effects == effects)
        same = np.array([case.effects == effects and case.outcome != "partial" for case in voting])
        same[without] = False
        alike = np.maximum(row, 0) ** 2 * same
        ended_well = (float((alike * well).sum()) + FEW) / (float(alike.sum()) + FEW)
        logs.append(log(max(LEAST, share)) + log(max(LEAST, ended_well)))
    return np.array(logs)
