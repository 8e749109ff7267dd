"""Pagination of lists on pages, with the cursor in the URL."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from django.utils import timezone

from memories.values import keyset
from memories.values.exceptions import Invalid

M = TypeVar("M", bound=Model)
NEWEST = ("-created_at", "-id")
LATEST = ("-at", "-id")


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
    asked = request.GET.get("cursor", "")
    return keyset.Cursor.decode(asked) if asked else None
