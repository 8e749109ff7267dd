"""One question answered: which effects similar runs say are right, how sure that is, and which skill does it."""

from dataclasses import replace
from datetime import datetime

from django.conf import settings

from consolidation.guidance import curves, features, holdback
from consolidation.guidance.answer import Decision, Expected, Guidance, SimilarRun
from consolidation.guidance.checking import checked
from consolidation.guidance.experience import Experience, gather
from consolidation.guidance.offering import published_for
from consolidation.guidance.open_run import with_steps
from consolidation.guidance.request import GuidanceQuestion
from consolidation.guidance.votes import Effects, Vote
from consolidation.models.profiles import RunProfile
from consolidation.pipelines.tool_rules import tool_rules
from memories.values.trust import Trust

MOST_ALTERNATIVES = 3
LEAST_SHARE = 0.05  # an alternative below it is noise
LEAST_SIMILAR = 0.1


def answer(asked: GuidanceQuestion, *, trust: Trust, at: datetime) -> Guidance:
    """From what the caller may see. Unsure, with confidence 0, where nothing is similar; a skill that is offered to a
    run that the request names is kept as an offer, and nothing else is."""
    seen, rules = asked.request.narrows(trust), tool_rules()
    asked = with_steps(asked, seen)
    said, identifiers = features.of_moment(asked.run)
    opening = asked.is_opening
    experience = gather(said, identifiers, seen, opening=opening) if said else None
    if experience is None:
        return Guidance(check=checked(asked, None, rules, seen))
    curve = curves.curve(experience.profiles[0].scope, seen, opening=opening)
    check = checked(asked, experience, rules, seen)
    if experience.nearness < curve.nearness:
        return Guidance(check=check)
    votes, confidence = experience.votes, experience.confidence(curve)
    best = votes[0]
    skill = published_for(best.effects, experience.profiles[0].scope, seen)
    decision = _decision(best.effects, confidence, has_skill=skill is not None)
    told = Guidance(
        decision=decision,
        confidence=round(confidence, 4),
        expected=_expected(best, experience),
        skill=skill if decision in ("skill", "no_action") else None,
        alternatives=[_expected(vote, experience) for vote in votes[1:] if vote.share >= LEAST_SHARE][
            :MOST_ALTERNATIVES
        ],
        similar=_similar(experience, asked.request.limit),
        check=check,
    )
    return _offered(told, asked, scope=experience.profiles[0].scope, trust=trust, at=at)


def _offered(told: Guidance, asked: GuidanceQuestion, *, scope: str, trust: Trust, at: datetime) -> Guidance:
    if told.skill is None:
        return told
    offer = holdback.offer(told.skill, asked.request, scope=scope, trust=trust, at=at)
    if offer is None:
        return told
    return told.kept_back(offer.pk) if offer.withheld else replace(told, offer_id=offer.pk)


def _decision(effects: Effects, confidence: float, *, has_skill: bool) -> Decision:
    if confidence < settings.GUIDANCE_THRESHOLD:
        return "unsure"
    if not effects:
        return "no_action"
    return "skill" if has_skill else "act"


def _expected(vote: Vote, experience: Experience) -> Expected:
    well = {one.case for one in experience.ballot.cases if one.well and one.effects == vote.effects}
    return Expected(sorted(vote.effects), round(vote.share, 4), len(well))


def _similar(experience: Experience, most: int) -> list[SimilarRun]:
    near = [n for n in range(len(experience.profiles)) if experience.whole[n] >= LEAST_SIMILAR][:most]
    return [_run(experience.profiles[n], float(experience.whole[n])) for n in near]


def _run(profile: RunProfile, similarity: float) -> SimilarRun:
    return SimilarRun(
        episode_id=profile.pk,
        thread_id=profile.thread_id,
        similarity=round(min(similarity, 1.0), 4),
        outcome=profile.outcome,
        effects=profile.effects,
        opening=profile.opening,
    )
