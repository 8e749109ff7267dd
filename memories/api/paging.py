"""Query parameters shared by lists, their parsing and documentation, and pagination by cursor."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from memories.models.as_of import AsOf
from memories.search.request import OTHER_NAMES as OTHER_TYPES
from memories.values.choices import Category, Origin, Review, Status, Type
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_errors import NOT_AN_INSTANT, parse_instant
from memories.values.field_types import YEARS
from memories.values.keyset import Cursor, Order, Part, page
from memories.values.trust import Trust

M = TypeVar("M", bound=Model)
NUMBER = re.compile(r"[0-9]{1,9}")
SHARE = re.compile(r"0(\.[0-9]{1,20})?|1(\.0{1,20})?")
FLAGS = {"true": True, "false": False, "1": True, "0": False}
PAGING = frozenset({"cursor", "limit"})
ORDERINGS = ("created_at", "updated_at", "confidence", "salience", "times_used", "key")
# Names of the published designs, and the name that scopes have in bodies.
ALIASES = {"source_plugin": "source", "memory_types": "type", "scopes": "scope"}
OTHER_NAMES = {"type": OTHER_TYPES}  # parameter -> values of the published designs, in our words


def query(name: str, schema: dict[str, Any], description: str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, schema, OpenApiParameter.QUERY, description=description, **more)


def some_of(name: str, values: Iterable[str], description: str) -> OpenApiParameter:
    """Document a parameter with one or several of these values, comma-separated or repeated."""
    schema = {"type": "array", "items": {"type": "string", "enum": list(values)}}
    return query(name, schema, description, style="form", explode=False)


_TEXT = {"type": "string"}
BOOLEAN = {"type": "string", "enum": ["true", "false"]}
SHARED = (
    query(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
        "Maximum number of results on one page.",
    ),
    query(
        "cursor",
        _TEXT,
        "A position in the list, taken from the `next` or `previous` of a page. It is valid for one ordering.",
    ),
    query("scope", _TEXT, "Only rows of exactly this scope (also as `scopes`); empty: rows without a scope."),
    query(
        "source", _TEXT, ("Only of exactly this source (also as `source_plugin`); then most certain first, 10 a page.")
    ),
    query("company_id", _TEXT, "Only about exactly this company; then most certain first, 10 a page."),
    query("thread_id", _TEXT, "Only of exactly this thread."),
    query(
        "tag",
        {"type": "array", "items": _TEXT},
        "Only with this tag; repeat it to require several tags.",
        explode=True,
    ),
    query("min_confidence", {"type": "integer", "minimum": 0, "maximum": 100}, "Minimum confidence."),
    query(
        "min_salience",
        {"type": "string", "pattern": r"^(0(\.[0-9]{1,20})?|1(\.0{1,20})?)$"},
        "Minimum current salience, 0-1.",
    ),
    query(
        "q",
        _TEXT,
        "With these words in content or key (the last word of a key may be incomplete); ranked as by search.",
    ),
    query("stale", BOOLEAN, "Only memories that nobody used or confirmed for a month."),
    some_of("type", Type.values, "Only of these types (also as `memory_types`). Default: all except episodes."),
    some_of(
        "status",
        Status.values,
        "Only of these statuses. Default: confirmed and applied, where a list says so. `dismissed` memories need "
        "the permission review.",
    ),
    some_of("category", Category.values, "Only of these categories."),
    some_of("origin", Origin.values, "Only memories that came in this way."),
    some_of("review", Review.values, "Only claims supported by a person, by several agents, or by one agent alone."),
    query(
        "dry_run",
        {"type": "string", "enum": ["true", "false", "1", "0"]},
        "Returns only the receipt and deletes nothing.",
    ),
    query(
        "as_of",
        {"type": "string", "format": "date-time", "pattern": YEARS},
        "Answers as of this time in the past (RFC 3339), with the wording of that time. Excludes memories "
        "forgotten or removed since and those above the caller's clearance today; does not count as a use.",
        examples=[OpenApiExample("as_of", "2026-03-01T12:00:00Z")],
    ),
    some_of("include", ("history", "evidence", "relations"), "Lists to add to the answer."),
    query(
        "include_redacted",
        BOOLEAN,
        "Adds stubs of memories exactly one level above the caller's clearance, after the last page.",
    ),
    query(
        "ordering",
        {"type": "string", "enum": [f"{sign}{name}" for name in ORDERINGS for sign in ("", "-")]},
        "The field to sort by; a leading `-` sorts descending. Default: newest first.",
    ),
)
SHARED_BY_NAME = {parameter.name: parameter for parameter in SHARED}


def number(request: Request, name: str, *, default: int, least: int, most: int) -> int:
    """Parse an integer parameter; Invalid names the parameter and its range."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not NUMBER.fullmatch(text) or not least <= int(text) <= most:
        raise Invalid(FieldError(f"/{name}", "out_of_range", f"must be a whole number from {least} to {most}"))
    return int(text)


