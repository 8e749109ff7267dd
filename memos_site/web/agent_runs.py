"""What an agent did: events of the last hour, polled every two seconds; its runs by time with the skills and contexts
that each was given; and what guidance would have answered to one."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Func, IntegerField, Prefetch, Q, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from consolidation.guidance import guide
from consolidation.guidance.profiling import first_change
from consolidation.guidance.request import AboutTo, GuidanceQuestion, GuidanceRequest
from consolidation.models import GuidanceCurve, RunProfile, SkillOffer
from consolidation.pipelines import recorded
from consolidation.pipelines.tool_rules import tool_rules
from memories.api.call_limits import counts
from memories.intake.episodes import agreement
from memories.intake.episodes.copies import copies
from memories.models import Agent, Episode, Event, Injection, Memory
from memories.people import permitted, trust_of
from memories.values.choices import ActorKind, Permission
from memories.values.keyset import Page
from memories.values.trust import Trust
from memories.web.paging import page_of
from skills.models import Skill, SkillUse

MOST_EPISODES, MOST_EVENTS = 3, 6
LATELY = timedelta(hours=1)
ROWS = 20  # of a page
LONGEST_TASK, MOST_SIMILAR = 2_000, 5


@dataclass
class GivenSkill:
    """A skill that guidance named to a run, or withheld from it.

    `outcome`: of the use that the agent reported, '' for none; `followed`: whether the run changed just what it says,
    None where that is not known.
    """

    skill: Skill
    version: int
    withheld: bool = False
    outcome: str = ""
    followed: bool | None = None


@dataclass
class AgentRun:
    """`contexts`: blocks for a prompt that its thread was given, with `memories` in them together."""

    episode: Episode
    skills: list[GivenSkill] = field(default_factory=list)
    contexts: int = 0
    memories: int = 0

    @property
    def may_have_been_helped(self) -> bool:
        """Whether it failed, or probably did."""
        is_ill = self.episode.outcome == "failure" or self.episode.verdict == "high"
        return bool(self.episode.closed_at) and is_ill and self.episode.outcome != "success"


def runs_of(agent: Agent, request: HttpRequest) -> tuple[Page[Episode], list[AgentRun]]:
    """A page of the runs of an agent that the reader may see, the newest first."""
    trust = trust_of(request.user)
    rows = Episode.objects.visible_to(trust).filter(memory__created_by_id=agent.trust.actor.identity)
    page = page_of(request, rows.select_related("memory"), ("-memory_id",), limit=ROWS)
    runs = {episode.pk: AgentRun(episode) for episode in page.rows}
    _add_skills(runs, trust)
    _add_contexts(runs.values(), agent, trust)
    return page, list(runs.values())


def reported_by(agent: Agent, trust: Trust) -> dict[str, Any]:
    """How many of the successes that the agent reported lately are denied by others, how many of its latest runs others
    had reported before, and in which scopes its runs are left out of guidance."""
    identity = agent.trust.actor.identity
    rows = Episode.objects.visible_to(trust).filter(memory__created_by_id=identity)
    denial_count, reports = agreement.denials(agreement.counting().sources, rows).get(identity, (0, 0))
    curves = GuidanceCurve.objects.visible_to(trust).filter(fitted__left_out__contains=[identity]).order_by("scope")
    scopes = list(curves.values_list("scope", flat=True).distinct())
    latest = Episode.objects.filter(pk__in=rows.order_by("-pk").values("pk")[: agreement.LATEST])
    return {"denied": denial_count, "successes": reports, "copies": copies(latest).count(), "left_out": scopes}


def _add_skills(runs: dict[UUID, AgentRun], trust: Trust) -> None:
    of_thread = {(run.episode.scope, run.episode.thread_id): pk for pk, run in runs.items() if run.episode.thread_id}
    threads = [thread for _, thread in of_thread]
    offers = SkillOffer.objects.visible_to(trust).filter(Q(episode_id__in=runs) | Q(thread_id__in=threads))
    profiles = RunProfile.objects.filter(pk__in=runs).only("pk", "effects").in_bulk()
    given_skills: dict[tuple[UUID, UUID], GivenSkill] = {}
    ordered_offers = list(offers.order_by("at", "pk"))
    uses = list(SkillUse.objects.visible_to(trust).filter(episode__in=runs).select_related("version"))
    skills = Skill.objects.visible_to(trust).select_related("memory")
    skill_by_id = skills.in_bulk({*(offer.memory_id for offer in ordered_offers), *(use.skill_id for use in uses)})
    for offer in ordered_offers:
        pk = offer.episode_id if offer.episode_id in runs else of_thread.get((offer.scope, offer.thread_id))
        if pk is not None and (skill := skill_by_id.get(offer.memory_id)):
            is_followed = _follows_skill(skill, profiles.get(pk))
            given_skills[pk, skill.pk] = GivenSkill(skill, offer.version, offer.withheld, followed=is_followed)
    for use in uses:
        if use.episode_id and (skill := skill_by_id.get(use.skill_id)):
            version = use.version.number if use.version else 0
            given_skill = given_skills.setdefault((use.episode_id, skill.pk), GivenSkill(skill, version))
            given_skill.outcome = use.outcome
    for (pk, _), given_skill in given_skills.items():
        runs[pk].skills.append(given_skill)


def _follows_skill(skill: Skill, profile: RunProfile | None) -> bool | None:
    effects = skill.memory.payload.get("effects")
    return None if profile is None or effects is None else sorted(effects) == sorted(profile.effects)


def _add_contexts(runs: Iterable[AgentRun], agent: Agent, trust: Trust) -> None:
    by_thread: dict[str, list[AgentRun]] = defaultdict(list)
    for run in runs:
        if run.episode.thread_id:
            by_thread[run.episode.thread_id].append(run)
    if not by_thread:
        return
    injections = Injection.objects.visible_to(trust).filter(agent=agent.name, thread_id__in=list(by_thread)).order_by()
    length = Func(F("items"), function="jsonb_array_length", output_field=IntegerField())
    for thread, contexts, memories in injections.values_list("thread_id").annotate(n=Count("pk"), of=Sum(length)):
        for run in by_thread[thread]:
            run.contexts, run.memories = contexts, memories


@never_cache
@require_safe
def helped(request: HttpRequest, episode_id: UUID) -> HttpResponse:
    """What guidance answers today to the question that this run could have asked before its first change.

    Nothing is stored, and no skill counts as offered.
    """
    trust = trust_of(request.user)
    rows = Episode.objects.visible_to(trust).select_related("memory")
    episode = get_object_or_404(rows, pk=episode_id, closed_at__isnull=False)
    question = _question(episode)
    advice = guide.answer(question, trust=trust, at=timezone.now(), but=episode.pk) if question else None
    context: dict[str, Any] = {"episode": episode, "memory": episode.memory, "told": advice}
    if advice and question:
        skill = advice.skill and Skill.objects.visible_to(trust).filter(pk=advice.skill.memory_id).first()
        similar = [run for run in advice.similar if run.outcome == "success"] or advice.similar
        context |= {"call": question.call, "skill": skill, "similar": similar[:MOST_SIMILAR]}
        if check := advice.check:
            all_with, all_without = check.well_with + check.ill_with, check.well_without + check.ill_without
            context["case_counts"] = {"with_it": all_with, "without_it": all_without}
    return render(request, "agents/helped.html", context)


def _question(episode: Episode) -> GuidanceQuestion | None:
    """The run as it was before its first change, and that change; None where no user spoke."""
    [recording] = recorded.read([episode])
    run = recording.run
    if not run.user_messages:
        return None
    until = first_change(run, tool_rules([episode]))
    change = next((call for call in run.steps if call.position == until), None)
    change_request = AboutTo(tool=change.name, arguments=dict(change.arguments)) if change else None
    request = GuidanceRequest(
        task=run.user_messages[0].text[:LONGEST_TASK],
        about_to=change_request,
        scopes=[episode.scope] if episode.scope else [],
    )
    return GuidanceQuestion(request, _run_before(run, until))


def _run_before(run: Any, until: int | None) -> Any:
    if until is None:
        return run
    return replace(run, calls=_parts_before(run.calls, until), messages=_parts_before(run.messages, until))


def _parts_before(parts: Sequence[Any], until: int) -> tuple[Any, ...]:
    return tuple(part for part in parts if part.position < until)


@never_cache
@require_safe
def arrivals(request: HttpRequest, agent_id: Any) -> HttpResponse:
    trust, now = _reviewer(request), timezone.now()
    agent = get_object_or_404(Agent.objects.visible_to(trust), pk=agent_id)
    return render(request, "agents/_arrivals.html", arrivals_of(agent, trust=trust, at=now))


@never_cache
@require_safe
def first_report(request: HttpRequest) -> HttpResponse:
    """The line of an empty store that tells whether an agent has reported anything yet."""
    by_agents = Memory.objects.visible_to(_reviewer(request)).filter(created_by_id__startswith=f"{ActorKind.AGENT}:")
    return render(request, "agents/_connected.html", {"report": by_agents.order_by("pk").first(), "polls": True})


def _reviewer(request: HttpRequest) -> Trust:
    return permitted(request.user, Permission.REVIEW, "only reviewers may see agents' reports")


def arrivals_of(agent: Agent, *, trust: Trust, at: datetime) -> dict[str, Any]:
    """The newest runs of the last hour that the reader may see, each with its first events, and how often it called."""
    counts.write(at=at)
    agent.refresh_from_db(fields=["calls", "calls_on", "last_used_at"])
    rows = Episode.objects.visible_to(trust).filter(
        memory__created_by_id=agent.trust.actor.identity, last_event_at__gte=at - LATELY
    )
    events = Event.objects.visible_to(trust).filter(position__lte=MOST_EVENTS).order_by("position")
    rows_with_events = rows.order_by("-last_event_at").prefetch_related(
        Prefetch("events", events, to_attr="first_events")
    )
    episodes = list(rows_with_events.select_related("memory")[:MOST_EPISODES])
    return {"agent": agent, "episodes": episodes, "report": episodes[0].memory if episodes else None}
