"""What a person orders about conversations that the language model has not read, on the page of runs."""

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from consolidation import ordering
from consolidation.extraction.queue import Choice, QueueVerb
from consolidation.models import Run
from consolidation.web.runs import decided
from memories.people import trust_of
from memories.values.choices import Outcome

NEWEST = (100, 1_000, 10_000)  # conversations that one press of the button queues or keeps
VERBS: dict[str, QueueVerb] = {"pause": "pause", "resume": "resume", "thin": "thin"}


@require_POST
def start_backlog(request: HttpRequest) -> HttpResponse:
    choice = _choice(request, default=NEWEST[0])
    if choice is None:
        return _bad()
    trust = trust_of(request.user)

    def words(queued: int) -> str:
        text = ngettext(
            "%(n)d conversation is queued to be read.", "%(n)d conversations are queued to be read.", queued
        )
        return text % {"n": queued} if queued else _("There are none to read.")

    return decided(request, lambda: ordering.start_backlog(trust, choice, trigger=Run.Trigger.PAGE), words)


@require_POST
def decide_queue(request: HttpRequest) -> HttpResponse:
    verb, choice = VERBS.get(request.POST.get("verb", "")), _choice(request, default=0)
    if verb is None or choice is None:
        return _bad()
    trust = trust_of(request.user)

    def words(changed: int) -> str:
        forms = {
            "pause": ngettext("%(n)d conversation is paused.", "%(n)d conversations are paused.", changed),
            "resume": ngettext(
                ("%(n)d conversation is waiting again."), "%(n)d conversations are waiting again.", changed
            ),
            "thin": ngettext(
                ("%(n)d conversation was removed from the queue."),
                "%(n)d conversations were removed from the queue.",
                changed,
            ),
        }
        return forms[verb] % {"n": changed}

    return decided(request, lambda: ordering.decide_queue(verb, trust, choice, at=timezone.now()), words)


def _choice(request: HttpRequest, *, default: int) -> Choice | None:
    """Which conversations the form names; None: a value that it does not offer."""
    newest, outcome = request.POST.get("newest", ""), request.POST.get("outcome", "")
    if newest not in ("", *map(str, NEWEST)) or outcome not in ("", Outcome.SUCCESS):
        return None
    return Choice((outcome,) if outcome else (), int(newest or default))


def _bad() -> HttpResponse:
    return HttpResponseBadRequest("not one of those that are offered", content_type="text/plain")
