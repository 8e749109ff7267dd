"""Offers of skills, some of them withheld at random: what tells whether a skill helps from whether it is offered.

A run is known by its episode or thread; it is dealt with alike however often it asks. A person's own skills are never
withheld.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Q, QuerySet

from consolidation.guidance.answer import OfferedSkill
from consolidation.guidance.request import GuidanceRequest
from consolidation.models.worth import SkillOffer
from memories.models import Episode, Memory, Proposal
from memories.values.choices import LIVE, Outcome
from memories.values.trust import SYSTEM, Trust
from memos_site.platform import outages
from memos_site.platform.postgres import replicas
from skills.models import SkillVersion

ALPHA = 0.05  # of the interval: it covers the truth at every moment at once, so that it may be looked at at any time
RHO = 0.4  # where the interval is narrowest, at about 40 runs of an arm
BY_PEOPLE = (SkillVersion.MadeBy.UPLOAD, SkillVersion.MadeBy.EDIT)
HARM = {"verb": "demote", "reason": "its offers do harm"}


@dataclass(frozen=True)
class Arm:
    """Runs that were offered the skill, or from which it was withheld, and how many ended well."""

    runs: int
    well: int

    @property
    def share(self) -> float | None:
        return self.well / self.runs if self.runs else None


@dataclass(frozen=True)
class Arms:
    offered: Arm
    withheld: Arm

    @property
    def difference(self) -> tuple[float, float]:
        """The interval of what an offer adds to the share that ends well; (-1, 1) while an arm has no run."""
        if self.offered.share is None or self.withheld.share is None:
            return -1.0, 1.0
        middle = self.offered.share - self.withheld.share
        reach = _reach(self.offered.runs) + _reach(self.withheld.runs)
        return max(-1.0, middle - reach), min(1.0, middle + reach)

    @property
    def points(self) -> tuple[int, int]:
        """The ends of that interval in runs of a hundred, without their signs, the nearer one to 0 first where both
        ends have the same sign."""
        low, high = (round(100 * abs(end)) for end in self.difference)
        return (high, low) if self.harms else (low, high)

    @property
    def helps(self) -> bool:
        return self.difference[0] > 0

    @property
    def harms(self) -> bool:
        return self.difference[1] < 0


def _reach(n: int) -> float:
    """Half the width of a 97.5 % confidence sequence of a share (normal mixture, Robbins 1970; a share of 0 to 1 is
    sub-Gaussian with a standard deviation of 1/2)."""
    scaled = n * RHO**2 + 1
    return 0.5 * math.sqrt(2 * scaled / (n * RHO) ** 2 * math.log(math.sqrt(scaled) / (ALPHA / 2)))


def arms(memory_id: UUID) -> Arms:
    ended = SkillOffer.objects.filter(memory=memory_id).ended().values_list("withheld", "outcome")
    counted = {(withheld, outcome): n for withheld, outcome, n in ended.annotate(n=Count("pk"))}
    return Arms(*(_arm(counted, withheld=withheld) for withheld in (False, True)))


def _arm(counted: Mapping[tuple[bool, str], int], *, withheld: bool) -> Arm:
    well = counted.get((withheld, Outcome.SUCCESS), 0)
    return Arm(well + counted.get((withheld, Outcome.FAILURE), 0), well)


def offer(
    skill: OfferedSkill, request: GuidanceRequest, *, scope: str, trust: Trust, at: datetime
) -> SkillOffer | None:
    """The offer of this skill to this run, made unless it was made before. None: the request names no run, or the disk
    is full."""
    if request.episode_id is None and request.thread_id is None:
        return None
    run = {"episode_id": request.episode_id, "thread_id": "" if request.episode_id else request.thread_id or ""}
    facts = {"version": skill.version, "agent": trust.actor.name[:200], "at": at, "withheld": _withheld(skill, run)}
    with outages.dispensable("the offer of a skill"), replicas.primary():
        return SkillOffer.objects.get_or_create(memory_id=skill.memory_id, scope=scope, **run, defaults=facts)[0]
    return None


def _withheld(skill: OfferedSkill, run: Mapping[str, object]) -> bool:
    """Drawn by a hash of the skill and the run: the same run always alike."""
    if not settings.SKILL_HOLDBACK:
        return False
    published = SkillVersion.objects.filter(skill=skill.memory_id, status=SkillVersion.Status.PUBLISHED)
    if published.filter(made_by__in=BY_PEOPLE).exists():
        return False
    drawn = hashlib.sha256(f"{skill.memory_id}/{run['episode_id']}/{run['thread_id']}".encode()).digest()
    return int.from_bytes(drawn[:8], "big") / 2**64 < settings.SKILL_HOLDBACK


def settle(episodes: Iterable[Episode]) -> None:
    """Writes how these runs ended to the offers that were made to them; a replaced outcome too."""
    ended = [episode for episode in episodes if episode.outcome]
    for episode in ended if _offers(ended).exists() else ():  # to most batches there are none
        of_thread = Q(scope=episode.scope, thread_id=episode.thread_id, at__lte=episode.closed_at)
        known = Q(episode_id=episode.pk) | (of_thread if episode.thread_id else Q(pk=None))
        SkillOffer.objects.filter(known).update(outcome=episode.outcome)


def _offers(episodes: Sequence[Episode]) -> QuerySet[SkillOffer]:
    """The offers to these runs, or to others of their threads."""
    threads = {episode.thread_id for episode in episodes if episode.thread_id}
    of_threads = Q(scope__in={episode.scope for episode in episodes}, thread_id__in=threads)
    return SkillOffer.objects.filter(Q(episode_id__in=[episode.pk for episode in episodes]) | of_threads)


def flag_harm(scope: str, *, at: datetime) -> int:
    """Asks people to look at each live skill whose offers do harm beyond doubt; how many."""
    withheld = SkillOffer.objects.filter(scope=scope, withheld=True).exclude(outcome="")
    found = Memory.objects.filter(pk__in=withheld.values("memory"), status__in=LIVE)
    harmful = [(memory, told) for memory in found if (told := arms(memory.pk)).harms]
    for memory, told in harmful:
        why = (
            f"{told.offered.well} of {told.offered.runs} runs that were offered this skill ended well, and "
            f"{told.withheld.well} of {told.withheld.runs} from which it was withheld"
        )
        sensitivity = memory.sensitivity
        Proposal.objects.propose(
            Proposal.Kind.FAILING, memory, HARM, by=SYSTEM, why=why, at=at, sensitivity=sensitivity
        )
    return len(harmful)
