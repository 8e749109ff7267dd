"""The pane beside the queue: the grounds of one waiting row in full, loaded as the row comes into hand."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from memories.intake.claims import resemblance_of
from memories.people import trust_of
from memories.web.compared import attach_compared
from memories.web.grounds import contests_of, nearest_to, voices_of, voices_of_each
from memos_site.web import inbox_rows

MOST_COMPARED = 2  # claims of a proposal whose voices are shown


@require_safe
def memory(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Render the grounds of a memory."""
    trust = trust_of(request.user)
    row = get_object_or_404(inbox_rows.visible(trust).select_related("skill_lines"), pk=memory_id)
    opponents, contested = contests_of(row, trust)
    named = {one.pk for one in (*opponents, *contested)}
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
def proposal(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
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
