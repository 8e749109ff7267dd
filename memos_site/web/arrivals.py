"""What has arrived from an agent lately, on its page and where its token is shown, renewed every two seconds."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.api.call_counts import counts
from memories.models import Agent, Episode, Event
from memories.people import trust_of
from memories.values.choices import Permission
from memories.values.exceptions import NotAllowed
from memories.values.trust import Trust

MOST_EPISODES, MOST_EVENTS = 3, 6
LATELY = timedelta(hours=1)


@never_cache
@require_safe
def arrivals(request: HttpRequest, agent_id: Any) -> HttpResponse:
    trust, now = trust_of(request.user), timezone.now()
    if not trust.may(Permission.REVIEW):
        raise NotAllowed("only reviewers see what agents report")
    agent = get_object_or_404(Agent.objects.visible_to(trust), pk=agent_id)
    return render(request, "agents/_arrivals.html", arrivals_of(agent, trust=trust, at=now))


def arrivals_of(agent: Agent, *, trust: Trust, at: datetime) -> dict[str, Any]:
    """The newest runs of the last hour that the reader may see, each with its first events, and how often it called."""
    counts.write(at=at)
    agent.refresh_from_db(fields=["calls", "calls_on", "last_used_at"])
    rows = Episode.objects.visible_to(trust).filter(
        memory__created_by_id=agent.trust.actor.identity, last_event_at__gte=at - LATELY
    )
    events = Event.objects.visible_to(trust).filter(position__lte=MOST_EVENTS).order_by("position")
    shown = rows.order_by("-last_event_at").prefetch_related(Prefetch("events", events, to_attr="first_events"))
    return {"agent": agent, "episodes": list(shown[:MOST_EPISODES])}
