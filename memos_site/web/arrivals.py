"""What has arrived from an agent lately, on its page and where its token is shown, renewed every two seconds."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.api.call_limits import counts
from memories.models import Agent, Episode, Event, Memory
from memories.people import permitted
from memories.values.choices import ActorKind, Permission
from memories.values.trust import Trust

MOST_EPISODES, MOST_EVENTS = 3, 6
LATELY = timedelta(hours=1)


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
    return permitted(request.user, Permission.REVIEW, "only reviewers see what agents report")


def arrivals_of(agent: Agent, *, trust: Trust, at: datetime) -> dict[str, Any]:
    """The newest runs of the last hour that the reader may see, each with its first events, and how often it called."""
    counts.write(at=at)
    agent.refresh_from_db(fields=["calls", "calls_on", "last_used_at"])
    rows = Episode.objects.visible_to(trust).filter(
        memory__created_by_id=agent.trust.actor.identity, last_event_at__gte=at - LATELY
    )
    events = Event.objects.visible_to(trust).filter(position__lte=MOST_EVENTS).order_by("position")
    shown = rows.order_by("-last_event_at").prefetch_related(Prefetch("events", events, to_attr="first_events"))
    episodes = list(shown.select_related("memory")[:MOST_EPISODES])
    return {"agent": agent, "episodes": episodes, "report": episodes[0].memory if episodes else None}
