"""Saved views of the inbox: the filters of its address under a name, each with how much waits in it."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from memories.models import SavedView
from memories.models.persons import MAX_NAME
from memories.values.exceptions import Conflict
from memos_site.web import inbox_rows
from memos_site.web.responses import posted


def query_of(parameters: Mapping[str, str]) -> str:
    """Return the filters and the order of an address in one form, without what is not known."""
    filters = {name: value for name, value in inbox_rows.filters_of(parameters).items() if value}
    sort = parameters.get("sort", "")
    return urlencode(filters | ({"sort": sort} if sort in inbox_rows.ORDERS else {}))


@posted
def save(request: HttpRequest) -> HttpResponse:
    """Keep the filters of `query` as a view of the person, under `name`."""
    query, name = query_of(QueryDict(request.POST.get("query", "")).dict()), _name(request)
    if not name or not query:
        messages.warning(request, _("A view needs a name and at least one filter."))
        return _to(query)
    try:
        SavedView.objects.keep(request.user, name, query)  # type: ignore[arg-type]  # signed in, says the middleware
        messages.success(request, _("Saved as “%(name)s”") % {"name": name})
    except Conflict as conflict:
        messages.warning(request, str(conflict))
    return _to(query)


@posted
def change(request: HttpRequest, view_id: UUID) -> HttpResponse:
    """Rename or delete a view, as `decision` says. 404: the person has no such view."""
    user: Any = request.user
    view = SavedView.objects.of(user).filter(pk=view_id).first()
    if view is None:
        raise Http404
    name = _name(request)
    if request.POST.get("decision") == "delete":
        view.delete()
        messages.success(request, _("The view “%(name)s” is deleted") % {"name": view.name})
    elif name:
        try:
            SavedView.objects.rename(user, view_id, name)
            messages.success(request, _("Saved as “%(name)s”") % {"name": name})
        except Conflict as conflict:
            messages.warning(request, str(conflict))
    return _to(view.query)


def _name(request: HttpRequest) -> str:
    return " ".join(request.POST.get("name", "").split())[:MAX_NAME]


def _to(query: str) -> HttpResponse:
    return redirect("?".join(filter(None, (reverse("inbox"), query))))
