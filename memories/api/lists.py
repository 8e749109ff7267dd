"""Lists: filters from the query string, an ordering, and pages by cursor."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from memories.values.exceptions import FieldError, Invalid
from memories.values.keyset import Cursor, Order, page

M = TypeVar("M", bound=Model)
NUMBER = re.compile(r"[0-9]{1,9}")
SHARE = re.compile(r"0(\.[0-9]{1,20})?|1(\.0{1,20})?")
PAGING = frozenset({"cursor", "limit"})


def number(request: Request, name: str, *, default: int, least: int, most: int) -> int:
    """A whole number of the query string; Invalid names the parameter and its range."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not NUMBER.fullmatch(text) or not least <= int(text) <= most:
        raise Invalid(FieldError(f"/{name}", "out_of_range", f"must be a whole number from {least} to {most}"))
    return int(text)


def share(request: Request, name: str) -> float:
    """A number from 0 to 1 of the query string; Invalid names the parameter."""
    text = request.query_params[name]
    if not SHARE.fullmatch(text):
        raise Invalid(FieldError(f"/{name}", "out_of_range", "must be a number from 0 to 1"))
    return float(text)


def choice(request: Request, name: str, allowed: list[str], other_names: Mapping[str, str] | None = None) -> list[str]:
    """One or several values of a parameter (repeated or comma-separated), each of them allowed; [] when absent."""
    said = [value for text in request.query_params.getlist(name) for value in text.split(",") if value]
    values = [(other_names or {}).get(value, value) for value in said]
    if unknown := [value for value in values if value not in allowed]:
        detail = f"{unknown[0]!r} is not one of {', '.join(allowed)}"
        raise Invalid(FieldError(f"/{name}", "unknown_value", detail))
    return values


def exact(request: Request, *names: str) -> dict[str, str]:
    """The columns that the query string wants to be equal to something."""
    return {name: request.query_params[name] for name in names if name in request.query_params}


def flag(request: Request, name: str) -> bool:
    """Whether a parameter says yes."""
    return choice(request, name, ["true", "false", "1", "0"]) in (["true"], ["1"])


def boolean(request: Request, name: str) -> bool | None:
    """True or false; None when the parameter is absent."""
    values = choice(request, name, ["true", "false"])
    return values[-1] == "true" if values else None


def cursor(request: Request) -> Cursor | None:
    text = request.query_params.get("cursor")
    return Cursor.decode(text) if text else None


def moment(request: Request) -> datetime:
    """The instant of the first page: what fades is the same on every page. What has expired is asked of the clock."""
    place = cursor(request)
    return place.at if place else timezone.now()


def answer(
    request: Request,
    rows: QuerySet[M],
    order: Order,
    *,
    show: Callable[[M], dict[str, Any]],
    at: datetime,
    default: int = 50,
    after: Sequence[dict[str, Any]] = (),
    also: Sequence[QuerySet[Any]] = (),
    use: Callable[[Sequence[M]], object] | None = None,
) -> Response:
    """{next, previous, results}: absolute URLs or null. `after` follows the last row of the last page; `also` are other
    tables whose rows stand among these; `use` is called with the rows of the page once they are shown."""
    limit = number(request, "limit", default=default, least=1, most=200)
    found = page(rows, order, limit=limit, at=at, cursor=cursor(request), also=also)
    shown = {
        "next": _url(request, found.next),
        "previous": _url(request, found.previous),
        "results": [*(show(row) for row in found.rows), *([] if found.next else after)],
    }
    if use and found.rows:
        use(found.rows)
    return Response(shown)


def _url(request: Request, place: Cursor | None) -> str | None:
    return replace_query_param(request.build_absolute_uri(), "cursor", place.encode()) if place else None
