"""One question answered: which effects similar runs say are right, how sure that is, and which skill does it."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from consolidation.guidance import curves, features, holdback
from consolidation.guidance.answer import Decision, Expected, Guidance, SimilarRun
from consolidation.guidance.calibration import LEAST_NEARNESS, Calibration, Moment
from consolidation.guidance.checking import checked
from consolidation.guidance.experience import Experience, gather
from consolidation.guidance.features import Features
from consolidation.guidance.offering import published_for
from consolidation.guidance.request import GuidanceQuestion, with_steps
from consolidation.guidance.votes import Effects, Vote
from consolidation.models.profiles import RunProfile
from consolidation.pipelines.tool_rules import tool_rules
from memories.search.dismissed_words import Utterance, without_dismissed
from memories.values.trust import Trust

MOST_ALTERNATIVES = 3
LEAST_SHARE = 0.05  # an alternative below it is noise
LEAST_SIMILAR = 0.1
LEAST_CASES = 5  # similar ones, for an answer
# A scope with fewer cases is young: of what fifteen small desks were told half was wrong, whatever its confidence.
GROWN, LEAST_ALIKE, FEW_OTHERWISE = 20, 3, 0.2


def answer(asked: GuidanceQuestion, *, trust: Trust, at: datetime, but: UUID | None = None) -> Guidance:
    """From what the caller may see. Unsure, with confidence 0, where nothing is similar; a skill that is offered to a
    run that the request names is kept as an offer, and nothing else is. `but`: a run that does not count."""
    seen, rules = asked.request.narrows(trust), tool_rules()
    asked = with_steps(asked, seen)
    speech, identifiers = features.of_moment(asked.run)
    opening = asked.is_opening
    experience = gather(speech, identifiers, seen, opening=opening, but=but) if speech else None
    if experience is None:
        return Guidance(check=checked(asked, None, rules, seen, at=at))
    calibration = curves.calibration_of(experience.profiles[0].scope, seen)
    check = checked(asked, experience, rules, seen, at=at)
    if experience.nearness < LEAST_NEARNESS:
        return Guidance(check=check)
    weight, votes = weighed(experience, calibration, moment_of(asked, speech)), experience.votes
    skill = published_for(votes[0].effects, experience.profiles[0].scope, seen, at=at)
    decision = _decision(weight, has_skill=skill is not None)
    guidance = Guidance(
        decision=decision,
        confidence=round(weight.confidence, 4),
        expected=expected_of(votes[0], experience),
        skill=skill if decision in ("skill", "no_action") else None,
        alternatives=[expected_of(vote, experience) for vote in votes[1:] if vote.share >= LEAST_SHARE][
            :MOST_ALTERNATIVES
        ],
        similar=similar_of(experience, asked.request.limit, trust),
        check=check,
    )
    return _offered(guidance, asked, scope=experience.profiles[0].scope, trust=trust, at=at)


def _offered(guidance: Guidance, asked: GuidanceQuestion, *, scope: str, trust: Trust, at: datetime) -> Guidance:
    if guidance.skill is None:
        return guidance
    offer = holdback.offer(guidance.skill, asked.request, scope=scope, trust=trust, at=at)
    if offer is None:
        return guidance
    return guidance.kept_back(offer.pk) if offer.withheld else replace(guidance, offer_id=offer.pk)


@dataclass(frozen=True)
class Weighed:
    """The effects that similar runs speak for. `is_sure`: enough of such answers are right for it to be one."""

    effects: Effects
    confidence: float
    is_sure: bool


def weighed(experience: Experience, calibration: Calibration, moment: Moment) -> Weighed:
    """What the runs that were found say at this moment. In a young scope those that are near must speak alike."""
    grounds, curve = experience.grounds, calibration.curves[moment]
    confidence = curve.confidence(grounds)
    known = experience.nearness >= calibration.nearness and grounds.similar >= LEAST_CASES
    if grounds.cases < GROWN:
        known = known and grounds.well >= LEAST_ALIKE and grounds.otherwise <= FEW_OTHERWISE
        return Weighed(grounds.vote.effects, confidence, known and confidence >= curve.familiar)
    return Weighed(grounds.vote.effects, confidence, known and confidence >= curve.threshold(grounds))


def moment_of(asked: GuidanceQuestion, said: Features) -> Moment:
    """Before a change something was looked up, or the call is named."""
    if asked.is_opening:
        return "opening"
    looked_up = len(said.channels["values"].ids) > 0
    return "before_write" if looked_up or asked.call is not None else "under_way"


def _decision(weight: Weighed, *, has_skill: bool) -> Decision:
    if not weight.is_sure:
        return "unsure"
    if not weight.effects:
        return "no_action"
    return "skill" if has_skill else "act"


def expected_of(vote: Vote, experience: Experience) -> Expected:
    """The effects of a vote, and how many similar cases ended well with them."""
    well = {case.case for case in experience.ballot.cases if case.well and case.effects == vote.effects}
    return Expected(sorted(vote.effects), round(vote.share, 4), len(well))


def similar_of(experience: Experience, most: int, trust: Trust) -> list[SimilarRun]:
    """The nearest runs, at most so many, without words that people dismissed."""
    near = [n for n in range(len(experience.profiles)) if experience.whole[n] >= LEAST_SIMILAR][:most]
    profiles = [experience.profiles[n] for n in near]
    openings = without_dismissed([Utterance(profile.opening, profile.scope) for profile in profiles], trust)
    nearness = (float(experience.whole[n]) for n in near)
    return [_run(*each) for each in zip(profiles, nearness, openings, strict=True)]


def _run(profile: RunProfile, similarity: float, opening: str) -> SimilarRun:
    return SimilarRun(
        episode_id=profile.pk,
        thread_id=profile.thread_id,
        similarity=round(min(similarity, 1.0), 4),
        outcome=profile.outcome,
        effects=profile.effects,
        opening=opening,
    )
