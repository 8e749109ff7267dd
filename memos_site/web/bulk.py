"""The form about several rows: those that are ticked, or all of the tab; what is critical is asked about first."""

from datetime import datetime
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.people import trust_of
from memories.values.exceptions import FieldError, Invalid, NotAllowed
from memories.values.field_errors import NOT_AN_INSTANT, parse_instant
from memories.values.trust import Trust
from memos_site import review
from memos_site.web import inbox_rows
from memos_site.web.decisions import REASONED, along, how_of, why_of
from memos_site.web.memory_links import MOST_NAMED, named, names_of
from memos_site.web.responses import answer, came_from, posted, refuse

MOST_ASKED = 100  # rows that the question names
LEAVE = "leave"  # the answer: those that are asked about stay as they are


@posted
def bulk(request: HttpRequest) -> HttpResponse:
    """The rows that are ticked (`chosen`: id and what was seen of it), or with `matching` all of the tab.

    `consent` answers the question that a promotion asked: LEAVE, or the question's mark for all of them.
    """
    trust, now = trust_of(request.user), timezone.now()
    verb, _space, rest = request.POST.get("decision", "").partition(" ")
    try:
        how = how_of(verb, rest, now=now) | {"why": why_of(request, rest if verb in REASONED else ""), "at": now}
        meant = _meant(request, trust, at=now)
        if verb == "promote":
            question, consent = review.question(trust, meant), request.POST.get("consent", "")
            if consent == LEAVE:
                meant = {pk: seen for pk, seen in meant.items() if pk not in question.seen}
            elif question.rows and consent != question.mark:
                return _ask(request, question, meant)
            else:
                meant |= {pk: meant[pk] or seen for pk, seen in question.seen.items()}
        many = review.by_ids(trust, meant, verb, seen=meant, **how)
    except (NotAllowed, Invalid) as refusal:
        return refuse(refusal)
    return answer(request, _told(verb, many, trust), batch=many.batch if many.done else None, lost=not many.done)


def _meant(request: HttpRequest, trust: Trust, *, at: datetime) -> dict[UUID, str]:
    """Which rows, each with what was seen of it ('' for what a filter found)."""
    if not request.POST.get("matching"):
        try:
            ticked = (one.partition(" ") for many in request.POST.getlist("chosen") for one in many.splitlines())
            return {UUID(pk): stood for pk, _gap, stood in ticked}
        except ValueError:
            raise Invalid(FieldError("", "invalid", "this form cannot be read")) from None
    asked = {name: request.POST.get(name, "") for name in inbox_rows.FILTERS}
    as_of = parse_instant(request.POST.get("as_of"))
    if as_of is None:
        raise Invalid(FieldError("/as_of", "not_an_instant", NOT_AN_INSTANT))
    return dict.fromkeys(review.ids_matching(trust, asked, as_of, at=at), "")


def _ask(request: HttpRequest, question: review.Question, meant: dict[UUID, str]) -> HttpResponse:
    """Names what would be published or is flagged. Nothing is done yet."""
    context = {
        "question": question,
        "named": question.rows[:MOST_ASKED],
        "unnamed": len(question.rows) - MOST_ASKED,
        "all": len(meant),
        "others": len(meant) - len(question.rows),
        "skills": sum(hasattr(row, "skill") for row in question.rows),
        "leave": LEAVE,
        "chosen": "\n".join(f"{pk} {seen}" for pk, seen in meant.items()),
        "kept": {name: request.POST.get(name, "") for name in (*inbox_rows.FILTERS, "as_of", "matching")},
        "next": resolve_url(came_from(request)),
    }
    return render(request, "inbox/ask.html", context)


def _told(verb: str, many: review.Many, trust: Trust) -> str:
    """How many were decided, and which; of those that were not the first few with their reasons."""
    if not many.done and not many.failed:
        return _("Nothing is selected")
    done = {"promote": _("Promoted %(n)s"), "dismiss": _("Dismissed %(n)s"), "snooze": _("Snoozed %(n)s")}
    said = done.get(verb, _("Decided %(n)s")) % {"n": len(many.done)}
    if many.done:
        said = f"{said}: {named(many.done, trust)}{along(many.equals)}"
    if not many.failed:
        return said
    names = names_of([UUID(one["id"]) for one in many.failed[:MOST_NAMED]], trust)
    reasons = [f"{names.get(UUID(one['id']), one['id'])}: {one['detail']}" for one in many.failed[:MOST_NAMED]]
    more = len(many.failed) - len(reasons)
    refused = _("%(n)s not: %(reasons)s") % {"n": len(many.failed), "reasons": "; ".join(reasons)}
    return f"{said}. {refused}" + (_(" and %(n)s more") % {"n": more} if more else "")
