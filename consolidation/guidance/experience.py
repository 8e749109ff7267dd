"""The runs of the store that may speak to a question, loaded once: the nearest in meaning, and those of perhaps the
same case."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import numpy as np

from consolidation.guidance import voices
from consolidation.guidance.calibration import nearness
from consolidation.guidance.features import Features, Floats, unpack
from consolidation.guidance.grounds import Grounds, Surveyor
from consolidation.guidance.kernel import Compared, Kernel
from consolidation.guidance.votes import Ballot, Case, Vote
from consolidation.models.profiles import RunProfile
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
    if loudest := voices.loudest(profiles.values(), NEAREST):
        others = visible.exclude(voice=loudest).nearest(features.vector, NEAREST // 2)
        profiles |= {profile.pk: profile for profile in others}
    if identifiers:
        sharing = visible.sharing(identifiers[:MOST_IDENTIFIERS], trust.scopes_to_read, SAME_IDS)
        profiles |= {profile.pk: profile for profile in sharing}
    if not profiles:
        return None
    return of_profiles(features, list(profiles.values()), opening=opening, reader=trust.actor.identity)


def of_profiles(features: Features, profiles: Sequence[RunProfile], *, opening: bool, reader: str = "") -> Experience:
    """These runs, of which there is at least one, compared with the question. `reader`: who asks it."""
    tools = tools_of(profiles)
    kernel = Kernel([unpack(profile.packed) for profile in profiles], tools, openings=opening)
    before = moment = kernel.against([features])
    if opening:
        kernel = Kernel([unpack(profile.packed_opening) for profile in profiles], tools, openings=True)
        moment = kernel.against([features])
    nearest = [int(n) for n in np.argsort(-moment.whole[0], kind="stable")]
    voters = voices.voters(nearest, profiles, moment.whole[0], reader=reader)
    order = np.array([*voters, *sorted(set(nearest) - set(voters), key=nearest.index)])
    ballot = Ballot([case_of(profiles[n]) for n in voters], kernel.among(voters).whole)
    words, meaning = before.words[0][order], before.meaning[0][order]
    return Experience([profiles[n] for n in order], words, meaning, moment.columns(order), ballot)


def tools_of(profiles: Iterable[RunProfile]) -> set[str]:
    """The tools with which these runs changed something."""
    return {tool for profile in profiles for tool in profile.effects}


def case_of(profile: RunProfile) -> Case:
    return Case(profile.thread, profile.outcome, frozenset(profile.effects))  # type: ignore[arg-type]  # by its choices
