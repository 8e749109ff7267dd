"""The runs of the store that may speak to a question, loaded once: the nearest in meaning, and those of perhaps the
same case."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from consolidation.guidance.features import Features, Floats, unpack
from consolidation.guidance.kernel import Compared, Kernel
from consolidation.guidance.votes import Ballot, Case
from consolidation.models.profiles import RunProfile
from memories.values.trust import Trust

NEAREST, SAME_IDS = 150, 60
VOTERS = 100  # the nearest of them vote; what lies farther away changes little and costs the most
MOST_IDENTIFIERS = 64
LOADED = ("pk", "scope", "thread", "outcome", "effects", "opening", "packed")


@dataclass(frozen=True, eq=False)
class Experience:
    """Runs in the order of their similarity to the question, with how alike they are to it."""

    profiles: Sequence[RunProfile]
    whole: Floats
    words: Floats
    meaning: Floats
    ballot: Ballot

    @cached_property
    def cases(self) -> list[Case]:
        return [case_of(profile) for profile in self.profiles]


def gather(features: Features, identifiers: Sequence[int], trust: Trust) -> Experience | None:
    """None: there is no run that the caller may see."""
    visible = RunProfile.objects.visible_to(trust).only(*LOADED)
    found = {profile.pk: profile for profile in visible.nearest(features.vector, NEAREST)}
    if identifiers:
        found |= {profile.pk: profile for profile in visible.sharing(identifiers[:MOST_IDENTIFIERS], SAME_IDS)}
    if not found:
        return None
    profiles = list(found.values())
    kernel = Kernel([unpack(profile.packed) for profile in profiles], tools_of(profiles))
    asked: Compared = kernel.against([features])
    order = np.argsort(-asked.whole[0], kind="stable")
    voters = order[:VOTERS]
    ballot = Ballot([case_of(profiles[n]) for n in voters], kernel.among([int(n) for n in voters]).whole)
    whole, words, meaning = (part[0][order] for part in (asked.whole, asked.words, asked.meaning))
    return Experience([profiles[n] for n in order], whole, words, meaning, ballot)


def tools_of(profiles: Iterable[RunProfile]) -> set[str]:
    """The tools with which these runs changed something."""
    return {tool for profile in profiles for tool in profile.effects}


def case_of(profile: RunProfile) -> Case:
    return Case(profile.thread, profile.outcome, frozenset(profile.effects))  # type: ignore[arg-type]  # by its choices
