"""Page of what a person decided since signing in, newest first, with undo and redo at each."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.models import Memory, Proposal
from memories.models.proposal import PROPOSAL
from memories.people import trust_of
from memories.values.trust import Trust
from memos_site import review
from memos_site.web import action_words
from memos_site.web.memory_links import MAX_NAME, MAX_NAMED, short_name
from memos_site.web.responses import history_of

ROWS = 50  # decisions of one page


@require_safe
def decided(request: HttpRequest) -> HttpResponse:
    """Render the decisions of the session; `page` counts back from the newest."""
    trust, history = trust_of(request.user), history_of(request)
    batches = list(reversed(history.latest))
    number = max(1, int(page)) if (page := request.GET.get("page", "1")).isdecimal() and len(page) < 5 else 1
    past = review.past_decisions(trust, history, batches[(number - 1) * ROWS : number * ROWS])
    memories = _memories(trust, past)
    context = {
        "decisions": [_row(decision, memories) for decision in past],
        "count": history.decided_count,
        "is_cut": history.is_cut,
        "newer": number - 1 or None,
        "older": number + 1 if len(batches) > number * ROWS else None,
    }
    return render(request, "inbox/decided.html", context)


def _row(past: review.PastDecision, memories: dict[UUID, Memory]) -> dict[str, Any]:
    """Return what the row of a decision shows: the words for it, the memories that it names, how it stands."""
    entry = past.entry
    named = [memories[entry.subject_id] for entry in past.entries if entry.subject_id in memories]
    distinct = list(dict.fromkeys(named))[: MAX_NAMED if past.row_count > 1 else 1]
    return {
        "past": past,
        "entry": entry,
        "done": action_words.done(entry),
        "memories": [(memory, short_name(memory, MAX_NAME)) for memory in distinct],
        "more": max(0, past.row_count - len(distinct)) if distinct else 0,
    }


def _memories(trust: Trust, past: list[review.PastDecision]) -> dict[UUID, Memory]:
    """Return subject id -> memory that decisions are about, those of proposals too, as far as visible."""
    subjects: dict[str, set[UUID]] = {"memory": set(), PROPOSAL: set()}
    for entry in (entry for decision in past for entry in decision.entries):
        subjects.setdefault(entry.subject_kind, set()).add(entry.subject_id)
    memories = Memory.objects.visible_to(trust).unexpired(timezone.now()).select_related("skill")
    memories_by_id: dict[UUID, Memory] = memories.in_bulk(subjects["memory"])
    if subjects[PROPOSAL]:
        about = dict(
            Proposal.objects.visible_to(trust).filter(pk__in=subjects[PROPOSAL]).values_list("pk", "memory_id")
        )
        rows = memories.in_bulk(about.values())
        memories_by_id |= {proposal: rows[memory] for proposal, memory in about.items() if memory in rows}
    return memories_by_id
