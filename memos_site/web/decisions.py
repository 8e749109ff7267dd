"""Forms by which people decide; each answers with a page or a fragment for htmx."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.intake import equal_claims
from memories.intake.edits import Edit, parse_edit
from memories.intake.revisions.sources import Dismissed
from memories.models import AuditEntry, Memory, Proposal
from memories.people import trust_of
from memories.values.choices import Status
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.values.trust import Trust
from memos_site import review
from memos_site.review.verbs import VERBS
from memos_site.web import action_words, inbox_rows
from memos_site.web.memory_links import MAX_NAME, short_name
from memos_site.web.responses import (
    REFUSALS,
    Steps,
    answer,
    by_htmx,
    came_from,
    inbox_path,
    posted,
    refuse,
    snoozed_kind,
    too_late,
)
from memos_site.web.sentences import sentence
from memos_site.web.settle import holds, memory_id_of


@posted
def decide(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Decide about a memory. `decision` is the verb and its option.

    E.g. "promote", "promote applied", "dismiss wrong" or "snooze tomorrow".
    """
    trust, now = trust_of(request.user), timezone.now()
    verb, _space, rest = request.POST.get("decision", "").partition(" ")
    try:
        options = options_of(verb, rest, now=now)
        options |= {"edit": _edit(request), "why": reason_of(request, options["why"])}
        decision = review.decide(trust, memory_id, verb, at=now, token=request.POST.get("seen", ""), **options)
    except (Conflict, Invalid) as refusal:
        if "content" in request.POST:
            return _edit_refused(request, trust, memory_id, refusal)
        return _conflict(request, trust, memory_id, refusal, verb) if isinstance(refusal, Conflict) else refuse(refusal)
    except (NotFound, NotAllowed) as refusal:
        return refuse(refusal)
    memory = inbox_rows.decided_memory(trust, memory_id)
    waiting_row = _waiting_row(request, trust, memory_id) if VERBS[verb].keeps_row else None
    text = action_words.toast(verb, options | {"of_skill": hasattr(memory, "skill")})
    text += action_words.equals_note(decision.equals)
    has_changed = verb != "edit" or AuditEntry.objects.of_batch(decision.batch).exists()  # an edit may change nothing
    context: dict[str, Any] = {"waiting_memory": waiting_row} if waiting_row else {"decided_memory": memory}
    if decision.equals and by_htmx(request):
        context["decided_memories"] = inbox_rows.decided_memories(trust, decision.equals)
    equals_elsewhere = (
        equal_claims.also_known(decision.memory, trust, why=options["why"], at=now) if verb == "dismiss" else []
    )
    steps = Steps(undo=decision.batch if has_changed else None, elsewhere=memory_id if equals_elsewhere else None)
    return answer(request, text + action_words.known_note(equals_elsewhere), batch=steps.undo, steps=steps, **context)


def _waiting_row(request: HttpRequest, trust: Trust, memory_id: UUID) -> Memory | None:
    """The memory as a row of the inbox on which the button was pressed; None when it does not wait there."""
    return inbox_rows.rows(trust, kind=snoozed_kind(request)).filter(pk=memory_id).first()


def options_of(verb: str, rest: str, *, now: datetime) -> dict[str, Any]:
    """Return the options of a verb and its chosen reason as `why`, read from the rest of `decision`. Invalid."""
    record = VERBS.get(verb)
    return {"why": rest if record and record.needs_reason else "", **(record.options(rest, now) if record else {})}


def _edit(request: HttpRequest) -> Edit | None:
    """Return the edit that the form holds; None when it has none of its fields."""
    fields: dict[str, Any] = {}
    if "content" in request.POST:
        fields["content"] = request.POST["content"].replace("\r\n", "\n").strip()
    for name in ("category", "sensitivity"):
        if request.POST.get(name):
            fields[name] = request.POST[name]
    if "tags" in request.POST:
        fields["tags"] = [tag for tag in request.POST["tags"].split(",") if tag.strip()]
    return parse_edit(fields) if fields else None


def reason_of(request: HttpRequest, reason: str) -> str:
    """Join the chosen reason and the written note."""
    return ": ".join(filter(None, (reason, request.POST.get("note", "").strip())))


