"""The inbox: what waits for a person, as one queue."""

from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.people import trust_of
from memories.web.paging import page_of
from memos_site import review
from memos_site.web import inbox_rows
from memos_site.web.responses import by_htmx, inbox_of

ROWS = 3  # of the page, which stays below 100 KB with them
MORE = 20  # that follow as one scrolls


@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    trust, asked, sort = trust_of(request.user), inbox_rows.asked_of(request.GET.dict()), request.GET.get("sort", "")
    order, more = review.ORDERS.get(sort, review.ORDER), by_htmx(request)
    also = [inbox_rows.proposals(trust, **asked)]
    page = page_of(request, inbox_rows.rows(trust, **asked), order, limit=MORE if more else ROWS, also=also)
    if more:
        return render(request, "inbox/_rows.html", {"page": page})
    kinds = inbox_rows.kinds(trust, asked)
    narrowed = {name: value for name, value in asked.items() if value}
    context = {
        "page": page,
        "quick": True,
        "many": asked["kind"] not in review.PROPOSALS,  # those are decided one by one
        "kind": asked["kind"],
        "kinds": kinds,
        "asked": narrowed,
        "sort": sort,
        "kept": urlencode({**narrowed, "sort": sort, "kind": ""}),
        "narrow": set(narrowed) - {"kind"} or sort,
        "choices": inbox_rows.choices(trust),
        "as_of": timezone.now().isoformat(),
        "matching": _matching(asked["kind"], kinds),
        "today": inbox_rows.today(trust) if not page.rows and not narrowed else [],
    }
    return render(request, "inbox/page.html", context)


@require_safe
def edit(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The form that takes the place of a row's link to edit; without scripts that leads to the memory's page."""
    memory = get_object_or_404(inbox_rows.rows(trust_of(request.user)), pk=memory_id)
    return render(request, "inbox/_edit.html", {"memory": memory, "inbox": inbox_of(request)})


def _matching(kind: str, kinds: list[dict[str, object]]) -> int:
    """How many memories the tab holds as it is narrowed; proposals are decided one by one."""
    counted = {str(one["value"]): int(str(one["n"])) for one in kinds if one["value"] not in review.PROPOSALS}
    return counted.get(kind, 0) if kind else sum(counted.values())
