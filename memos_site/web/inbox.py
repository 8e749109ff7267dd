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
from memories.web.grounds import attach_compared, contests_of, nearest_to, voices_of, voices_of_each
from memories.web.paging import cursor_of
from memos_site import review
from memos_site.web import bulk_orders, inbox_page, inbox_rows, saved_views
from memos_site.web.agents import NEW_AGENT
from memos_site.web.inbox_rows import MAX_COUNTED
from memos_site.web.responses import answer, by_htmx, decided_count, inbox_path, snoozed_kind, too_late

FIRST_ROWS = 8  # rows of the first page, which stays below 100 KB
MORE_ROWS = 20  # rows of each further page, loaded on scrolling
MOST_COMPARED = 2  # claims of a proposal whose voices the pane shows


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
    counted = inbox_rows.kinds(trust, filters, views, orders_of=request.user.pk)
    query = saved_views.query_of(request.GET.dict())
    kinds = counted.rows
    given = {name: value for name, value in filters.items() if value}
    narrowed = given.keys() - {"kind"}
    context: dict[str, Any] = {
        "page": page,
        "orders": bulk_orders.under_way(request) if counted.has_orders else [],
        "htmx_page": True,
        "kinds": kinds,
        "views": views,
        "query": query,
        "view": next((view for view in views if view.query == query), None),
        "filters": given,
        "sort": sort,
        "is_filtered": bool(narrowed or sort),
        "choices": inbox_rows.choices(values, filters) if page.rows or narrowed or sort else {},
        "as_of": timezone.now().isoformat(),
        "last": last,
        "crowding": Agent.objects.identified(*last.split(",")).order_by("name") if last else [],
        **counted.matching(filters["kind"]),
        "waiting_shown": counted.waiting,
        "decided_count": decided_count(request) if trust.may(Permission.REVIEW) else "0",
        "asked_tools": ToolUse.objects.asked(trust).count() if decides_about_tools(trust) else 0,
        "zero": inbox_rows.inbox_zero(trust, kinds) if not page.rows and not given else None,
    }
    if context["zero"] and context["zero"]["is_new"]:
        context |= {"administers": administers(request.user), "new_agent": NEW_AGENT}
    return render(request, "inbox/inbox.html", context)


def _page(
    request: HttpRequest, trust: Trust, filters: dict[str, str], order: Order, *, limit: int, last: str
) -> Page[Any]:
    try:
        given: dict[str, Any] = {"limit": limit, "cursor": cursor_of(request), "last": last}
        return inbox_page.page_of_waiting(trust, filters, order, at=timezone.now(), **given)
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
        decided = inbox_rows.decided_memory(trust, memory_id)
        if decided is None or not by_htmx(request):
            raise Http404("no such memory waits")
        late = Conflict(f"it has changed since you saw it; it is {decided.status} now")
        return answer(request, too_late(late), conflict=True, decided_memory=decided)
    return render(request, "inbox/_edit.html", {"memory": memory, "inbox_path": inbox_path(request)})


@never_cache
@require_safe
def unread(request: HttpRequest) -> HttpResponse:
    """Answer a number with its sentence, nothing of what waits. 0 without a time to count from; `at`: now."""
    now, since = timezone.now(), parse_instant(request.GET.get("since"))
    n = review.new_count(trust_of(request.user), since=since, at=now, most=MAX_COUNTED) if since else 0
    shown = inbox_rows.shown_count(n)
    text = ngettext("%(n)s new decision waits for you.", "%(n)s new decisions wait for you.", n) % {"n": shown}
    return JsonResponse({"n": n, "shown": shown, "text": text, "at": format_instant(now)})


@require_safe
def memory_pane(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Render the grounds of a memory in full, beside the queue."""
    trust = trust_of(request.user)
    row = get_object_or_404(inbox_rows.visible(trust).select_related("skill_lines"), pk=memory_id)
    opponents, contested = contests_of(row, trust)
    named = {memory.pk for memory in (*opponents, *contested)}
    context = {
        "memory": row,
        "resemblance": resemblance_of(row, trust),
        "voices": voices_of(row, trust),
        "opponents": opponents,
        "contested_memories": contested,
        "nearest": [near for near in nearest_to(row, trust) if near.memory and near.memory.pk not in named],
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
        "voices_of_claims": zip(claims, voices_of_each(claims, trust), strict=True),
        "is_named": len(several) > 1,
    }
    return render(request, "inbox/_proposal_pane.html", context)
