"""Form of bulk decisions about selected rows or a whole tab; publishing, flagged rows and very many are confirmed."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.intake import equal_claims
from memories.models import Proposal
from memories.people import trust_of
from memories.values.exceptions import FieldError, Invalid, NotAllowed
from memories.values.field_errors import NOT_AN_INSTANT, parse_instant
from memories.values.trust import Trust
from memos_site import review
from memos_site.web import action_words, inbox_rows
from memos_site.web.decisions import options_of, reason_of
from memos_site.web.memory_links import MAX_NAMED, and_more, names_of, names_text
from memos_site.web.responses import Steps, answer, came_from, posted, refuse
from memos_site.web.sentences import sentence

MAX_DIGITS = 9
WITHOUT = "leave"  # answer to the question: leave out the rows that it names


@posted
def bulk(request: HttpRequest) -> HttpResponse:
    """Decide about the selected rows (`chosen`: id and version token), or with `matching` about all of the tab.

    `consent` answers the question of a promotion: WITHOUT, or the question's token for all of them. More than a request
    decides are asked about by their number, which `agreed` repeats, and decided by a run.
    """
    trust, now = trust_of(request.user), timezone.now()
    verb, _space, rest = request.POST.get("decision", "").partition(" ")
    try:
        options = options_of(verb, rest, now=now)
        options |= {"why": reason_of(request, options["why"]), "at": now}
        selection = _selection(request, trust, at=now)
        question = review.question(trust, selection if verb == "promote" else ())
        consent = request.POST.get("consent", "")
        asks = bool(question.version_tokens) and consent not in (WITHOUT, question.token)
        if asks or len(selection) > max(review.CHUNK, _agreed_number(request)):
            return _question_page(request, question, selection, verb, options)
        if consent == WITHOUT:
            selection = {pk: token for pk, token in selection.items() if pk not in question.version_tokens}
        else:
            selection |= {pk: selection[pk] or token for pk, token in question.version_tokens.items()}
        if len(selection) > review.CHUNK:
            return _order_run(request, selection, verb, options)
        result = review.by_ids(trust, selection, verb, tokens=selection, **options)
    except (NotAllowed, Invalid) as refusal:
        return refuse(refusal)
    equals_elsewhere = equal_claims.known_rows(equal_claims.known_beside(result.batch, trust, at=now))
    text = _message(verb, result, trust, options) + action_words.known_number(len(equals_elsewhere))
    steps = Steps(undo=result.batch if result.done else None, known=result.batch if equals_elsewhere else None)
    return answer(request, text, batch=steps.undo, steps=steps, conflict=not result.done)


def _agreed_number(request: HttpRequest) -> int:
    """Return how many rows the person was told of and agreed to decide; 0 before the question."""
    text = request.POST.get("agreed", "")
    return int(text) if text.isdecimal() and len(text) < MAX_DIGITS else 0


def _order_run(request: HttpRequest, selection: dict[UUID, str], verb: str, options: dict[str, Any]) -> HttpResponse:
    """Queue a run that decides about these rows, and redirect to the page before, which shows its progress."""
    assert isinstance(request.user, User)  # signed in, says the middleware
    review.order(request.user, selection, verb, **options)
    return redirect(came_from(request))


def _selection(request: HttpRequest, trust: Trust, *, at: datetime) -> dict[UUID, str]:
    """Return id -> version token of the rows; '' for those that a filter found."""
    if not request.POST.get("matching"):
        try:
            lines = (line for value in request.POST.getlist("chosen") for line in value.splitlines())
            return {UUID(pk): token for pk, _space, token in (line.partition(" ") for line in lines)}
        except ValueError:
            raise Invalid(FieldError("", "invalid", "this form cannot be read")) from None
    filters = {name: request.POST.get(name, "") for name in inbox_rows.FILTERS}
    as_of = parse_instant(request.POST.get("as_of"))
    if as_of is None:
        raise Invalid(FieldError("/as_of", "not_an_instant", NOT_AN_INSTANT))
    ids = review.ids_matching(trust, filters, as_of, at=at, most=review.MOST_IN_A_RUN, proposals=True)
    return dict.fromkeys(ids, "")


def _question_page(
    request: HttpRequest, question: review.Question, selection: dict[UUID, str], verb: str, options: dict[str, Any]
) -> HttpResponse:
    """Render the confirmation, which names what would be published or is flagged. Nothing is done yet."""
    context = {
        "question": question,
        "listed": question.rows,
        "unlisted_count": question.total - len(question.rows),
        "total": len(selection),
        "other_count": len(selection) - question.total,
        "skill_count": question.skill_count,
        "is_large": len(selection) > review.CHUNK,
        "deed": action_words.of_many(action_words.TO_DO, verb, len(selection), options),
        "decision": request.POST["decision"],
        "without_consent": WITHOUT,
        "chosen": "\n".join(f"{pk} {token}" for pk, token in selection.items()),
        "filters": {name: request.POST.get(name, "") for name in (*inbox_rows.FILTERS, "as_of", "matching")},
        "next": came_from(request),
    }
    return render(request, "inbox/bulk.html", context)


def _message(verb: str, result: review.Bulk, trust: Trust, options: dict[str, Any]) -> str:
    """Say how many were decided, and name the first few; of the failures the first few with their reasons."""
    if not result.done and not result.failed:
        return _("Nothing is selected")
    proposals = Proposal.objects.filter(pk__in=result.done).count()
    text = action_words.of_many(action_words.DONE, verb, len(result.done), options, proposals=proposals)
    if result.done:
        text = f"{text}: {names_text(result.done, trust)}{action_words.equals_note(result.equals)}"
    if not result.failed:
        return text
    failures = {UUID(failure["id"]): failure["detail"] for failure in result.failed[:MAX_NAMED]}
    names = names_of(failures, trust)
    reasons = [f"{names.get(pk, pk)}: {sentence(detail)}" for pk, detail in failures.items()]
    refusals = _("%(n)s not: %(reasons)s") % {"n": len(result.failed), "reasons": "; ".join(reasons)}
    return f"{text}. {refusals}{and_more(len(result.failed) - len(reasons))}"
