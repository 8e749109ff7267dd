"""The page of runs to judge: one a screen, by one key each; answers may come later than the keys."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from memories.intake import episodes
from memories.models import Memory
from memories.models.episode import UNKNOWN
from memories.people import permitted
from memories.values.choices import Outcome, Permission, Type
from memories.values.exceptions import Conflict, NotAllowed, NotFound, one_of
from memories.values.trust import Trust
from memories.web.paging import next_page
from memos_site import review
from memos_site.review import judging
from memos_site.review.judging import cards
from memos_site.web.responses import Steps
from memos_site.web.sentences import sentence

FIRST, MORE = 6, 12  # runs that come with the page, and with each further request
MOST_SAID = 100  # judgements, and names of runs to leave out, in one request
WORDS = (*Outcome.values, UNKNOWN)


@never_cache
@require_safe
def outcomes(request: HttpRequest) -> HttpResponse:
    """Render the first runs to judge, or the next ones alone (`more`) without those that the page has (`without`)."""
    trust, more = _reviewer(request), "more" in request.GET
    without = {_id(text) for text in request.GET.getlist("without")[:MOST_SAID]}
    rows = judging.to_judge(trust, most=MORE if more else FIRST, without=without)
    context: dict[str, Any] = {"cards": cards(rows, trust) if rows else []}
    return render(request, "judging/_cards.html" if more else "judging/outcomes.html", context)


@require_POST
def judge(request: HttpRequest) -> HttpResponse:
    """Store judgements, each `<id>:<outcome>` in `said`; a script gets their batches as JSON, a form the next run."""
    trust, batches, refusals = _reviewer(request), {}, {}
    for text in request.POST.getlist("said")[:MOST_SAID]:
        name, _colon, outcome = text.partition(":")
        try:
            batches[name] = _judge(_id(name), outcome, trust)
        except (NotAllowed, NotFound, Http404) as refusal:  # of one: the others are stored
            refusals[name] = sentence(str(refusal))
    if request.headers.get("Accept", "").startswith("application/json"):
        undo_batches = {name: str(batch) if batch else None for name, batch in batches.items()}
        return JsonResponse({"batches": undo_batches, "refused": refusals, "waiting": judging.shown_count(trust)})
    for batch in batches.values():
        messages.add_message(request, messages.SUCCESS, _("Judged."), extra_tags=Steps(undo=batch).tags)
    return redirect(next_page(request) or reverse("outcomes"))


@require_POST
def take_back(request: HttpRequest, batch: UUID) -> HttpResponse:
    """Undo one judgement, for the script of the page."""
    trust = _reviewer(request)
    try:
        review.undo(trust, batch, at=timezone.now())
    except NotFound as missing:
        raise Http404 from missing
    except (Conflict, NotAllowed) as refusal:
        return JsonResponse({"refused": sentence(str(refusal))}, status=409)
    return JsonResponse({"waiting": judging.shown_count(trust)})


def _judge(memory_id: UUID, outcome: str, trust: Trust) -> UUID | None:
    if outcome not in WORDS:
        raise NotFound("no such outcome")
    rows = Memory.objects.visible_to(trust).filter(type=Type.EPISODIC).select_related("episode")
    memory = one_of(rows.filter(pk=memory_id), "no such memory")
    outcome_given = None if outcome == UNKNOWN else Outcome(outcome)
    return episodes.judge(memory.episode, outcome_given, trust=trust, at=timezone.now())


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Http404("no such run") from None


def _reviewer(request: HttpRequest) -> Trust:
    return permitted(request.user, Permission.REVIEW, "judging how runs ended needs the permission review")
