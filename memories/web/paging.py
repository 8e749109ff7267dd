"""Pagination of lists on pages, with the cursor in the URL."""

from collections.abc import Sequence
from typing import Any, TypeVar

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
    also: Sequence[QuerySet[Any]] = (),
) -> keyset.Page[M]:
    """The page at the URL's `cursor`, or the first one. 404: the cursor belongs to another list."""
    try:
        asked = request.GET.get("cursor", "")
        cursor = keyset.Cursor.decode(asked) if asked else None
        return keyset.page(rows, order, limit=limit, at=timezone.now(), cursor=cursor, also=also)
    except Invalid as invalid:
        raise Http404(str(invalid)) from None
