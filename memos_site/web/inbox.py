"""Inbox page: what waits for a person, as one queue; the pane with the grounds of one row; how many are new."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from consolidation.models import ToolUse
from consolidation.web.tools import decides_about_tools
from memories.intake.claims import resemblance_of
from memories.models import Agent, SavedView
from memories.people import administers, trust_of
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, Invalid
from memories.values.field_errors import format_instant, parse_instant
from memories.values.keyset import Order, Page
from memories.values.trust import Trust
from memories.web.grounds import attach_compared, contests_of, nearest_to, occasions_of, occasions_of_each
from memories.web.paging import cursor_of
from memos_site import review
from memos_site.web import bulk_orders, inbox_page, inbox_rows, saved_views
from memos_site.web.agents import NEW_AGENT
from memos_site.web.inbox_rows import MAX_COUNTED
from memos_site.web.responses import answer, by_htmx, decided_count, inbox_path, snoozed_kind, too_late

FIRST_ROWS = 8  # rows of the first page, which stays below 100 KB
MORE_ROWS = 20  # rows of each further page, loaded on scrolling
MOST_COMPARED = 2  # claims of a proposal whose occasions the pane shows


@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """Render the inbox; for htmx only the next rows."""
    trust, filters = trust_of(request.user), inbox_rows.filters_of(request.GET.dict())
    sort = request.GET.get("sort", "")
    order, more = inbox_rows.order_of(filters["kind"], sort), by_htmx(request)
    values = {} if more else inbox_rows.values_of_waiting(trust)
    last = inbox_rows.last_of(request.GET.dict(), values)
    page = _page(request, trust, filters, order, limit=MORE_ROWS if more else FIRST_ROWS, last=last)
    attach_compared(page.rows, trust)
    if more:
        return render(request, "inbox/_rows.html", {"page": page, "last": last})
    views = list(SavedView.objects.of(request.user))  # type: ignore[arg-type]  # signed in, says the middleware
    counts = inbox_rows.kinds(trust, filters, views, orders_of=request.user.pk)
    query = saved_views.query_of(request.GET.dict())
    kinds = counts.rows
    set_filters = {name: value for name, value in filters.items() if value}
    narrowing_names = set_filters.keys() - {"kind"}
    context: dict[str, Any] = {
        "page": page,
        "orders": bulk_orders.under_way(request) if counts.has_orders else [],
        "htmx_page": True,
        "kinds": kinds,
        "views": views,
        "query": query,
        "view": next((view for view in views if view.query == query), None),
        "filters": set_filters,
        "sort": sort,
        "is_filtered": bool(narrowing_names or sort),
        "choices": inbox_rows.choices(values, filters) if page.rows or narrowing_names or sort else {},
        "as_of": timezone.now().isoformat(),
        "last": last,
        "crowding": Agent.objects.identified(*last.split(",")).order_by("name") if last else [],
        **counts.matching(filters["kind"]),
        "waiting_shown": counts.waiting,
        "decided_count": decided_count(request) if trust.may(Permission.REVIEW) else "0",
        "asked_tools": ToolUse.objects.asked(trust).count() if decides_about_tools(trust) else 0,
        "zero": inbox_rows.inbox_zero(trust, kinds) if not page.rows and not set_filters else None,
    }
    if context["zero"] and context["zero"]["is_new"]:
        context |= {"administers": administers(request.user), "new_agent": NEW_AGENT}
    return render(request, "inbox/inbox.html", context)


def _page(
    request: HttpRequest, trust: Trust, filters: dict[str, str], order: Order, *, limit: int, last: str
) -> Page[Any]:
    try:
        options: dict[str, Any] = {"limit": limit, "cursor": cursor_of(request), "last": last}
        return inbox_page.page_of_waiting(trust, filters, order, at=timezone.now(), **options)
    except Invalid as invalid:
        raise Http404(str(invalid)) from None


@require_safe
def edit(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Render the edit form in place of a row's link; without scripts the link leads to the memory's page.

    What does not wait any more is answered as a decision that came too late (409), with the one that was faster.
    """
    trust = trust_of(request.user)
    memory = inbox_rows.rows(trust, kind=snoozed_kind(request)).filter(pk=memory_id).first()
    if memory is None:
        decided_memory = inbox_rows.decided_memory(trust, memory_id)
        if decided_memory is None or not by_htmx(request):
            raise Http404("no such memory waits")
        conflict = Conflict(f"it has changed since you saw it; it is {decided_memory.status} now")
        return answer(request, too_late(conflict), conflict=True, decided_memory=decided_memory)
    return render(request, "inbox/_edit.html", {"memory": memory, "inbox_path": inbox_path(request)})


@never_cache
@require_safe
def unread(request: HttpRequest) -> HttpResponse:
    """Answer a number with its sentence, nothing of what waits. 0 without a time to count from; `at`: now."""
    now, since = timezone.now(), parse_instant(request.GET.get("since"))
    n = review.new_count(trust_of(request.user), since=since, at=now, most=MAX_COUNTED) if since else 0
    count_text = inbox_rows.shown_count(n)
    text = ngettext("%(n)s new decision waits for you.", "%(n)s new decisions wait for you.", n) % {"n": count_text}
    return JsonResponse({"n": n, "shown": count_text, "text": text, "at": format_instant(now)})


@require_safe
def memory_pane(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Render the grounds of a memory in full, beside the queue."""
    trust = trust_of(request.user)
    row = get_object_or_404(inbox_rows.visible(trust).select_related("skill_lines"), pk=memory_id)
    opponents, contested_memories = contests_of(row, trust)
    shown_ids = {memory.pk for memory in (*opponents, *contested_memories)}
    context = {
        "memory": row,
        "resemblance": resemblance_of(row, trust),
        "occasions": occasions_of(row, trust),
        "opponents": opponents,
        "contested_memories": contested_memories,
        "nearest": [near for near in nearest_to(row, trust) if near.memory and near.memory.pk not in shown_ids],
    }
    return render(request, "inbox/_pane.html", context)


@require_safe
def proposal_pane(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    """Render what a proposal would change and who said what it is about: of several claims the first MOST_COMPARED."""
    trust = trust_of(request.user)
    row = get_object_or_404(inbox_rows.every_proposal(trust), pk=proposal_id)
    attach_compared([row], trust)
    several = getattr(row, "compared", [])[:MOST_COMPARED]
    claims = several or [row.memory]
    context: dict[str, Any] = {
        "proposal": row,
        "memory": row.memory,
        "occasions_of_claims": zip(claims, occasions_of_each(claims, trust), strict=True),
        "is_named": len(several) > 1,
    }
    return render(request, "inbox/_proposal_pane.html", context)
