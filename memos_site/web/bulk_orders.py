"""A bulk decision that a run carries out: its progress, its own page, and where else the same is known."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from consolidation.models import BulkOrder, Run
from memories.intake import equal_claims
from memories.models import AuditEntry
from memories.people import trust_of
from memos_site import review
from memos_site.web import action_words
from memos_site.web.memory_links import plain_names_of
from memos_site.web.responses import Steps, history_of
from memos_site.web.sentences import sentence

MAX_FIRST = 20  # rows that its page names
MAX_NAME = 120  # characters


def under_way(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the orders of the person that a run carries out; how others ended is told once, as a message with undo."""
    states = []
    for order in BulkOrder.objects.to_tell(request.user.pk):
        if order.run.is_unfinished:
            states.append(_state(order))
        elif order.tell(at=timezone.now()):
            level = messages.SUCCESS if order.run.status == Run.Status.SUCCEEDED else messages.WARNING
            messages.add_message(request, level, action_words.of_order(order), extra_tags=_steps(request, order).tags)
    return states


def _steps(request: HttpRequest, order: BulkOrder) -> Steps:
    if order.verb == "undo":
        return Steps(undo=history_of(request).undo_before(), redo=order.batch)
    return Steps(undo=order.batch if order.done_count else None)


def _state(order: BulkOrder) -> dict[str, Any]:
    return {"order": order, "run": order.run, "text": action_words.of_order(order)}


@require_safe
def order_page(request: HttpRequest, order_id: UUID) -> HttpResponse:
    """Render an order: its progress, the first rows of it, what was not decided and why, whether it was taken back."""
    order = get_object_or_404(BulkOrder.objects.light(), pk=order_id)
    batch_state = review.batch_state(order.batch, undoes=order.undoes)
    is_redo = batch_state.undoes > 0 and batch_state.undoes % 2 == 0
    is_at_rest = not order.run.is_unfinished or order.run.status == Run.Status.PAUSED
    orders = {row.batch: row for row in BulkOrder.objects.light().filter(batch__in=[order.undoes, batch_state.latest])}
    first, refused_ids = _first_ids(order), [UUID(refusal["id"]) for refusal in order.refused]
    names = plain_names_of([*first, *refused_ids], trust_of(request.user), longest=MAX_NAME)
    rows = _refused_rows(request, order, names)
    context = _state(order) | {
        "text": action_words.title_of_order(order, is_redo=is_redo),
        "live": not is_at_rest,
        "first": {pk: names[pk] for pk in first if pk in names},
        "refused": rows,
        "unlisted_count": order.refused_count - len(rows),
        "may_undo": order.done_count and is_at_rest,
        "standing": batch_state,
        "is_redo": is_redo,
        "taken_back": orders.get(order.undoes) if order.undoes else None,
        "taking_back": orders.get(batch_state.latest) if batch_state.is_undone else None,
    }
    return render(request, "inbox/bulk-order.html", context)


def _first_ids(order: BulkOrder) -> list[UUID]:
    """Return the first memories that were decided about."""
    entries = AuditEntry.objects.of_batch(order.batch).filter(subject_kind="memory")
    return list(dict.fromkeys(entries.values_list("subject_id", flat=True)[:MAX_FIRST]))


@require_safe
def line(request: HttpRequest, order_id: UUID) -> HttpResponse:
    """Render the line of progress above the queue."""
    order = get_object_or_404(BulkOrder.objects.light(), pk=order_id)
    return render(request, "inbox/_under_way.html", _state(order) | {"ended": not order.run.is_unfinished})


def _refused_rows(request: HttpRequest, order: BulkOrder, names: Mapping[UUID, str]) -> list[dict[str, Any]]:
    """Return the rows that were refused, each with the reason; to others than its person those that they may see."""
    is_own = order.person_id == request.user.pk
    return [
        {"id": row["id"], "name": names.get(UUID(row["id"]), ""), "why": sentence(row["detail"])}
        for row in order.refused
        if is_own or UUID(row["id"]) in names
    ]


@require_safe
def known_elsewhere(request: HttpRequest, batch: UUID) -> HttpResponse:
    """Render the live equals in other scopes of what a batch dismissed, as far as the reader may see them."""
    dismissals = equal_claims.known_beside(batch, trust_of(request.user), at=timezone.now())
    is_more = len(equal_claims.dismissed_by(batch)) > equal_claims.MOST_COMPARED
    context = {"dismissals": dismissals, "is_more": is_more, "most": equal_claims.MOST_COMPARED}
    return render(request, "inbox/known-elsewhere.html", context)
