"""Forms by which people decide; each answers with a page or a fragment for htmx."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memories.intake import equal_claims
from memories.intake.edits import Edit, parse_edit
from memories.intake.equal_claims import AlsoKnown
from memories.intake.revisions.sources import Dismissed
from memories.models import AuditEntry, Memory, Proposal
from memories.people import trust_of
from memories.values.choices import Status
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.values.trust import Trust
from memos_site import review
from memos_site.web import inbox_rows, snoozing
from memos_site.web.responses import (
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
from memos_site.web.settle import holds
from memos_site.web.words import in_words

REFUSALS = (NotFound, NotAllowed, Invalid)
VERBS_WITH_REASON = ("dismiss", "reject")  # the rest of `decision` says why
VERBS_THAT_KEEP_ROW = ("edit", "pin", "demote")  # after these the memory may wait in the inbox, as before or again


@posted
def decide(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Decide about a memory. `decision` is the verb and its option.

    E.g. "promote", "promote applied", "dismiss wrong" or "snooze tomorrow".
    """
    trust, now = trust_of(request.user), timezone.now()
    verb, _space, rest = request.POST.get("decision", "").partition(" ")
    try:
        how = verb_options(verb, rest, now=now) | {"edit": _edit(request)}
        why = reason_of(request, rest if verb in VERBS_WITH_REASON else "")
        seen = request.POST.get("seen", "")
        decision = review.decide(trust, memory_id, verb, at=now, why=why, seen=seen, **how)
    except (Conflict, Invalid) as refusal:
        if "content" in request.POST:
            return _edit_refused(request, trust, memory_id, refusal)
        return _conflict(request, trust, memory_id, refusal) if isinstance(refusal, Conflict) else refuse(refusal)
    except (NotFound, NotAllowed) as refusal:
        return refuse(refusal)
    memory = inbox_rows.decided_memory(trust, memory_id)
    waiting = _waiting(request, trust, memory_id) if verb in VERBS_THAT_KEEP_ROW else None
    text = _message(verb, rest or why, memory) + equals_note(decision.equals)
    written = verb != "edit" or AuditEntry.objects.of_batch(decision.batch).exists()  # an edit may change nothing
    shown: dict[str, Any] = {"waiting_memory": waiting} if waiting else {"decided_memory": memory}
    if decision.equals and by_htmx(request):
        shown["decided_memories"] = inbox_rows.decided_memories(trust, decision.equals)
    known = equal_claims.also_known(decision.memory, trust, why=why, at=now) if verb == "dismiss" else []
    steps = Steps(undo=decision.batch if written else None, elsewhere=memory_id if known else None)
    return answer(request, text + known_note(known), batch=steps.undo, steps=steps, **shown)


def _waiting(request: HttpRequest, trust: Trust, memory_id: UUID) -> Memory | None:
    """The memory as a row of the inbox on which the button was pressed; None when it does not wait there."""
    return inbox_rows.rows(trust, kind=snoozed_kind(request)).filter(pk=memory_id).first()


def verb_options(verb: str, rest: str, *, now: datetime) -> dict[str, Any]:
    """Return the options of a verb, read from the rest of `decision`. Invalid: an unknown end of a snooze."""
    if verb in ("promote", "demote"):
        return {"to": Status(rest) if rest in (Status.CANDIDATE, Status.CONFIRMED, Status.APPLIED) else None}
    if verb == "snooze":
        return {"until": snoozing.until(rest, now)}
    return {"pinned": rest != "off"} if verb == "pin" else {}


def _memory_id(value: str) -> UUID | None:
    """Return the id after `accept`, of the memory to keep; None without one."""
    try:
        return UUID(value) if value else None
    except ValueError:
        raise Invalid(FieldError("/keep", "uuid_parsing", "must be the id of a memory")) from None


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


def _conflict(request: HttpRequest, trust: Trust, memory_id: UUID, conflict: Conflict) -> HttpResponse:
    memory = inbox_rows.decided_memory(trust, memory_id)
    return answer(request, too_late(conflict), conflict=True, decided_memory=memory)


def _edit_refused(request: HttpRequest, trust: Trust, memory_id: UUID, refusal: Conflict | Invalid) -> HttpResponse:
    """Render the form again with the typed text beside the present one; nothing was written."""
    memory = _waiting(request, trust, memory_id) if by_htmx(request) else None
    memory = memory or inbox_rows.decided_memory(trust, memory_id)
    if memory is None:
        return refuse(NotFound())
    shown = {"memory": memory, "typed_text": request.POST["content"], "error": sentence(str(refusal))}
    if isinstance(refusal, Dismissed):
        stone = refusal.tombstone
        shown |= {"dismissal": stone, "dismissed_memory": inbox_rows.decided_memory(trust, stone.memory_id or stone.pk)}
    shown |= {"next": came_from(request), "inbox_path": inbox_path(request)}
    in_row = by_htmx(request) and hasattr(memory, "support_count")
    template = "inbox/_memory_row.html" if in_row else "memories/edit_conflict.html"
    return render(request, template, shown, status=409)