def _conflict(request: HttpRequest, trust: Trust, memory_id: UUID, conflict: Conflict, verb: str) -> HttpResponse:
    memory, text = inbox_rows.decided_memory(trust, memory_id), too_late(conflict)
    if memory and memory.key and verb == "restore" and memory.status == Status.DISMISSED:
        holder = Memory.objects.visible_to(trust).live().filter(scope=memory.scope, key=memory.key).first()
        text = _("%(name)s: %(n)s") % {"name": text, "n": f"“{short_name(holder, MAX_NAME)}”"} if holder else text
    return answer(request, text, conflict=True, decided_memory=memory)


def _edit_refused(request: HttpRequest, trust: Trust, memory_id: UUID, refusal: Conflict | Invalid) -> HttpResponse:
    """Render the form again (409) with the typed text beside the present one; nothing was written."""
    memory = _waiting_row(request, trust, memory_id) if by_htmx(request) else None
    memory = memory or inbox_rows.decided_memory(trust, memory_id)
    if memory is None:
        return refuse(NotFound())
    context = {"memory": memory, "typed_text": request.POST["content"], "error": sentence(str(refusal))}
    if isinstance(refusal, Dismissed):
        stone = refusal.tombstone
        context |= {
            "dismissal": stone,
            "dismissed_memory": inbox_rows.decided_memory(trust, stone.memory_id or stone.pk),
        }
    context |= {"next": came_from(request), "inbox_path": inbox_path(request)}
    in_row = by_htmx(request) and hasattr(memory, "support_count")
    template = "inbox/_memory_row.html" if in_row else "memories/edit_conflict.html"
    return render(request, template, context, status=409)


@posted
def decide_proposal(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    """Decide about a proposal: `decision` is a verb of OF_PROPOSALS and its option, `seen` its `version_token`."""
    trust, now = trust_of(request.user), timezone.now()
    verb, _space, rest = request.POST.get("decision", "").partition(" ")
    if verb not in review.OF_PROPOSALS:
        names = ", ".join(review.OF_PROPOSALS)
        return refuse(Invalid(FieldError("/decision", "unknown_value", f"must be one of {names}")))
    try:
        options = (
            {"keep": memory_id_of(rest) if rest else None} if verb == "accept" else options_of(verb, rest, now=now)
        )
        options |= {"why": reason_of(request, "")}
        batch = review.OF_PROPOSALS[verb](trust, proposal_id, at=now, token=request.POST.get("seen", ""), **options)
    except Conflict as conflict:
        row = _proposal(trust, proposal_id)
        return answer(request, too_late(conflict), conflict=True, decided_proposal=row, error=sentence(str(conflict)))
    except REFUSALS as refusal:
        return refuse(refusal)
    row = _proposal(trust, proposal_id)
    return answer(request, _toast(verb, row, options, trust), batch=batch, decided_proposal=row)


def _toast(verb: str, row: Proposal | None, options: dict[str, Any], trust: Trust) -> str:
    """The message after a decision; of a choice between two memories in the words of its buttons."""
    if row and row.kind == Proposal.Kind.CONFLICT and (options.get("keep") or verb == "reject"):
        memory = Memory.objects.visible_to(trust).filter(pk__in=[options.get("keep")]).first()
        return holds(memory) if verb == "accept" else _("Keep both")
    return _("Rejected") if verb == "reject" else action_words.toast(verb, options)


def _proposal(trust: Trust, proposal_id: UUID) -> Proposal | None:
    return inbox_rows.every_proposal(trust).filter(pk=proposal_id).first()


@posted
def lift(request: HttpRequest, tombstone_id: UUID) -> HttpResponse:
    """Lift a tombstone."""
    return _decide_row(
        request,
        lambda trust, at, why: review.lift(trust, tombstone_id, at=at, why=why),
        _("Lifted: the claim may come back"),
    )


@posted
def revert(request: HttpRequest, adaptation_id: UUID) -> HttpResponse:
    """Revert an adaptation; with the decision `dismiss` its memory is dismissed."""
    keep = request.POST.get("decision") != "dismiss"
    text = _("Reverted; the memory is kept") if keep else _("Reverted, and its memory dismissed")
    return _decide_row(
        request,
        lambda trust, at, why: review.revert(trust, adaptation_id, at=at, why=why, keep_memory=keep),
        text,
    )


def _decide_row(request: HttpRequest, decide: Callable[[Trust, datetime, str], UUID], text: str) -> HttpResponse:
    try:
        batch = decide(trust_of(request.user), timezone.now(), reason_of(request, ""))
    except Conflict as conflict:
        return answer(request, too_late(conflict), conflict=True)
    except REFUSALS as refusal:
        return refuse(refusal)
    return answer(request, text, batch=batch)
