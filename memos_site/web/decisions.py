"""The forms by which people decide. Each answers with a page or its fragment."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memories.intake.edits import Edit, parse_edit
from memories.models import AuditEntry, Memory, Proposal
from memories.people import trust_of
from memories.values.choices import Status
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.values.trust import Trust
from memos_site import review
from memos_site.web import inbox_rows
from memos_site.web.responses import answer, by_htmx, came_from, inbox_of, posted, refuse

REFUSALS = (NotFound, NotAllowed, Invalid)
MORNING = 9
REASONED = ("dismiss", "reject")  # the rest of `decision` says why
STAYS = ("edit", "pin", "demote")  # after these it waits as before, or does so now


@posted
def decide(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """`decision` is the verb with what it takes: "promote", "promote applied", "dismiss wrong", "snooze tomorrow"."""
    trust, now = trust_of(request.user), timezone.now()
    verb, _space, rest = request.POST.get("decision", "").partition(" ")
    try:
        how = how_of(verb, rest, now=now) | {"edit": _edit(request)}
        why = why_of(request, rest if verb in REASONED else "")
        seen = request.POST.get("seen", "")
        decision = review.decide(trust, memory_id, verb, at=now, why=why, seen=seen, **how)
    except (Conflict, Invalid) as refusal:
        if "content" in request.POST:
            return _typed(request, trust, memory_id, refusal)
        return _lost(request, trust, memory_id, refusal) if isinstance(refusal, Conflict) else refuse(refusal)
    except (NotFound, NotAllowed) as refusal:
        return refuse(refusal)
    memory = inbox_rows.decided(trust, memory_id)
    kept = inbox_rows.rows(trust).filter(pk=memory_id).first() if verb in STAYS else None
    decided = None if kept else memory
    said = _said(verb, rest or why, memory) + along(decision.equals)
    written = verb != "edit" or AuditEntry.objects.of_batch(decision.batch).exists()  # it may have said so already
    return answer(request, said, batch=decision.batch if written else None, kept=kept, decided=decided)


def how_of(verb: str, rest: str, *, now: datetime) -> dict[str, Any]:
    """What a verb takes beside its reason: the rest of `decision`. Invalid: a snooze until nobody knows when."""
    if verb in ("promote", "demote"):
        return {"to": Status(rest) if rest in (Status.CANDIDATE, Status.CONFIRMED, Status.APPLIED) else None}
    if verb == "snooze":
        return {"until": _until(rest, now)}
    return {"pinned": rest != "off"} if verb == "pin" else {}


def _until(when: str, now: datetime) -> datetime | None:
    """Nine in the morning, tomorrow or on the next Monday, where the workspace is."""
    local = timezone.localtime(now)
    days = {"tomorrow": 1, "week": 7 - local.weekday(), "wake": 0}.get(when)
    if days is None:
        raise Invalid(FieldError("/until", "unknown_value", "must be tomorrow, week or wake"))
    morning = (local + timedelta(days=days)).replace(hour=MORNING, minute=0, second=0, microsecond=0)
    return morning if days else None


def _edit(request: HttpRequest) -> Edit | None:
    """What the form of an edit holds; a form without it changes no words."""
    said: dict[str, Any] = {}
    if "content" in request.POST:
        said["content"] = request.POST["content"].replace("\r\n", "\n").strip()
    for name in ("category", "sensitivity"):
        if request.POST.get(name):
            said[name] = request.POST[name]
    if "tags" in request.POST:
        said["tags"] = [tag for tag in request.POST["tags"].split(",") if tag.strip()]
    return parse_edit(said) if said else None


def why_of(request: HttpRequest, reason: str) -> str:
    """The reason that was chosen, and what was written beside it."""
    return ": ".join(filter(None, (reason, request.POST.get("note", "").strip())))


def _lost(request: HttpRequest, trust: Trust, memory_id: UUID, conflict: Conflict) -> HttpResponse:
    said = _("Too late: %(why)s") % {"why": conflict}
    return answer(request, said, lost=True, decided=inbox_rows.decided(trust, memory_id))


def _typed(request: HttpRequest, trust: Trust, memory_id: UUID, refusal: Conflict | Invalid) -> HttpResponse:
    """Nothing was written; what was typed stands beside what is there now, to be sent again."""
    memory = inbox_rows.rows(trust).filter(pk=memory_id).first() if by_htmx(request) else None
    memory = memory or inbox_rows.decided(trust, memory_id)
    if memory is None:
        return refuse(NotFound())
    context = {"memory": memory, "typed": request.POST["content"], "trouble": str(refusal)}
    context |= {"next": came_from(request), "inbox": inbox_of(request)}
    template = "inbox/_row.html" if by_htmx(request) and hasattr(memory, "support_count") else "memories/edit.html"
    return render(request, template, context, status=409)


def along(equals: Sequence[UUID]) -> str:
    """What was dismissed with it."""
    n = len(equals)
    said = ngettext(", and %(n)s other that says the same", ", and %(n)s others that say the same", n)
    return said % {"n": n} if n else ""


def _said(verb: str, what: str, memory: Memory | None) -> str:
    skill = hasattr(memory, "skill")
    words = {
        "dismiss": _("Dismissed as %(reason)s") % {"reason": what},
        "reject": _("Version rejected as %(reason)s") % {"reason": what},
        "restore": _("Restored"),
        "demote": _("Demoted"),
        "snooze": _("Snoozed"),
        "edit": _("Saved"),
        "pin": _("No longer pinned") if what == "off" else _("Pinned"),
    }
    if verb == "promote" and what == Status.APPLIED:
        return _("Applied")
    return words.get(verb) or (_("Published") if skill else _("Promoted"))


@posted
def propose(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    """A proposal is accepted, rejected or snoozed. `seen`: what was shown of it (`review.stand`)."""
    trust, now = trust_of(request.user), timezone.now()
    verb, _space, rest = request.POST.get("decision", "").partition(" ")
    seen = request.POST.get("seen", "")
    try:
        if verb == "accept":
            batch = review.accept(trust, proposal_id, at=now, why=why_of(request, ""), seen=seen)
        elif verb == "reject":
            batch = review.reject(trust, proposal_id, at=now, why=why_of(request, ""))
        elif verb == "snooze":
            batch = review.put_off(trust, proposal_id, until=_until(rest, now), at=now, seen=seen)
        else:
            return refuse(Invalid(FieldError("/decision", "unknown_value", "must be accept, reject or snooze")))
    except Conflict as conflict:
        said = _("Too late: %(why)s") % {"why": conflict}
        return answer(request, said, lost=True, settled=_proposal(trust, proposal_id), trouble=str(conflict))
    except REFUSALS as refusal:
        return refuse(refusal)
    said = {"accept": _("Accepted"), "reject": _("Rejected")}.get(verb, _("Snoozed"))
    return answer(request, said, batch=batch, settled=_proposal(trust, proposal_id))


def _proposal(trust: Trust, proposal_id: UUID) -> Proposal | None:
    return inbox_rows.all_proposals(trust).filter(pk=proposal_id).first()


@posted
def lift(request: HttpRequest, tombstone_id: UUID) -> HttpResponse:
    return _beside(request, review.lift, tombstone_id, _("Lifted: the claim may come back"))


@posted
def revert(request: HttpRequest, adaptation_id: UUID) -> HttpResponse:
    keep = request.POST.get("decision") != "dismiss"
    said = _("Reverted; the memory is kept") if keep else _("Reverted, and its memory dismissed")
    return _beside(request, review.revert, adaptation_id, said, keep_memory=keep)


def _beside(request: HttpRequest, verb: Any, row_id: UUID, said: str, **how: Any) -> HttpResponse:
    try:
        batch = verb(trust_of(request.user), row_id, at=timezone.now(), why=why_of(request, ""), **how)
    except Conflict as conflict:
        return answer(request, _("Too late: %(why)s") % {"why": conflict}, lost=True)
    except REFUSALS as refusal:
        return refuse(refusal)
    return answer(request, said, batch=batch)
