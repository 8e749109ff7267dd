"""Which of the nearest runs vote: one agent that reports the most does not outvote several that agree. Pure.

What an agent reports shares its mistakes, so its runs are no independent occasions. As long as nobody disagrees that
does not matter: who works a lot votes with all its runs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from consolidation.guidance.features import Floats
from consolidation.models.profiles import RunProfile
from memories.values.choices import Outcome

MOST_VOTERS = 100  # what lies farther away changes little and costs the most
NEAR = 0.5  # as near as this share of the nearest run is a run of such a request
LEAST_CASES = 5  # of an agent, to have a word
Word = tuple[tuple[str, ...], bool]  # with which effects its runs mostly ended, and whether well


def voters(nearest: Sequence[int], runs: Sequence[RunProfile], similar: Floats, *, reader: str) -> list[int]:
    """The places of those that vote, in the order of `nearest`. `reader`: who asks, whose own runs all count."""
    near = (runs[n] for n in nearest if similar[n] >= NEAR * similar[nearest[0]])
    allowed = _allowed(near, reader)
    taken: Counter[str] = Counter()
    kept = []
    for n in nearest:
        taken[runs[n].voice] += 1
        if taken[runs[n].voice] <= allowed.get(runs[n].voice, MOST_VOTERS):
            kept.append(n)
    return kept[:MOST_VOTERS]


def loudest(runs: Iterable[RunProfile], most: int) -> str | None:
    """Who reported more than half of a full number of runs; None: nobody did, or there are no more."""
    counted = Counter(run.voice for run in runs)
    voice, count = counted.most_common(1)[0] if counted.total() >= most else ("", 0)
    return voice if count > most / 2 else None


def _allowed(near: Iterable[RunProfile], reader: str) -> dict[str, int]:
    """How many runs of an agent vote that contradicts what more agents found to end well than anything else: as many
    as the busiest of them has."""
    reported: dict[str, Counter[Word]] = defaultdict(Counter)
    for run in near:
        if run.outcome != Outcome.PARTIAL and run.voice:
            reported[run.voice][tuple(run.effects), run.outcome == Outcome.SUCCESS] += 1
    words = {voice: counts.most_common(1)[0][0] for voice, counts in reported.items() if counts.total() >= LEAST_CASES}
    agreed = _agreed(words.values())
    if agreed is None:
        return {}
    busiest = max(reported[voice].total() for voice, word in words.items() if word == agreed)
    others = {voice for voice, word in words.items() if word != agreed and (word[1] or word[0] == agreed[0])}
    return dict.fromkeys(others - {reader}, busiest)


def _agreed(words: Iterable[Word]) -> Word | None:
    """How it ended well for at least two agents, and for more than in any other way."""
    ranked = Counter(word for word in words if word[1]).most_common(2)
    if not ranked or ranked[0][1] < 2 or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
        return None
    return ranked[0][0]
