"""Offers of skills and lessons, some of them withheld at random: what tells whether they help from whether they are
offered.

A run is known by its thread, and one without a thread by its episode: so it is dealt with alike however often it asks
and whichever of the two it names. A person's own skills, and lessons in a person's words, are never withheld.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db.models import Q, QuerySet

from consolidation.guidance.answer import OfferedSkill
from consolidation.guidance.request import GuidanceRequest
from consolidation.models.lessons import VERSION, Lesson
from consolidation.models.worth import SkillAnswer, SkillOffer
from memories.models import Episode, Memory
from memories.values.trust import Trust
from memos_site.platform import outages
from memos_site.platform.postgres import replicas
from skills.models import SkillVersion

BY_PEOPLE = (SkillVersion.MadeBy.UPLOAD, SkillVersion.MadeBy.EDIT)
AUTO, HALF = "auto", 0.5


class _NamedRun(NamedTuple):
    thread_id: str
    episode_id: UUID | None


def offer(
    skill: OfferedSkill, request: GuidanceRequest, *, scope: str, trust: Trust, at: datetime
) -> SkillOffer | None:
    """The offer of this skill to this run, made unless it was made before. None: the request names no run, or the disk
    is full."""
    name = request.thread_id or str(request.episode_id or "")
    if not name:
        return None
    return _offer(skill.memory_id, skill.version, _share(skill), _run_named(name, trust), scope, trust, at=at)


def offer_lessons(
    lessons: Collection[Memory], name: str, trust: Trust, *, scope: str | None, at: datetime
) -> frozenset[UUID]:
    """Store the offers of these lessons to the run of this thread or episode. Returns the withheld ones; none for a run
    without a name. `scope`: of the run; None: that of the lesson."""
    if not name:
        return frozenset()
    run, settled = _run_named(name, trust), _known()
    rows = Lesson.objects.filter(pk__in=[lesson.pk for lesson in lessons]).unchanged()
    eligible = set(rows.values_list("pk", flat=True))
    withheld: set[UUID] = set()
    for lesson in lessons if eligible else ():
        share, place = _share_of_lesson(lesson.pk, settled), lesson.scope if scope is None else scope
        skill_offer = _offer(lesson.pk, VERSION, share, run, place, trust, at=at) if lesson.pk in eligible else None
        withheld |= {lesson.pk} if skill_offer and skill_offer.withheld else set()
    return frozenset(withheld)


def _offer(
    memory_id: UUID, version: int, share: float, run: _NamedRun, scope: str, trust: Trust, *, at: datetime
) -> SkillOffer | None:
    facts: dict[str, Any] = {"version": version, "agent": trust.actor.name[:200], "at": at, "share": share}
    facts |= {"withheld": _drawn(memory_id, run) < share}
    key = {"memory_id": memory_id, "scope": scope, **run._asdict()}
    with outages.dispensable("an offer"), replicas.primary():
        return SkillOffer.objects.get_or_create(**key, defaults=facts)[0]
    return None


def without(name: str, trust: Trust) -> frozenset[UUID]:
    """The skills that are withheld from the run of this thread or episode everywhere; none for a run without a name."""
    if not settings.SKILL_HOLDBACK or not name:
        return frozenset()
    run, settled = _run_named(name, trust), _known()
    versions = SkillVersion.objects.filter(status=SkillVersion.Status.PUBLISHED).exclude(made_by__in=BY_PEOPLE)
    rows = versions.filter(trust.visible("skill__memory__")).values_list("skill", "number")
    return frozenset(pk for pk, number in rows if (pk, number) not in settled and _drawn(pk, run) < _share_set())


def without_lessons(name: str, trust: Trust) -> frozenset[UUID]:
    """The lessons that are withheld from the run in searches, as in its context."""
    if not settings.SKILL_HOLDBACK or not name:
        return frozenset()
    lessons = list(Lesson.objects.visible_to(trust).in_use().unchanged().values_list("pk", flat=True))
    if not lessons:
        return frozenset()
    run, settled = _run_named(name, trust), _known()
    return frozenset(pk for pk in lessons if _drawn(pk, run) < _share_of_lesson(pk, settled))


def _is_auto() -> bool:
    return bool(settings.SKILL_HOLDBACK == AUTO)


def _share_set() -> float:
    """The probability that a run does without, by SKILL_HOLDBACK; with `auto` until it is known whether it helps."""
    return HALF if _is_auto() else float(settings.SKILL_HOLDBACK or 0)


def _known() -> set[tuple[UUID, int]]:
    """The memories and versions of which it is known whether they help; `auto` withholds these no longer."""
    return set(SkillAnswer.objects.known().values_list("memory", "version")) if _is_auto() else set()


def _share_of_lesson(memory_id: UUID, settled: Collection[tuple[UUID, int]]) -> float:
    return 0.0 if (memory_id, VERSION) in settled else _share_set()


def _share(skill: OfferedSkill) -> float:
    """With which probability a run does without this version: of what people wrote none."""
    versions = SkillVersion.objects.filter(skill=skill.memory_id, status=SkillVersion.Status.PUBLISHED)
    if not settings.SKILL_HOLDBACK or versions.filter(made_by__in=BY_PEOPLE).exists():
        return 0.0
    return 0.0 if (skill.memory_id, skill.version) in _known() else _share_set()


def _run_named(name: str, trust: Trust) -> _NamedRun:
    """The run of the episode with this id, if the caller may see one, else of this thread."""
    try:
        episode = Episode.objects.visible_to(trust).filter(pk=UUID(name)).first()
    except ValueError:
        episode = None
    thread_id = episode.thread_id if episode else name
    return _NamedRun(thread_id, None) if thread_id else _NamedRun("", UUID(name))


def _drawn(memory_id: UUID, run: _NamedRun) -> float:
    """The lot, in [0, 1), from a hash of the skill and the run: always the same for the same run."""
    digest = hashlib.sha256(f"{memory_id}/{run.episode_id}/{run.thread_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def settle(episodes: Iterable[Episode]) -> None:
    """Write how these runs ended to the offers that were made to them, again when the outcome changes; '' for one that
    no longer counts."""
    closed = list(episodes)
    for episode in closed if _offers(closed).exists() else ():  # to most batches there are none
        of_thread = Q(scope=episode.scope, thread_id=episode.thread_id, at__lte=episode.closed_at)
        of_run = Q(episode_id=episode.pk) | (of_thread if episode.thread_id else Q(pk=None))
        SkillOffer.objects.filter(of_run).update(outcome=episode.counted_outcome or "")


def _offers(episodes: Sequence[Episode]) -> QuerySet[SkillOffer]:
    """The offers to these runs, or to others of their threads."""
    threads = {episode.thread_id for episode in episodes if episode.thread_id}
    of_threads = Q(scope__in={episode.scope for episode in episodes}, thread_id__in=threads)
    return SkillOffer.objects.filter(Q(episode_id__in=[episode.pk for episode in episodes]) | of_threads)
