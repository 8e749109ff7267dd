"""What a person decided since signing in, newest first, and undo and redo of it."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from memories.models import AuditEntry, Memory, Proposal
from memories.models.proposal import PROPOSAL
from memories.people import trust_of
from memories.values.exceptions import Conflict, NotAllowed, NotFound
from memories.values.trust import Trust
from memos_site import review
from memos_site.web import action_words, inbox_rows
from memos_site.web.memory_links import MAX_NAME, MAX_NAMED, names_text, short_name
from memos_site.web.responses import Steps, answer, by_htmx, history_of, posted, refuse, snoozed_kind
from memos_site.web.sentences import sentence

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


def _row(decision: review.PastDecision, memories: dict[UUID, Memory]) -> dict[str, Any]:
    """Return what the row of a decision shows: the words for it, the memories that it names, how it stands."""
    entry = decision.entry
    named_memories = [memories[entry.subject_id] for entry in decision.entries if entry.subject_id in memories]
    distinct = list(dict.fromkeys(named_memories))[: MAX_NAMED if decision.row_count > 1 else 1]
    return {
        "past": decision,
        "entry": entry,
        "done": action_words.entry_text(entry),
        "memories": [(memory, short_name(memory, MAX_NAME)) for memory in distinct],
        "more": max(0, decision.row_count - len(distinct)) if distinct else 0,
    }


def _memories(trust: Trust, decisions: list[review.PastDecision]) -> dict[UUID, Memory]:
    """Return subject id -> memory that decisions are about, those of proposals too, as far as visible."""
    subjects: dict[str, set[UUID]] = {"memory": set(), PROPOSAL: set()}
    for entry in (entry for decision in decisions for entry in decision.entries):
        subjects.setdefault(entry.subject_kind, set()).add(entry.subject_id)
    memories = Memory.objects.visible_to(trust).unexpired(timezone.now()).select_related("skill")
    memories_by_id: dict[UUID, Memory] = memories.in_bulk(subjects["memory"])
    if subjects[PROPOSAL]:
        memory_of_proposal = dict(
            Proposal.objects.visible_to(trust).filter(pk__in=subjects[PROPOSAL]).values_list("pk", "memory_id")
        )
        rows = memories.in_bulk(memory_of_proposal.values())
        memories_by_id |= {proposal: rows[memory] for proposal, memory in memory_of_proposal.items() if memory in rows}
    return memories_by_id


MAX_ROWS = 50  # most rows sent as fragments; above that the page is reloaded


@posted
def undo(request: HttpRequest, batch: UUID) -> HttpResponse:
    """Undo one batch; the answer offers to undo the latest decision still in force, and to take this undo back."""
    trust = trust_of(request.user)
    try:
        if review.is_large(batch):
            return _order_undo(request, batch)
        done = review.undo(trust, batch, at=timezone.now())
    except Conflict as conflict:
        text = _("Not undone: %(why)s") % {"why": sentence(str(conflict))}
        steps = _steps_past(history_of(request), batch, _below(request))
        return answer(request, text, conflict=True, steps=steps)
    except (NotFound, NotAllowed) as refusal:
        return refuse(refusal)
    history = history_of(request)
    redone = done.batch in history.decisions
    if redone:
        steps = Steps(undo=done.batch, redo=history.redo_before())
    else:
        below = _below(request)
        steps = Steps(undo=history.undo_before(below), redo=done.batch, below=below)
    return _answer(request, trust, done, _message(done, trust, redone=redone), steps)


def _order_undo(request: HttpRequest, batch: UUID) -> HttpResponse:
    """Queue a run that undoes a batch too large for a request; the queue or the page of the run shows its progress."""
    assert isinstance(request.user, User)  # signed in, says the middleware
    order = review.order_undo(request.user, batch, at=timezone.now())
    return HttpResponseClientRefresh() if by_htmx(request) else redirect("bulk-order", order_id=order.pk)


def _below(request: HttpRequest) -> UUID | None:
    """Return the batch that could not be undone on the way to this one; None for none."""
    try:
        return UUID(request.POST["below"])
    except (KeyError, ValueError):
        return None


def _steps_past(history: review.History, batch: UUID, below: UUID | None) -> Steps:
    """Return the steps to offer after a batch that could not be undone."""
    if batch in history.undos:
        return Steps(undo=history.undo_before(below), redo=history.redo_before(batch), below=below)
    past = batch if batch in history.decisions else below
    return Steps(undo=history.undo_before(past), redo=history.redo_before(), below=past)


def _message(done: review.UndoResult, trust: Trust, *, redone: bool) -> str:
    names = names_text(done.undone, trust)
    if done.refused:
        facts = {
            "n": len(done.undone),
            "not": len(done.refused),
            "why": sentence(done.refused[0]["why"]),
            "names": names,
        }
        if redone:
            return _("Redone %(n)s: %(names)s; %(not)s not: %(why)s") % facts
        return _("Undone %(n)s: %(names)s; %(not)s not: %(why)s") % facts
    return (_("Redone: %(names)s") if redone else _("Undone: %(names)s")) % {"names": names}


def _answer(request: HttpRequest, trust: Trust, result: review.UndoResult, text: str, steps: Steps) -> HttpResponse:
    """Answer with each row in its present state: those that wait again, and the decided ones."""
    if not by_htmx(request):
        return answer(request, text, steps=steps)
    if len(result.undone) > MAX_ROWS:
        messages.success(request, text, extra_tags=steps.tags)
        return HttpResponseClientRefresh()
    proposal_ids = AuditEntry.objects.of_batch(result.batch).filter(subject_kind=PROPOSAL).values("subject_id")
    kind = snoozed_kind(request)
    waiting_rows = list(inbox_rows.rows(trust, kind=kind).filter(pk__in=result.undone))
    proposals = list(inbox_rows.proposals(trust, kind=kind).filter(pk__in=proposal_ids))
    return answer(
        request,
        text,
        batch=result.batch,
        steps=steps,
        restored_rows=[*waiting_rows, *proposals],
        decided_memories=inbox_rows.decided_memories(trust, set(result.undone) - {row.pk for row in waiting_rows}),
        decided_proposals=inbox_rows.every_proposal(trust)
        .filter(pk__in=proposal_ids)
        .exclude(pk__in=[row.pk for row in proposals]),
    )
