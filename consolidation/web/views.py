"""The page of background runs: progress, counters and errors."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from consolidation.models import Pattern, Run
from consolidation.models.groups import Unread
from memories.models import Episode
from memories.people import trust_of
from memories.web.paging import page_of

MOST_SHOWN = 20  # of what was set aside: enough to see what is wrong


@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    trust = trust_of(request.user)
    page = page_of(request, Run.objects.visible_to(trust))
    aside = Episode.objects.visible_to(trust).set_aside().select_related("memory").defer("environment", "artifacts")
    stuck = Pattern.objects.visible_to(trust).stuck()
    unread = Unread.objects.visible_to(trust).set_aside().select_related("episode").order_by("-pk")
    context = {
        "page": page,
        "aside": aside.order_by("-closed_at")[:MOST_SHOWN],
        "stuck": stuck[:MOST_SHOWN],
        "unread": unread[:MOST_SHOWN],
    }
    return render(request, "consolidation/runs.html", context)
