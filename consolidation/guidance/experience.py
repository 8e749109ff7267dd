"""The runs of the store that may speak to a question, loaded once, those that vote first."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import numpy as np

from consolidation.guidance.calibration import nearness
from consolidation.guidance.features import Features, Floats, unpack
from consolidation.guidance.grounds import Grounds, Surveyor
from consolidation.guidance.kernel import Kernel, Similarities
from consolidation.guidance.optional_effects import ballot_of
from consolidation.guidance.voices import majority_voice, voters
from consolidation.guidance.votes import Ballot, Case, Vote
from consolidation.learning.runs.harness_tools import effect_name
from consolidation.models.profiles import GuidanceCurve, RunProfile
from memories.values.trust import Trust

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
    moment: Similarities
    ballot: Ballot

    @cached_property
    def cases(self) -> list[Case]:
        return [case_of(profile) for profile in self.profiles]

    @cached_property
    def similarity(self) -> Floats:
        """Of each run to the question; by it the runs vote."""
        similarity: Floats = self.moment.overall[0]
        return similarity

    @cached_property
    def nearness(self) -> float:
        """How near the known runs are to such a request (`calibration.nearness`)."""
        return nearness(self.words, self.meaning)

    @cached_property
    def votes(self) -> list[Vote]:
        """The most probable set of effects first."""
        return self.ballot.votes(self.similarity)

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
    if loud := majority_voice(profiles.values(), NEAREST):
        other_runs = visible.exclude(voice=loud).nearest(features.vector, NEAREST // 2)
        profiles |= {profile.pk: profile for profile in other_runs}
    if identifiers:
        runs_with_ids = visible.sharing(identifiers[:MOST_IDENTIFIERS], trust.scopes_to_read, SAME_IDS)
        profiles |= {profile.pk: profile for profile in runs_with_ids}
    left_out = _left_out(profiles.values(), trust)
    profiles = {pk: profile for pk, profile in profiles.items() if (profile.scope, profile.voice) not in left_out}
    if not profiles:
        return None
    return of_profiles(features, list(profiles.values()), opening=opening, reader=trust.actor.identity)


def _left_out(profiles: Iterable[RunProfile], trust: Trust) -> set[tuple[str, str]]:
    """The scopes and agents whose runs mislead there (`voices.py`); the reader's own always count for it."""
    scopes = defaultdict(set)
    for profile in profiles:
        scopes[profile.scope].add(profile.voice)
    shared_scopes = [scope for scope, voices in scopes.items() if len(voices) > 1]
    if not shared_scopes:
        return set()
    curves = GuidanceCurve.objects.filter(scope__in=shared_scopes, sensitivity__lte=trust.max_sensitivity)
    rows = curves.values_list("scope", "fitted__left_out")
    return {(scope, voice) for scope, voices in rows for voice in voices or () if voice != trust.actor.identity}


def of_profiles(features: Features, profiles: Sequence[RunProfile], *, opening: bool, reader: str = "") -> Experience:
    """These runs, of which there is at least one, compared with the question. `reader`: who asks it."""
    tools = tools_of(profiles)
    kernel = Kernel([unpack(profile.packed) for profile in profiles], tools, openings=opening)
    before = moment = kernel.against([features])
    if opening:
        kernel = Kernel([unpack(profile.packed_opening) for profile in profiles], tools, openings=True)
        moment = kernel.against([features])
    nearest = [int(n) for n in np.argsort(-moment.overall[0], kind="stable")]
    voting = voters(nearest, profiles, moment.overall[0], reader=reader)
    order = np.array([*voting, *sorted(set(nearest) - set(voting), key=nearest.index)])
    ballot = ballot_of([case_of(profiles[n]) for n in voting], kernel.among(voting).overall)
    words, meaning = before.words[0][order], before.meaning[0][order]
    return Experience([profiles[n] for n in order], words, meaning, moment.columns(order), ballot)


def tools_of(profiles: Iterable[RunProfile]) -> set[str]:
    """The tools with which these runs changed something."""
    return {effect_name(tool) for profile in profiles for tool in profile.effects}


def case_of(profile: RunProfile) -> Case:
    return Case(profile.thread, profile.outcome, frozenset(map(effect_name, profile.effects)))  # type: ignore[arg-type]  # by its choices
