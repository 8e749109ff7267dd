"""Pagination of lists on pages, with the cursor in the URL, and the page that a form goes to afterwards."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from memories.values import keyset
from memories.values.exceptions import Invalid

M = TypeVar("M", bound=Model)
NEWEST = ("-created_at", "-id")
LATEST = ("-at", "-id")
MAX_ADDRESS = 8_000


def page_of(
    request: HttpRequest,
    rows: QuerySet[M],
    order: keyset.Order = NEWEST,
    *,
    limit: int = 50,
    at: datetime | None = None,
    parts: Sequence[keyset.Part[M]] | None = None,
) -> keyset.Page[M]:
    """The page at the URL's `cursor`, or the first one; `parts` as in keyset.page.

    `at`: that of `moment_of`, where values decay.
    404: the cursor belongs to another list.
    """
    try:
        cursor = cursor_of(request)
        at = at or timezone.now()
        return keyset.page(rows, order, limit=limit, at=at, cursor=cursor, parts=parts)
    except Invalid as invalid:
        raise Http404(str(invalid)) from None


def moment_of(request: HttpRequest) -> datetime:
    """The instant at which a list's decaying values are computed: that of its first page, which the cursor names."""
    try:
        cursor = cursor_of(request)
        return cursor.at if cursor else timezone.now()
    except Invalid as invalid:
        raise Http404(str(invalid)) from None


def cursor_of(request: HttpRequest) -> keyset.Cursor | None:
    """The cursor of the URL. Invalid: it is none."""
    text = request.GET.get("cursor", "")
    return keyset.Cursor.decode(text) if text else None


def next_page(request: HttpRequest) -> str:
    """Return the path of this site that `next` names, in the form or else in the query; '' for anything else.

    Only a path is taken: `redirect` would look any other word up as the name of a view.
    """
    path: str = request.POST.get("next", request.GET.get("next", ""))
    is_path = path.startswith("/") and path.isprintable() and len(path) <= MAX_ADDRESS
    return path if is_path and url_has_allowed_host_and_scheme(path, allowed_hosts=None) else ""
