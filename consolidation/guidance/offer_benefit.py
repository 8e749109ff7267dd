"""Whether each version of a skill helps, as the runs say that were drawn to get it or to do without."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consolidation.guidance.anytime import EffectAnswer, Trial, answer_of
from consolidation.models.lessons import Lesson
from consolidation.models.worth import SkillAnswer, SkillOffer
from memories.models import Memory, Proposal
from memories.values.choices import LIVE, Outcome
from memories.values.trust import SYSTEM
from skills.models import SkillVersion

REASONS = {"hurts": "its offers do harm", "no_effect": "its offers have no effect worth five points"}


@dataclass(frozen=True)
class Arm:
    """Runs that were offered the skill, or from which it was withheld, and how many ended well."""

    runs: int
    well: int


@dataclass(frozen=True)
class Worth:
    """What is known of one version. `said`: in a sentence of the reader's language."""

    version: int
    effect: EffectAnswer
    offered: Arm
    withheld: Arm

    @property
    def answer(self) -> str:
        return self.effect.answer

    @property
    def said(self) -> str:
        sentences = {
            "helps": _("It helps."),
            "hurts": _("It does harm."),
            "no_effect": _("Its measured effect is less than five points."),
            "unknown": self._not_yet(),
        }
        counts = {"well": self.offered.well, "runs": self.offered.runs}
        counts |= {"others": self.withheld.well, "without": self.withheld.runs}
        text = _(
            "Of runs that got it %(well)s of %(runs)s ended well, of those that did not %(others)s of %(without)s."
        )
        return (
            f"{sentences[self.answer]} {text % counts}"
            if self.offered.runs + self.withheld.runs
            else sentences[self.answer]
        )

    def _not_yet(self) -> str:
        if not self.effect.runs:
            return _("Not known yet: no run from which it was withheld (SKILL_HOLDBACK) has ended and been counted.")
        more = self.effect.more
        if more is None:
            return _("Not known yet: about 20,000 more runs or more.")
        return ngettext("Not known yet: about %(n)d more run.", "Not known yet: about %(n)d more runs.", more) % {
            "n": more
        }


def worth(memory_id: UUID, version: int) -> Worth:
    """As it was measured last, with the runs that have ended by now."""
    return worth_of_each([memory_id], version)[memory_id]


def worth_of_each(memories: Collection[UUID], version: int) -> dict[UUID, Worth]:
    """The same of several skills or lessons, which all have this version."""
    offers = SkillOffer.objects.filter(memory__in=memories, version=version).ended()
    rows = offers.order_by().values_list("memory", "withheld", "outcome").annotate(n=Count("pk"))
    counts: dict[UUID, dict[tuple[bool, str], int]] = defaultdict(dict)
    for memory_id, withheld, outcome, n in rows:
        counts[memory_id][withheld, outcome] = n
    answers = SkillAnswer.objects.filter(memory__in=memories, version=version)
    effects = {row.memory_id: _measured(row) for row in answers}
    nothing = EffectAnswer("unknown", 0)
    arms = {pk: (_arm(counts[pk], withheld=False), _arm(counts[pk], withheld=True)) for pk in memories}
    return {pk: Worth(version, effects.get(pk, nothing), *arms[pk]) for pk in memories}


def _measured(row: SkillAnswer) -> EffectAnswer:
    answer: Any = row.answer  # one of its choices
    return EffectAnswer(answer, row.runs, row.more)


def _arm(counts: Mapping[tuple[bool, str], int], *, withheld: bool) -> Arm:
    well = counts.get((withheld, Outcome.SUCCESS), 0)
    return Arm(well + counts.get((withheld, Outcome.FAILURE), 0), well)


def measure(scope: str, *, at: datetime) -> int:
    """Test again each version that runs of this scope were offered, and propose to people to retire or revise what
    harms or has no effect. Returns of how many versions the answer is known."""
    offers = SkillOffer.objects.filter(scope=scope, withheld=True).ended()
    settled = 0
    for memory_id, version in sorted(set(offers.values_list("memory", "version")), key=str):
        answer = answer_of(_trials(memory_id, version))
        facts = {"answer": answer.answer, "runs": answer.runs, "more": answer.more, "at": at}
        SkillAnswer.objects.update_or_create(memory_id=memory_id, version=version, defaults=facts)
        settled += answer.is_known
        if answer.answer in REASONS:
            _propose(memory_id, version, at=at)
    return settled


def _trials(memory_id: UUID, version: int) -> list[Trial]:
    """In the order of the offers. An offer without a stored share gets the share of such offers that were withheld."""
    offers = SkillOffer.objects.filter(memory=memory_id, version=version).ended().order_by("at", "pk")
    rows = list(offers.values_list("withheld", "outcome", "share"))
    without_share = [withheld for withheld, _, share in rows if share is None]
    default_share = sum(without_share) / max(len(without_share), 1)
    return [
        Trial(withheld, outcome == Outcome.SUCCESS, default_share if share is None else share)
        for withheld, outcome, share in rows
    ]


def _propose(memory_id: UUID, version: int, *, at: datetime) -> None:
    """Ask people to retire or revise it, once for each version that is published."""
    memory = Memory.objects.filter(pk=memory_id, status__in=LIVE).first()
    versions = SkillVersion.objects.filter(skill=memory_id, number=version, status=SkillVersion.Status.PUBLISHED)
    is_used = versions.exists() or Lesson.objects.filter(pk=memory_id).in_use().unchanged().exists()
    if memory is None or not is_used:
        return
    current_worth = worth(memory_id, version)
    change = {"verb": "demote", "reason": REASONS[current_worth.answer], "version": version}
    decisions = Proposal.objects.filter(kind=Proposal.Kind.FAILING, memory=memory, change=change)
    if decisions.filter(decision__in=(Proposal.Decision.ACCEPTED, Proposal.Decision.REJECTED)).exists():
        return
    noun = "this skill" if versions.exists() else "this lesson"
    why = (
        f"{current_worth.offered.well} of {current_worth.offered.runs} runs that were offered {noun} ended well, and "
        f"{current_worth.withheld.well} of {current_worth.withheld.runs} from which it was withheld"
    )
    facts: dict[str, Any] = {"by": SYSTEM, "why": why, "at": at, "sensitivity": memory.sensitivity}
    Proposal.objects.propose(Proposal.Kind.FAILING, memory, change, **facts)