def equals_note(equals: Sequence[UUID]) -> str:
    """Return how many equal claims were dismissed along, as a text; '' for none."""
    n = len(equals)
    note = ngettext(", and %(n)s other that says the same", ", and %(n)s others that say the same", n)
    return note % {"n": n} if n else ""


def known_note(known: Sequence[AlsoKnown]) -> str:
    """Return in which other scopes the same is known, as a text; '' for none."""
    scopes = sorted({one.memory.scope or _("all scopes") for one in known})
    return _("; the same is known in %(scopes)s") % {"scopes": ", ".join(scopes)} if scopes else ""


def _message(verb: str, what: str, memory: Memory | None) -> str:
    skill = hasattr(memory, "skill")
    words = {
        "dismiss": _("Dismissed as %(reason)s") % {"reason": in_words(what)},
        "reject": _("Version rejected as %(reason)s") % {"reason": in_words(what)},
        "retire": _("Retired: agents do not get it any more"),
        "restore": _("Restored"),
        "demote": _("Demoted"),
        "snooze": snoozing.message(memory.snoozed_until if memory else None),
        "edit": _("Saved"),
        "pin": _("No longer pinned") if what == "off" else _("Pinned"),
    }
    if verb == "promote" and what == Status.APPLIED:
        return _("Applied")
    return words.get(verb) or (_("Published") if skill else _("Promoted"))


@posted
def decide_proposal(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    """Accept, reject or snooze a proposal. `seen`: its `version_token` that was shown."""
    trust, now = trust_of(request.user), timezone.now()
    verb, _space, rest = request.POST.get("decision", "").partition(" ")
    seen, keep = request.POST.get("seen", ""), None
    try:
        if verb == "accept":
            keep = _memory_id(rest)
            batch = review.accept(trust, proposal_id, at=now, why=reason_of(request, ""), seen=seen, keep=keep)
        elif verb == "reject":
            batch = review.reject(trust, proposal_id, at=now, why=reason_of(request, ""))
        elif verb == "snooze":
            batch = review.snooze_proposal(trust, proposal_id, until=snoozing.until(rest, now), at=now, seen=seen)
        else:
            return refuse(Invalid(FieldError("/decision", "unknown_value", "must be accept, reject or snooze")))
    except Conflict as conflict:
        row = _proposal(trust, proposal_id)
        return answer(request, too_late(conflict), conflict=True, decided_proposal=row, error=sentence(str(conflict)))
    except REFUSALS as refusal:
        return refuse(refusal)
    row = _proposal(trust, proposal_id)
    return answer(request, _decision_message(verb, row, keep, trust), batch=batch, decided_proposal=row)


def _decision_message(verb: str, row: Proposal | None, keep: UUID | None, trust: Trust) -> str:
    """The word about a decision: of a choice between two in the words of its buttons."""
    if verb == "snooze":
        return snoozing.message(row.snoozed_until if row else None)
    if row and row.kind == Proposal.Kind.CONFLICT and (keep or verb == "reject"):
        kept = Memory.objects.visible_to(trust).filter(pk=keep).first()
        return holds(kept) if verb == "accept" else _("Both hold")
    return _("Accepted") if verb == "accept" else _("Rejected")


def _proposal(trust: Trust, proposal_id: UUID) -> Proposal | None:
    return inbox_rows.every_proposal(trust).filter(pk=proposal_id).first()


@posted
def lift(request: HttpRequest, tombstone_id: UUID) -> HttpResponse:
    """Lift a tombstone."""
    return _decide_row(request, review.lift, tombstone_id, _("Lifted: the claim may come back"))


@posted
def revert(request: HttpRequest, adaptation_id: UUID) -> HttpResponse:
    """Revert an adaptation; with the decision `dismiss` its memory is dismissed."""
    keep = request.POST.get("decision") != "dismiss"
    text = _("Reverted; the memory is kept") if keep else _("Reverted, and its memory dismissed")
    return _decide_row(request, review.revert, adaptation_id, text, keep_memory=keep)


def _decide_row(request: HttpRequest, verb: Any, row_id: UUID, text: str, **how: Any) -> HttpResponse:
    try:
        batch = verb(trust_of(request.user), row_id, at=timezone.now(), why=reason_of(request, ""), **how)
    except Conflict as conflict:
        return answer(request, too_late(conflict), conflict=True)
    except REFUSALS as refusal:
        return refuse(refusal)
    return answer(request, text, batch=batch)
