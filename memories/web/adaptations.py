"""The page of adaptations: changes of agents' behaviour, active and ended."""

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memories.models import Adaptation
from memories.models.adaptation import AdaptationQuerySet
from memories.people import trust_of
from memories.web.paging import page_of

MAX_PLUGINS = 50  # most plugins in the filter


@require_safe
def adaptations(request: HttpRequest) -> HttpResponse:
    visible = Adaptation.objects.visible_to(trust_of(request.user))
    past, plugin = bool(request.GET.get("past")), request.GET.get("plugin", "")
    rows = visible.filter(reverted_at__isnull=not past)
    active = Count("pk", filter=Q(reverted_at=None))
    context = {
        "page": page_of(
            request,
            (rows.filter(plugin=plugin) if plugin else rows).select_related("memory"),
            ("-reverted_at", "-id") if past else ("-applied_at", "-id"),
        ),
        "past": past,
        "plugin": plugin,
        "plugins": [(name, name) for name in _plugins(visible)],
        "counts": visible.aggregate(active=active, past=Count("pk") - active),
    }
    return render(request, "memories/adaptations.html", context)


def _plugins(visible: AdaptationQuerySet) -> list[str]:
    return list(visible.order_by("plugin").values_list("plugin", flat=True).distinct()[:MAX_PLUGINS])
