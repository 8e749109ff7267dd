"""The inbox: what waits for a person, as one queue."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.people import trust_of
from memories.views.pages import page_of
from memos_site import desk
from memos_site.views import queue

ROWS = 4  # keeps the page below 100 KB; the rest follows as one scrolls


@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    trust = trust_of(request.user)
    asked = {name: request.GET.get(name, "") for name in queue.FILTERS}
    page = page_of(request, queue.rows(trust, **asked), desk.ORDER, limit=ROWS, also=[queue.proposals(trust, **asked)])
    kinds = queue.kinds(trust)
    context = {
        "page": page,
        "many": asked["kind"] not in desk.PROPOSALS,  # those are decided one by one
        "kind": asked["kind"],
        "kinds": kinds,
        "asked": {name: value for name, value in asked.items() if value},
        "as_of": timezone.now().isoformat(),
        "matching": _matching(asked, kinds),
    }
    return render(request, "inbox/page.html", context)


@require_safe
def edit(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The form that takes the place of a row's link to edit; without scripts that leads to the memory's page."""
    memory = get_object_or_404(queue.rows(trust_of(request.user)), pk=memory_id)
    return render(request, "inbox/_edit.html", {"memory": memory})


def _matching(asked: dict[str, str], kinds: list[dict[str, object]]) -> int:
    """How many memories the tab holds; 0 where a filter narrows it further, or where proposals stand, one by one."""
    if any(value for name, value in asked.items() if name != "kind"):
        return 0
    counted = {str(kind["value"]): int(str(kind["n"])) for kind in kinds if kind["value"] not in desk.PROPOSALS}
    return counted.get(asked["kind"], 0) if asked["kind"] else sum(counted.values())
