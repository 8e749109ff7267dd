"""Responses of review forms: changed rows and a toast for htmx, else a redirect; what a session decided."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.models import SavedView
from memories.people import trust_of
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memories.web.paging import MAX_ADDRESS, next_page
from memos_site import review
from memos_site.web import inbox_rows
from memos_site.web.sentences import sentence

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
REFUSALS = (NotFound, NotAllowed, Invalid)  # which `refuse` answers


def posted(view: View[P]) -> View[P]:
    """Decorate the view of a form: requests other than POST are redirected to the inbox.

    These occur when a person follows the form's address as a link, e.g. after signing in anew.
    """

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.method == "POST":
            return view(request, *args, **kwargs)
        messages.warning(request, _("Nothing was decided: please press the button again."))
        return redirect("inbox")

    return guarded


def by_htmx(request: HttpRequest) -> bool:
    """Return whether htmx sent the request."""
    return request.headers.get("HX-Request") == "true"


@dataclass(frozen=True)
class Steps:
    """Undo and redo that a toast offers.

    `undo`: the batch to undo next; `redo`: the undo to take back; `below`: a batch that could not be undone, from which
    undo continues further back; `elsewhere`: a dismissed memory whose claim is known in other scopes too; `known`: a
    batch with several such ones.
    """

    undo: UUID | None = None
    redo: UUID | None = None
    below: UUID | None = None
    elsewhere: UUID | None = None
    known: UUID | None = None

    @property
    def tags(self) -> str:
        """The steps as tags of a message, which carries no other data; `read` is the inverse."""
        return ",".join(str(batch or "") for batch in (self.undo, self.redo, self.below, self.elsewhere, self.known))

    @classmethod
    def read(cls, tags: str) -> "Steps":
        """Parse `tags`."""
        return cls(*(UUID(batch) if batch else None for batch in tags.split(",")))


def answer(
    request: HttpRequest,
    text: str,
    *,
    batch: UUID | None = None,
    conflict: bool = False,
    steps: Steps | None = None,
    **shown: Any,
) -> HttpResponse:
    """Answer the form of a decision with its message.

    `batch`: that of the rows shown. `conflict`: somebody was faster, nothing was done (status 409). `steps`: what the
    toast offers, by default to undo the batch. `shown`: context of `inbox/_answer.html`.
    """
    steps = steps or Steps(undo=batch)
    if by_htmx(request):
        filters = inbox_filters(request)
        views = list(SavedView.objects.of(request.user))  # type: ignore[arg-type]  # signed in, says the middleware
        counts = inbox_rows.kinds(trust_of(request.user), filters, views)
        context: dict[str, Any] = {"text": text, "batch": batch, "conflict": conflict, "steps": steps}
        context |= {"kinds": counts.rows, "views": views, "decided_count": decided_count(request), **shown}
        context |= {"waiting_shown": counts.waiting, **counts.matching(filters["kind"])}
        return render(request, "inbox/_answer.html", context, status=409 if conflict else 200)
    level = messages.WARNING if conflict else messages.SUCCESS
    messages.add_message(request, level, text, extra_tags=steps.tags)
    return redirect(came_from(request))


def inbox_filters(request: HttpRequest) -> dict[str, str]:
    """Return the filters of the inbox page on which the button was pressed."""
    return inbox_rows.filters_of(QueryDict(_query(request)).dict())


def snoozed_kind(request: HttpRequest) -> str:
    """Return which rows the inbox page of the pressed button shows: SNOOZED, or '' for those that wait."""
    return review.SNOOZED if inbox_filters(request)["kind"] == review.SNOOZED else ""


def inbox_path(request: HttpRequest) -> str:
    """Return the address of the inbox page from which htmx asks, with its filters and order."""
    return "?".join(filter(None, (reverse("inbox"), _query(request))))


def _query(request: HttpRequest) -> str:
    address = request.headers.get("HX-Current-URL", "")[:MAX_ADDRESS]
    return address.partition("?")[2].partition("#")[0]


def came_from(request: HttpRequest) -> str:
    """Return the path of the page that the form names, else of the inbox."""
    return next_page(request) or reverse("inbox")


def refuse(refusal: NotFound | NotAllowed | Invalid) -> HttpResponse:
    """Turn a refusal into 404, 403 or 400. Http404 and PermissionDenied are raised."""
    if isinstance(refusal, NotFound):
        raise Http404(str(refusal))
    if isinstance(refusal, NotAllowed):
        raise PermissionDenied(str(refusal))
    return HttpResponse(what_is_wrong(refusal), status=400, content_type="text/plain; charset=utf-8")


def what_is_wrong(refusal: Invalid) -> str:
    """Return what is wrong with the values of a form, in the reader's language, without the names of API fields."""
    return sentence("; ".join(error.detail for error in refusal.errors))


def too_late(conflict: Conflict) -> str:
    """Say that somebody was faster."""
    return _("Too late: %(why)s") % {"why": sentence(str(conflict))}


MAX_SESSION = timedelta(days=14)


def history_of(request: HttpRequest) -> review.History:
    """Return the person's history since signing in, at most of MAX_SESSION."""
    oldest = timezone.now() - MAX_SESSION
    signed_in = getattr(request.user, "last_login", None)
    return review.history(trust_of(request.user).actor, since=max(signed_in, oldest) if signed_in else oldest)


def decided_count(request: HttpRequest) -> str:
    """Return how many rows the decisions in force are about; with a plus where there may be older ones."""
    history = history_of(request)
    return f"{history.decided_count}+" if history.is_cut else str(history.decided_count)
