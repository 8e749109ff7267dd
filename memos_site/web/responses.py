"""What the forms of the review answer: htmx gets the changed rows and a toast, a plain form a page with a message."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from memories.people import trust_of
from memories.values.exceptions import Invalid, NotAllowed, NotFound
from memos_site.web import inbox_rows

MAX_ADDRESS = 8_000


def posted(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The view of a form. Who comes to its address by a link (after signing in anew, say) is led to the inbox."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST":
            return view(request, *args, **kwargs)
        messages.warning(request, _("Nothing was decided: please press the button again."))
        return redirect("inbox")

    return guarded


def by_htmx(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


@dataclass(frozen=True)
class Steps:
    """What a toast offers: the batch that is undone next, and the undoing that is taken back. `below`: one that could
    not be undone; from there on it goes further back."""

    undo: UUID | None = None
    redo: UUID | None = None
    below: UUID | None = None

    @property
    def tags(self) -> str:
        """For a message, which carries nothing else; `read` is the inverse."""
        return ",".join(str(batch or "") for batch in (self.undo, self.redo, self.below))

    @classmethod
    def read(cls, tags: str) -> "Steps":
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

    `batch`: of the rows that are shown. `conflict`: somebody was faster, nothing was done. `steps`: what the toast
    offers, else to undo the batch. `shown`: what `inbox/_answer.html` takes.
    """
    steps = steps or Steps(undo=batch)
    if by_htmx(request):
        kinds = inbox_rows.kinds(trust_of(request.user), _inbox_filters(request))
        context = {"text": text, "batch": batch, "conflict": conflict, "kinds": kinds, "steps": steps, **shown}
        return render(request, "inbox/_answer.html", context, status=409 if conflict else 200)
    level = messages.WARNING if conflict else messages.SUCCESS
    messages.add_message(request, level, text, extra_tags=steps.tags)
    return redirect(came_from(request))


def _inbox_filters(request: HttpRequest) -> dict[str, str]:
    """The filters of the inbox on which the button was pressed."""
    return inbox_rows.filters_of(QueryDict(_query(request)).dict())


def inbox_path(request: HttpRequest) -> str:
    """The address of the inbox from which htmx asks, with its filters and order."""
    return "?".join(filter(None, (reverse("inbox"), _query(request))))


def _query(request: HttpRequest) -> str:
    address = request.headers.get("HX-Current-URL", "")[:MAX_ADDRESS]
    return address.partition("?")[2].partition("#")[0]


def came_from(request: HttpRequest) -> str:
    """The page of ours that the form names, else the inbox."""
    path = request.POST.get("next", "")
    return path if url_has_allowed_host_and_scheme(path, allowed_hosts={request.get_host()}) else "inbox"


def refuse(refusal: NotFound | NotAllowed | Invalid) -> HttpResponse:
    if isinstance(refusal, NotFound):
        raise Http404(str(refusal))
    if isinstance(refusal, NotAllowed):
        raise PermissionDenied(str(refusal))
    return HttpResponse(str(refusal), status=400, content_type="text/plain; charset=utf-8")
