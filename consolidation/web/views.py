"""The page of background runs: progress, counters and errors."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from consolidation.models import Pattern, Run
from consolidation.models.groups import Unread
from memories.models import Episode
from memories.people import trust_of
from memories.web.paging import page_of

MAX_SHOWN = 20  # of what was set aside: enough to see what is wrong


@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    trust = trust_of(request.user)
    page = page_of(request, Run.objects.visible_to(trust))
    failed_episodes = Episode.objects.visible_to(trust).set_aside().select_related("memory")
    failed_patterns = Pattern.objects.visible_to(trust).stuck()
    failed_events = Unread.objects.visible_to(trust).set_aside().select_related("episode").order_by("-pk")
    context = {
        "page": page,
        "failed_episodes": failed_episodes.defer("environment", "artifacts").order_by("-closed_at")[:MAX_SHOWN],
        "failed_patterns": failed_patterns[:MAX_SHOWN],
        "failed_events": failed_events[:MAX_SHOWN],
    }
    return render(request, "consolidation/runs.html", context)