def share(request: Request, name: str) -> float:
    """Parse a parameter from 0 to 1; Invalid names the parameter."""
    text = request.query_params[name]
    if not SHARE.fullmatch(text):
        raise Invalid(FieldError(f"/{name}", "out_of_range", "must be a number from 0 to 1"))
    return float(text)


def choice(
    request: Request, name: str, known_values: list[str], other_names: Mapping[str, str] | None = None
) -> list[str]:
    """Parse one or several allowed values of a parameter (repeated or comma-separated); [] when absent."""
    raw_values = [value for text in request.query_params.getlist(name) for value in text.split(",") if value]
    values = [(other_names or {}).get(value, value) for value in raw_values]
    if unknown := [value for value in values if value not in known_values]:
        detail = f"{unknown[0]!r} is not one of {', '.join(known_values)}"
        raise Invalid(FieldError(f"/{name}", "unknown_value", detail))
    return values


def exact(request: Request, *names: str) -> dict[str, str]:
    """Parse equality filters: the named parameters that are present. Invalid: two values are given of one."""
    for name in names:
        if len(set(request.query_params.getlist(name))) > 1:
            raise Invalid(FieldError(f"/{name}", "too_many", "takes one value"))
    return {name: request.query_params[name] for name in names if name in request.query_params}


def identifier(request: Request, name: str) -> UUID:
    """Parse an id parameter; Invalid names the parameter."""
    try:
        return UUID(request.query_params[name])
    except ValueError:
        raise Invalid(FieldError(f"/{name}", "not_an_id", "must be an id")) from None


def flag(request: Request, name: str) -> bool:
    """Parse a boolean parameter; False when absent."""
    return boolean(request, name) or False


def boolean(request: Request, name: str) -> bool | None:
    """Parse a boolean parameter; None when absent. Invalid: it says neither or both, e.g. a bare `?dry_run`."""
    flags = {FLAGS.get(value) for value in request.query_params.getlist(name)}
    if None in flags or len(flags) > 1:
        raise Invalid(FieldError(f"/{name}", "unknown_value", f"must be one of {', '.join(FLAGS)}"))
    return flags.pop() if flags else None


def cursor(request: Request) -> Cursor | None:
    text = request.query_params.get("cursor")
    return Cursor.decode(text) if text else None


def moment(request: Request) -> datetime:
    """The instant of the first page, at which decaying values are computed on every page; expiry uses the clock."""
    place = cursor(request)
    return place.at if place else timezone.now()


def past_moment(request: Request, trust: Trust, *, now: datetime) -> AsOf | None:
    """Parse `as_of`; None when absent. Invalid: it is no instant, or has not come yet."""
    text = request.query_params.get("as_of")
    instant = parse_instant(text)
    if text is not None and instant is None:
        raise Invalid(FieldError("/as_of", "not_an_instant", NOT_AN_INSTANT))
    return AsOf.of(instant, max_sensitivity=trust.max_sensitivity, now=now)


def answer(
    request: Request,
    rows: QuerySet[M],
    order: Order,
    *,
    show: Callable[[M], dict[str, Any]],
    at: datetime | None = None,
    default: int = 50,
    after: Sequence[dict[str, Any]] = (),
    also: Sequence[QuerySet[Any]] = (),
    parts: Sequence[Part[M]] | None = None,
    use: Callable[[Sequence[M]], object] | None = None,
    restore: Callable[[Sequence[M]], object] | None = None,
) -> Response:
    """Answer with one page: {next, previous, results}, with absolute URLs or null.

    `at`: the `moment` of the request unless given; `after` follows the last row of the last page; `also` and `parts`:
    as in keyset.page; `restore` is called with the rows of the page before they are shown, `use` afterwards.
    """
    limit = number(request, "limit", default=default, least=1, most=200)
    current = page(rows, order, limit=limit, at=at or moment(request), cursor=cursor(request), also=also, parts=parts)
    if restore:
        restore(current.rows)
    body = {
        "next": _url(request, current.next),
        "previous": _url(request, current.previous),
        "results": [*(show(row) for row in current.rows), *([] if current.next else after)],
    }
    if use and current.rows:
        use(current.rows)
    return Response(body)


def _url(request: Request, place: Cursor | None) -> str | None:
    return replace_query_param(request.build_absolute_uri(), "cursor", place.encode()) if place else None
