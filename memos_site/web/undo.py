"""Undo and redo of a person's decisions since signing in."""

from datetime import timedelta
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from memories.models import AuditEntry
from memories.models.proposal import PROPOSAL
from memories.people import trust_of
from memories.values.exceptions import Conflict, NotAllowed, NotFound
from memories.values.trust import Trust
from memos_site import review
from memos_site.web import inbox_rows
from memos_site.web.memory_links import names_text
from memos_site.web.responses import Steps, answer, by_htmx, posted, refuse

MAX_ROWS = 50  # most rows sent as fragments; above that the page is reloaded
MAX_SESSION = timedelta(days=14)


@posted
def undo(request: HttpRequest, batch: UUID) -> HttpResponse:
    """Undo one batch; the answer offers to undo the latest decision still in force, and to take this undo back."""
    trust = trust_of(request.user)
    try:
        done = review.undo(trust, batch, at=timezone.now())
    except Conflict as conflict:
        text = _("Not undone: %(why)s") % {"why": conflict}
        steps = _steps_past(_history(request, trust), batch, _below(request))
        return answer(request, text, conflict=True, steps=steps)
    except (NotFound, NotAllowed) as refusal:
        return refuse(refusal)
    history = _history(request, trust)
    redone = done.batch in history.decisions
    if redone:
        steps = Steps(undo=done.batch, redo=history.redo_before())
    else:
        below = _below(request)
        steps = Steps(undo=history.undo_before(below), redo=done.batch, below=below)
    return _answer(request, trust, done, _message(done, trust, redone=redone), steps)


def _history(request: HttpRequest, trust: Trust) -> review.History:
    """Return the person's history since signing in, at most of MAX_SESSION."""
    oldest = timezone.now() - MAX_SESSION
    signed_in = getattr(request.user, "last_login", None)
    return review.history(trust.actor, since=max(signed_in, oldest) if signed_in else oldest)


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
        facts = {"n": len(done.undone), "not": len(done.refused), "why": done.refused[0]["why"], "names": names}
        if redone:
            return _("Redone %(n)s: %(names)s; %(not)s not: %(why)s") % facts
        return _("Undone %(n)s: %(names)s; %(not)s not: %(why)s") % facts
    return (_("Redone: %(names)s") if redone else _("Undone: %(names)s")) % {"names": names}


def _answer(request: HttpRequest, trust: Trust, done: review.UndoResult, text: str, steps: Steps) -> HttpResponse:
    """Answer with each row in its present state: those that wait again, and the decided ones."""
    if not by_htmx(request):
        return answer(request, text, steps=steps)
    if len(done.undone) > MAX_ROWS:
        messages.success(request, text, extra_tags=steps.tags)
        return HttpResponseClientRefresh()
    moved = AuditEntry.objects.of_batch(done.batch).filter(subject_kind=PROPOSAL).values("subject_id")
    waiting = list(inbox_rows.rows(trust).filter(pk__in=done.undone))
    proposals = list(inbox_rows.proposals(trust).filter(pk__in=moved))
    return answer(
        request,
        text,
        batch=done.batch,
        steps=steps,
        restored_rows=[*waiting, *proposals],
        decided_memories=inbox_rows.decided_memories(trust, set(done.undone) - {row.pk for row in waiting}),
        decided_proposals=inbox_rows.every_proposal(trust)
        .filter(pk__in=moved)
        .exclude(pk__in=[row.pk for row in proposals]),
    )
