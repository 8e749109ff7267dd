"""Form of bulk decisions about selected rows or a whole tab, with confirmation of publishing and of flagged rows."""

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
from memos_site.web.decisions import VERBS_WITH_REASON, equals_note, reason_of, verb_options
from memos_site.web.memory_links import MAX_NAMED, names_of, names_text
from memos_site.web.responses import answer, came_from, posted, refuse

MAX_LISTED = 100  # rows that the question names
WITHOUT = "leave"  # answer to the question: leave out the rows that it names


@posted
def bulk(request: HttpRequest) -> HttpResponse:
    """Decide about the selected rows (`chosen`: id and version token), or with `matching` about all of the tab.

    `consent` answers the question of a promotion: WITHOUT, or the question's token for all of them.
    """
    trust, now = trust_of(request.user), timezone.now()
    verb, _space, rest = request.POST.get("decision", "").partition(" ")
    try:
        how = verb_options(verb, rest, now=now) | {
            "why": reason_of(request, rest if verb in VERBS_WITH_REASON else ""),
            "at": now,
        }
        selection = _selection(request, trust, at=now)
        if verb == "promote":
            question, consent = review.question(trust, selection), request.POST.get("consent", "")
            if consent == WITHOUT:
                selection = {pk: seen for pk, seen in selection.items() if pk not in question.seen}
            elif question.rows and consent != question.token:
                return _question_page(request, question, selection)
            else:
                selection |= {pk: selection[pk] or seen for pk, seen in question.seen.items()}
        result = review.by_ids(trust, selection, verb, seen=selection, **how)
    except (NotAllowed, Invalid) as refusal:
        return refuse(refusal)
    return answer(
        request, _message(verb, result, trust), batch=result.batch if result.done else None, conflict=not result.done
    )


def _selection(request: HttpRequest, trust: Trust, *, at: datetime) -> dict[UUID, str]:
    """Return id -> version token of the rows; '' for those that a filter found."""
    if not request.POST.get("matching"):
        try:
            lines = (line for value in request.POST.getlist("chosen") for line in value.splitlines())
            return {UUID(pk): seen for pk, _space, seen in (line.partition(" ") for line in lines)}
        except ValueError:
            raise Invalid(FieldError("", "invalid", "this form cannot be read")) from None
    filters = {name: request.POST.get(name, "") for name in inbox_rows.FILTERS}
    as_of = parse_instant(request.POST.get("as_of"))
    if as_of is None:
        raise Invalid(FieldError("/as_of", "not_an_instant", NOT_AN_INSTANT))
    return dict.fromkeys(review.ids_matching(trust, filters, as_of, at=at), "")


def _question_page(request: HttpRequest, question: review.Question, selection: dict[UUID, str]) -> HttpResponse:
    """Render the confirmation, which names what would be published or is flagged. Nothing is done yet."""
    context = {
        "question": question,
        "listed": question.rows[:MAX_LISTED],
        "unlisted_count": len(question.rows) - MAX_LISTED,
        "total": len(selection),
        "other_count": len(selection) - len(question.rows),
        "skill_count": sum(hasattr(row, "skill") for row in question.rows),
        "without_consent": WITHOUT,
        "chosen": "\n".join(f"{pk} {seen}" for pk, seen in selection.items()),
        "filters": {name: request.POST.get(name, "") for name in (*inbox_rows.FILTERS, "as_of", "matching")},
        "next": resolve_url(came_from(request)),
    }
    return render(request, "inbox/bulk.html", context)


def _message(verb: str, result: review.Bulk, trust: Trust) -> str:
    """Say how many were decided, and name the first few; of the failures the first few with their reasons."""
    if not result.done and not result.failed:
        return _("Nothing is selected")
    done = {"promote": _("Promoted %(n)s"), "dismiss": _("Dismissed %(n)s"), "snooze": _("Snoozed %(n)s")}
    text = done.get(verb, _("Decided %(n)s")) % {"n": len(result.done)}
    if result.done:
        text = f"{text}: {names_text(result.done, trust)}{equals_note(result.equals)}"
    if not result.failed:
        return text
    names = names_of([UUID(one["id"]) for one in result.failed[:MAX_NAMED]], trust)
    reasons = [f"{names.get(UUID(one['id']), one['id'])}: {one['detail']}" for one in result.failed[:MAX_NAMED]]
    more = len(result.failed) - len(reasons)
    refused = _("%(n)s not: %(reasons)s") % {"n": len(result.failed), "reasons": "; ".join(reasons)}
    return f"{text}. {refused}" + (_(" and %(n)s more") % {"n": more} if more else "")
