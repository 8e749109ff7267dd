"""The answer to one question: which effects similar runs speak for, how sure that is, and which published skill has
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


def answer(question: GuidanceQuestion, *, trust: Trust, at: datetime, but: UUID | None = None) -> Guidance:
    """From what the caller may see. Unsure, with confidence 0, where nothing is similar. If the request names its run,
    an offered skill is stored as an offer; nothing else is written. `but`: a run to leave out."""
    caller_trust, rules = question.request.narrows(trust), tool_rules()
    question = with_steps(question, caller_trust)
    speech, identifiers = features.of_moment(question.run, rules=rules)
    opening = question.is_opening
    experience = gather(speech, identifiers, caller_trust, opening=opening, but=but) if speech else None
    if experience is None:
        return Guidance(check=checked(question, None, rules, caller_trust, at=at))
    calibration = calibration_of(experience.profiles[0].scope, caller_trust)
    check = checked(question, experience, rules, caller_trust, at=at)
    if experience.nearness < LEAST_NEARNESS:
        return Guidance(check=check)
    weight, votes = weighed(experience, calibration, moment_of(question, speech)), experience.votes
    chores = experience.ballot.optional
    skill = published_for(votes[0].effects, experience.profiles[0].scope, caller_trust, at=at, optional=chores)
    decision = _decision(weight, has_skill=skill is not None)
    guidance = Guidance(
        decision=decision,
        confidence=round(weight.confidence, 4),
        expected=expected_of(votes[0], experience),
        skill=skill if decision in ("skill", "no_action") else None,
        alternatives=[expected_of(vote, experience) for vote in votes[1:] if vote.share >= LEAST_SHARE][
            :MOST_ALTERNATIVES
        ],
        similar=similar_of(experience, question.request.limit, trust),
        check=check,
        optional=_optional(votes[0], experience),
    )
    return _offered(guidance, question, scope=experience.profiles[0].scope, trust=trust, at=at)


def _offered(guidance: Guidance, question: GuidanceQuestion, *, scope: str, trust: Trust, at: datetime) -> Guidance:
    if guidance.skill is None:
        return guidance
    offer = holdback.offer(guidance.skill, question.request, scope=scope, trust=trust, at=at)
    if offer is None:
        return guidance
    return guidance.kept_back(offer.pk) if offer.withheld else replace(guidance, offer_id=offer.pk)


@dataclass(frozen=True)
class EffectChoice:
    """The effects that similar runs speak for. `is_sure`: enough of such answers are right for it to be one."""

    effects: Effects
    confidence: float
    is_sure: bool


def weighed(experience: Experience, calibration: Calibration, moment: Moment) -> EffectChoice:
    """What the gathered runs say at this moment. In a scope with few cases the near ones must agree."""
    grounds, curve = experience.grounds, calibration.curves[moment]
    confidence = curve.confidence(grounds)
    is_sure = experience.nearness >= calibration.nearness and grounds.similar >= LEAST_CASES
    if grounds.cases < GROWN:
        is_sure = is_sure and grounds.well >= LEAST_ALIKE and grounds.otherwise <= FEW_OTHERWISE
        return EffectChoice(grounds.vote.effects, confidence, is_sure and confidence >= curve.familiar)
    return EffectChoice(grounds.vote.effects, confidence, is_sure and confidence >= curve.threshold(grounds))


def moment_of(question: GuidanceQuestion, speech: Features) -> Moment:
    """ "before_write" once a call showed a value, or where the request names the call that is about to be made."""
    if question.is_opening:
        return "opening"
    looked_up = len(speech.channels["values"].ids) > 0
    return "before_write" if looked_up or question.call is not None else "under_way"


def _decision(weight: EffectChoice, *, has_skill: bool) -> Decision:
    if not weight.is_sure:
        return "unsure"
    if not weight.effects:
        return "no_action"
    return "skill" if has_skill else "act"


def expected_of(vote: Vote, experience: Experience) -> ExpectedEffects:
    """The effects of a vote, and how many similar cases ended well with them."""
    well = {case.case for case in experience.ballot.cases if case.well and case.effects == vote.effects}
    return ExpectedEffects(sorted(vote.effects), round(vote.share, 4), len(well))


def _optional(vote: Vote, experience: Experience) -> list[str]:
    """The chores that runs did which ended well with these effects."""
    chores = experience.ballot.optional
    well = (case.effects for case in experience.cases if case.well and case.effects - chores == vote.effects)
    return sorted(chores & frozenset[str]().union(*well))


def similar_of(experience: Experience, most: int, trust: Trust) -> list[SimilarRun]:
    """The nearest runs, at most so many, without words that people dismissed."""
    near = [n for n in range(len(experience.profiles)) if experience.similarity[n] >= LEAST_SIMILAR][:most]
    profiles = [experience.profiles[n] for n in near]
    openings = without_dismissed([Utterance(profile.opening, profile.scope) for profile in profiles], trust)
    nearness = (float(experience.similarity[n]) for n in near)
    return [_run(*row) for row in zip(profiles, nearness, openings, strict=True)]


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
FILE_EFFECTS = (*FILES, "write_files", "remove_files", "move_files")  # what command lines do to files beside calls
TO_DO = ("missing", "fewer", "value", "push_apart")
NOT_STARTING = ("not_starting",)
WARNINGS = ("excess", "entity", "acted_on", "error", "more")
_CODE = re.compile(r"`([^`]+)`")
_STEP = re.compile(r"^\d+\.\s+", re.MULTILINE)


def published_for(
    effects: Effects, scope: str, trust: Trust, *, at: datetime, optional: Effects = frozenset()
) -> OfferedSkill | None:
    """In the scope itself, else where everybody sees it, unless it was dismissed in the scope; the most reliable of
    several. One that has some of the optional effects beside these stands behind one that has none."""
    skill_name = f"skill:{'+'.join(sorted(effects)) or NO_ACTION}"
    effects_field = "memory__payload__effects"
    wider = Q(
        (f"{effects_field}__contains", sorted(effects)), (f"{effects_field}__contained_by", sorted(effects | optional))
    )
    rows = Skill.objects.offered_to(trust, "memory__").downloadable().filter(scope__in={scope, *SHARED_SCOPES})
    rows = rows.filter(conditions.valid(at).q("memory__")).exclude(memory__withheld_from__contains=[scope])
    of_work = wider if effects and optional else Q((effects_field, sorted(effects)))
    rows = rows.filter(of_work | Q(memory__payload__skill_name=skill_name))
    skills = list(rows.select_related("memory__worth").prefetch_related("versions").distinct())
    skills.sort(key=lambda skill: (skill.scope != scope, len(skill.memory.payload.get("effects", ())), skill.name))
    return _offer(skills[0]) if skills else None


def _offer(skill: Skill) -> OfferedSkill | None:
    version = skill.published
    if version is None or (not skill.memory.payload.get("effects", True) and version.made_by not in BY_PEOPLE):
        return None  # to change nothing is a lesson, which `no_action` tells by itself
    fields = Fields.model_validate(version.fields)
    all_steps = steps(fields.procedure)
    not_starting = [line for line in all_steps if is_one_of(line, NOT_STARTING)]
    starting = [line for line in all_steps if line not in not_starting]
    lines = [] if _is_weak(skill, version) else _that_change(skill, version, starting)
    warnings = not_starting + [line for line in fields.experience if is_one_of(line, WARNINGS)]
    if not lines or version.made_by in BY_PEOPLE:
        warnings += fields.failure_modes  # beside the steps of consolidation they stand in the package
    to_do = (line for line in fields.experience if is_one_of(line, TO_DO))
    return OfferedSkill(
        name=skill.name,
        version=version.number,
        url=links.skill_package(skill.name, version.number, scope=skill.scope),
        summary=fields.description,
        steps=[line for line in lines if not is_one_of(line, CHECKS)][:MOST_STEPS],
        checks=_first((*(line for line in lines if is_one_of(line, CHECKS)), *to_do), MOST_CHECKS),
        avoid=_first(warnings, MOST_AVOIDED),
        memory_id=skill.pk,
        scope=skill.scope,
    )


def _that_change(skill: Skill, version: SkillVersion, lines: list[str]) -> list[str]:
    """The checks, the lines that name changed files, and the steps that change something, without look-ups.

    Of a version that people wrote all lines.
    """
    tools = skill.memory.payload.get("effects", ())
    if version.made_by in BY_PEOPLE or not tools:
        return lines
    tool_pattern = re.compile("|".join(map(_called, tools)))
    selection = [
        line
        for line in lines
        if is_one_of(line, CHECKS + FILE_EFFECTS) or any(map(tool_pattern.fullmatch, _CODE.findall(line)))
    ]
    return selection if any(not is_one_of(line, CHECKS + FILE_EFFECTS) for line in selection) else lines


def _called(tool: str) -> str:
    """Return a pattern of the code by which a step names a tool: of a command with its wrapper and arguments, too,
    `bin/rails g migration {name}`."""
    name = re.escape(code(operations.address(tool))[1:-1])
    return name if operations.is_sheet(tool) else rf"(?:.*[ /])?{name}(?: .*)?"


def _is_weak(skill: Skill, version: SkillVersion) -> bool:
    """Whether runs that did otherwise ended no worse: then its steps are not shown. Never of what people wrote."""
    worth = getattr(skill.memory, "worth", None)
    return worth is not None and worth.is_weak and version.made_by not in BY_PEOPLE


def steps(procedure: str) -> list[str]:
    """The numbered lines, without their numbers."""
    return [step.strip() for step in _STEP.split(in_braces(procedure)) if step.strip()]


def _first(lines: Iterable[str], most: int) -> list[str]:
    return list(dict.fromkeys(line for line in lines if line.strip()))[:most]
