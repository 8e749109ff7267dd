"""The runs of the store that may speak to a question, loaded once, and which of them vote.

One agent that reports the most does not outvote several that agree: what an agent reports shares its mistakes, so its
runs are no independent occasions. As long as nobody disagrees, who works a lot votes with all its runs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import numpy as np

from consolidation.guidance.calibration import nearness
from consolidation.guidance.features import Features, Floats, unpack
from consolidation.guidance.grounds import Grounds, Surveyor
from consolidation.guidance.kernel import Compared, Kernel
from consolidation.guidance.votes import Ballot, Case, Vote
from consolidation.learning.runs.harness_tools import effect_name
from consolidation.models.profiles import GuidanceCurve, RunProfile
from memories.values.choices import Outcome
from memories.values.trust import Trust

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


NEAREST, SAME_IDS = 150, 60
MOST_IDENTIFIERS = 64
LOADED = ("pk", "scope", "thread", "voice", "outcome", "at", "effects", "opening", "packed", "packed_opening")


@dataclass(frozen=True, eq=False)
class Experience:
    """Runs, those that vote first, each in the order of their similarity to the question, with how alike they are to
    it: `words` and `meaning` as they stood before their first change, `moment` (a single row) as they stood when as
    much was known of them.
    """

    profiles: Sequence[RunProfile]
    words: Floats
    meaning: Floats
    moment: Compared
    ballot: Ballot

    @cached_property
    def cases(self) -> list[Case]:
        return [case_of(profile) for profile in self.profiles]

    @cached_property
    def whole(self) -> Floats:
        """The similarity that votes."""
        whole: Floats = self.moment.whole[0]
        return whole

    @cached_property
    def nearness(self) -> float:
        """How much is known of such requests at all."""
        return nearness(self.words, self.meaning)

    @cached_property
    def votes(self) -> list[Vote]:
        """The most probable set of effects first."""
        return self.ballot.votes(self.whole)

    @cached_property
    def surveyor(self) -> Surveyor:
        return Surveyor(self.ballot.cases)

    @cached_property
    def grounds(self) -> Grounds:
        """Of the first vote."""
        return self.surveyor.grounds(self.ballot, self.moment, 0)


def gather(
    features: Features, identifiers: Sequence[int], trust: Trust, *, opening: bool, but: UUID | None
) -> Experience | None:
    """None: there is no run that the caller may see. `opening`: nothing is known but what the user said first; `but`: a
    run that does not count."""
    visible = RunProfile.objects.visible_to(trust).only(*LOADED)
    visible = visible.exclude(pk=but) if but else visible
    profiles = {profile.pk: profile for profile in visible.nearest(features.vector, NEAREST)}
    if loud := loudest(profiles.values(), NEAREST):
        others = visible.exclude(voice=loud).nearest(features.vector, NEAREST // 2)
        profiles |= {profile.pk: profile for profile in others}
    if identifiers:
        sharing = visible.sharing(identifiers[:MOST_IDENTIFIERS], trust.scopes_to_read, SAME_IDS)
        profiles |= {profile.pk: profile for profile in sharing}
    left_out = _left_out(profiles.values(), trust)
    profiles = {pk: profile for pk, profile in profiles.items() if (profile.scope, profile.voice) not in left_out}
    if not profiles:
        return None
    return of_profiles(features, list(profiles.values()), opening=opening, reader=trust.actor.identity)


def _left_out(profiles: Iterable[RunProfile], trust: Trust) -> set[tuple[str, str]]:
    """The scopes and agents whose runs mislead there (`misleading.py`); the reader's own always count for it."""
    scopes = defaultdict(set)
    for profile in profiles:
        scopes[profile.scope].add(profile.voice)
    mixed = [scope for scope, voices in scopes.items() if len(voices) > 1]
    if not mixed:
        return set()
    curves = GuidanceCurve.objects.filter(scope__in=mixed, sensitivity__lte=trust.max_sensitivity)
    told = curves.values_list("scope", "fitted__left_out")
    return {(scope, voice) for scope, voices in told for voice in voices or () if voice != trust.actor.identity}


def of_profiles(features: Features, profiles: Sequence[RunProfile], *, opening: bool, reader: str = "") -> Experience:
    """These runs, of which there is at least one, compared with the question. `reader`: who asks it."""
    tools = tools_of(profiles)
    kernel = Kernel([unpack(profile.packed) for profile in profiles], tools, openings=opening)
    before = moment = kernel.against([features])
    if opening:
        kernel = Kernel([unpack(profile.packed_opening) for profile in profiles], tools, openings=True)
        moment = kernel.against([features])
    nearest = [int(n) for n in np.argsort(-moment.whole[0], kind="stable")]
    voting = voters(nearest, profiles, moment.whole[0], reader=reader)
    order = np.array([*voting, *sorted(set(nearest) - set(voting), key=nearest.index)])
    ballot = Ballot([case_of(profiles[n]) for n in voting], kernel.among(voting).whole)
    words, meaning = before.words[0][order], before.meaning[0][order]
    return Experience([profiles[n] for n in order], words, meaning, moment.columns(order), ballot)


def tools_of(profiles: Iterable[RunProfile]) -> set[str]:
    """The tools with which these runs changed something."""
    return {effect_name(tool) for profile in profiles for tool in profile.effects}


def case_of(profile: RunProfile) -> Case:
    return Case(profile.thread, profile.outcome, frozenset(map(effect_name, profile.effects)))  # type: ignore[arg-type]  # by its choices
