"""The votes of similar runs for the skills that do what these did."""

from collections.abc import Mapping
from uuid import UUID

from consolidation.guidance import features
from consolidation.guidance.experience import Experience, gather
from consolidation.guidance.grounds import NEAR_CASES, SIMILAR
from consolidation.guidance.latest_runs import calibration_of
from consolidation.guidance.request import check
from memories.models import Episode, Memory
from memories.values.choices import LIVE, ActorKind, Permission, Sensitivity, Type
from memories.values.trust import SHARED_SCOPES, Actor, Trust


def of_skills(text: str, trust: Trust) -> Mapping[UUID, float]:
    """The share of the vote for the effects of each live skill with effects, by memory, where `text` is what a user
    says first. Empty: nothing is known of such requests.
    """
    experience = _experience(text, trust)
    if experience is None:
        return {}
    scope = experience.profiles[0].scope
    shares = {vote.effects: vote.share for vote in experience.votes}
    skills = Memory.objects.visible_to(trust).filter(type=Type.COMPETENCE, status__in=LIVE, payload__has_key="effects")
    effects = skills.filter(scope__in={scope, *SHARED_SCOPES}).values_list("pk", "payload__effects")
    return {skill: shares.get(frozenset(tools), 0.0) for skill, tools in effects}


def ends_of_similar(text: str, episode: Episode) -> tuple[int, int]:
    """Of the nearest cases that began like this request, in the scope of the episode and up to its level: how many
    ended well, of how many. (0, 0): nothing is known of such requests.
    """
    actor, level = Actor(ActorKind.SYSTEM, "Memos", "extraction"), Sensitivity(episode.memory.sensitivity)
    trust = Trust(actor, level, frozenset({episode.scope}), permissions=frozenset({Permission.READ}))
    experience = _experience(text, trust, but=episode.pk)
    if experience is None:
        return 0, 0
    surveyor, row = experience.surveyor, experience.similarity[: len(experience.surveyor.cases)]
    near, _weights = surveyor.near(row, row >= SIMILAR, NEAR_CASES)
    return int(surveyor.well[near].sum()), len(near)


def _experience(text: str, trust: Trust, but: UUID | None = None) -> Experience | None:
    """The runs that may speak to a request; None where none is like it. `but`: a run that does not count."""
    speech, identifiers = features.of_moment(check({"task": text}).run) if text.strip() else (None, [])
    experience = gather(speech, identifiers, trust, opening=True, but=but) if speech else None
    if experience is None or experience.nearness < calibration_of(experience.profiles[0].scope, trust).nearness:
        return None
    return experience
