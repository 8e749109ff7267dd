"""One question answered: which effects similar runs say are right, how sure that is, and which published skill has
exactly these effects.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from consolidation.guidance import features, holdback
from consolidation.guidance.answer import Decision, ExpectedEffects, Guidance, OfferedSkill, SimilarRun
from consolidation.guidance.calibration import LEAST_NEARNESS, Calibration, Moment
from consolidation.guidance.checking import checked
from consolidation.guidance.experience import Experience, gather
from consolidation.guidance.features import Features
from consolidation.guidance.holdback import BY_PEOPLE
from consolidation.guidance.latest_runs import calibration_of
from consolidation.guidance.request import GuidanceQuestion, with_steps
from consolidation.guidance.votes import Effects, Vote
from consolidation.learning.commands.forms import in_braces
from consolidation.learning.effects.toolnames import code
from consolidation.learning.runs import operations
from consolidation.learning.writing.phrases import is_one_of
from consolidation.models.profiles import RunProfile
from consolidation.pipelines.tool_rules import tool_rules
from memories.search.dismissed_words import Utterance, without_dismissed
from memories.values import conditions, links
from memories.values.trust import SHARED_SCOPES, Trust
from skills.manifest import Fields
from skills.models import Skill, SkillVersion

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
    speech, identifiers = features.of_moment(asked.run, rules=rules)
    opening = asked.is_opening
    experience = gather(speech, identifiers, seen, opening=opening, but=but) if speech else None
    if experience is None:
        return Guidance(check=checked(asked, None, rules, seen, at=at))
    calibration = calibration_of(experience.profiles[0].scope, seen)
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


def expected_of(vote: Vote, experience: Experience) -> ExpectedEffects:
    """The effects of a vote, and how many similar cases ended well with them."""
    well = {case.case for case in experience.ballot.cases if case.well and case.effects == vote.effects}
    return ExpectedEffects(sorted(vote.effects), round(vote.share, 4), len(well))


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


MOST_STEPS, MOST_CHECKS, MOST_AVOIDED = 8, 4, 4
NO_ACTION = "no_action"
CHECKS = ("say_first", "check_all", "check_more")
FILES = ("change_files", "change_these_files")
BESIDE = (*FILES, "write_files", "remove_files", "move_files")  # what command lines do to files beside calls
TO_DO = ("missing", "fewer", "value", "push_apart")
NOT_STARTING = ("not_starting",)
WARNINGS = ("excess", "entity", "acted_on", "error", "more")
_CODE = re.compile(r"`([^`]+)`")
_STEP = re.compile(r"^\d+\.\s+", re.MULTILINE)


def published_for(effects: Effects, scope: str, trust: Trust, *, at: datetime) -> OfferedSkill | None:
    """In the scope itself, else where everybody sees it, unless it was dismissed in the scope; the most reliable of
    several."""
    named = f"skill:{'+'.join(sorted(effects)) or NO_ACTION}"
    rows = Skill.objects.offered_to(trust, "memory__").downloadable().filter(scope__in={scope, *SHARED_SCOPES})
    rows = rows.filter(conditions.valid(at).q("memory__")).exclude(memory__withheld_from__contains=[scope])
    rows = rows.filter(Q(memory__payload__effects=sorted(effects)) | Q(memory__payload__skill_name=named))
    skills = list(rows.select_related("memory__worth").prefetch_related("versions").distinct())
    skills.sort(key=lambda skill: (skill.scope != scope, skill.name))
    return _offer(skills[0]) if skills else None


def _offer(skill: Skill) -> OfferedSkill | None:
    version = skill.published
    if version is None or (not skill.memory.payload.get("effects", True) and version.made_by not in BY_PEOPLE):
        return None  # to change nothing is a lesson, which `no_action` tells by itself
    fields = Fields.model_validate(version.fields)
    written = steps(fields.procedure)
    idle = [line for line in written if is_one_of(line, NOT_STARTING)]
    told = [line for line in written if line not in idle]
    lines = [] if _is_weak(skill, version) else _that_change(skill, version, told)
    warnings = idle + [line for line in fields.experience if is_one_of(line, WARNINGS)]
    if not lines or version.made_by in BY_PEOPLE:
        warnings += fields.failure_modes  # beside the steps of consolidation they stand in the package
    asked = (line for line in fields.experience if is_one_of(line, TO_DO))
    return OfferedSkill(
        name=skill.name,
        version=version.number,
        url=links.skill_package(skill.name, version.number, scope=skill.scope),
        summary=fields.description,
        steps=[line for line in lines if not is_one_of(line, CHECKS)][:MOST_STEPS],
        checks=_first((*(line for line in lines if is_one_of(line, CHECKS)), *asked), MOST_CHECKS),
        avoid=_first(warnings, MOST_AVOIDED),
        memory_id=skill.pk,
        scope=skill.scope,
    )


def _that_change(skill: Skill, version: SkillVersion, lines: list[str]) -> list[str]:
    """Checks, which files change, and the steps that change something: look-ups are what everybody makes.

    What people wrote stays whole.
    """
    tools = skill.memory.payload.get("effects", ())
    if version.made_by in BY_PEOPLE or not tools:
        return lines
    called = re.compile("|".join(map(_called, tools)))
    kept = [
        line for line in lines if is_one_of(line, CHECKS + BESIDE) or any(map(called.fullmatch, _CODE.findall(line)))
    ]
    return kept if any(not is_one_of(line, CHECKS + BESIDE) for line in kept) else lines


def _called(tool: str) -> str:
    """Return a pattern of the code by which a step names a tool: of a command with its wrapper and arguments, too,
    `bin/rails g migration {name}`."""
    name = re.escape(code(operations.address(tool))[1:-1])
    return name if operations.is_sheet(tool) else rf"(?:.*[ /])?{name}(?: .*)?"


def _is_weak(skill: Skill, version: SkillVersion) -> bool:
    """Runs that did otherwise ended no worse: lessons help, its steps do not. What people wrote is theirs to judge."""
    worth = getattr(skill.memory, "worth", None)
    return worth is not None and worth.is_weak and version.made_by not in BY_PEOPLE


def steps(procedure: str) -> list[str]:
    """The numbered lines, without their numbers."""
    return [step.strip() for step in _STEP.split(in_braces(procedure)) if step.strip()]


def _first(lines: Iterable[str], most: int) -> list[str]:
    return list(dict.fromkeys(line for line in lines if line.strip()))[:most]
