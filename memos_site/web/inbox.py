"""Inbox page: what waits for a person, as one queue."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.people import trust_of
from memories.web.paging import page_of
from memos_site import review
from memos_site.web import inbox_rows
from memos_site.web.responses import by_htmx, inbox_path

FIRST_ROWS = 3  # rows of the first page, which stays below 100 KB
MORE_ROWS = 20  # rows of each further page, loaded on scrolling


@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """Render the inbox; for htmx only the next rows."""
    trust, filters = trust_of(request.user), inbox_rows.filters_of(request.GET.dict())
    sort = request.GET.get("sort", "")
    order, more = review.ORDERS.get(sort, review.ORDER), by_htmx(request)
    also = [inbox_rows.proposals(trust, **filters)]
    limit = MORE_ROWS if more else FIRST_ROWS
    page = page_of(request, inbox_rows.rows(trust, **filters), order, limit=limit, also=also)
    if more:
        return render(request, "inbox/_rows.html", {"page": page})
    kinds = inbox_rows.kinds(trust, filters)
    given = {name: value for name, value in filters.items() if value}
    context = {
        "page": page,
        "htmx_page": True,
        "bulk_allowed": filters["kind"] not in review.PROPOSALS,  # those are decided one by one
        "kinds": kinds,
        "filters": given,
        "sort": sort,
        "is_filtered": bool(set(given) - {"kind"} or sort),
        "choices": inbox_rows.choices(trust),
        "as_of": timezone.now().isoformat(),
        "matching_count": _matching_count(filters["kind"], kinds),
        "today_counts": inbox_rows.today(trust) if not page.rows and not given else [],
    }
    return render(request, "inbox/inbox.html", context)


@require_safe
def edit(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Render the edit form in place of a row's link; without scripts the link leads to the memory's page."""
    memory = get_object_or_404(inbox_rows.rows(trust_of(request.user)), pk=memory_id)
    return render(request, "inbox/_edit.html", {"memory": memory, "inbox_path": inbox_path(request)})


def _matching_count(kind: str, kinds: list[dict[str, object]]) -> int:
    """Count the memories of the tab within the filters; proposals, which are decided singly, do not count."""
    counts = {str(row["value"]): int(str(row["n"])) for row in kinds if row["value"] not in review.PROPOSALS}
    return counts.get(kind, 0) if kind else sum(counts.values())
