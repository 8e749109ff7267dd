"""The votes of similar runs for the skills that do what these did."""

from collections.abc import Mapping
from uuid import UUID

from consolidation.guidance import curves, features
from consolidation.guidance.experience import gather
from consolidation.guidance.request import check
from memories.models import Memory
from memories.values.choices import LIVE, Type
from memories.values.trust import SHARED_SCOPES, Trust


def of_skills(text: str, *, trust: Trust) -> Mapping[UUID, float]:
    """The share of the vote for the effects of each live skill with effects, by memory, where `text` is what a user
    says first. Empty: nothing is known of such requests.
    """
    said, identifiers = features.of_moment(check({"task": text}).run)
    experience = gather(said, identifiers, trust, opening=True) if said else None
    if experience is None:
        return {}
    scope = experience.profiles[0].scope
    if experience.nearness < curves.calibration_of(scope, trust).nearness:
        return {}
    shares = {vote.effects: vote.share for vote in experience.votes}
    skills = Memory.objects.visible_to(trust).filter(type=Type.COMPETENCE, status__in=LIVE, payload__has_key="effects")
    effects = skills.filter(scope__in={scope, *SHARED_SCOPES}).values_list("pk", "payload__effects")
    return {skill: shares.get(frozenset(tools), 0.0) for skill, tools in effects}
