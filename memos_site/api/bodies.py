"""Reading the bodies of decisions: each wrong field is named."""

from datetime import datetime
from typing import Any
from uuid import UUID

from memories.values.choices import Status
from memories.values.exceptions import FieldError, Invalid, within
from memories.values.field_errors import NOT_AN_INSTANT, parse_instant

LONGEST_REASON = 2_000
Json = dict[str, Any]


def text(body: Json, name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str):
        raise Invalid(FieldError(f"/{name}", "not_a_text", "must be a text"))
    if len(value) > LONGEST_REASON:
        raise Invalid(FieldError(f"/{name}", "too_long", f"is longer than {LONGEST_REASON:,} characters"))
    return value


def why(body: Json) -> str:
    """A dismissal's `reason` and any decision's `why`: whichever is given, both when both are."""
    said = (text(body, "reason").strip(), text(body, "why").strip())
    return ": ".join(filter(None, said))


def status(body: Json, *allowed: Status) -> Status | None:
    """`to`; None when it is not given."""
    to = body.get("to")
    if to is None and "to" not in body:
        return None
    if to not in [status.value for status in allowed]:
        detail = f"must be one of {', '.join(status.value for status in allowed)}"
        raise Invalid(FieldError("/to", "unknown_value", detail))
    return Status(to)


def flag(body: Json, name: str, *, default: bool) -> bool:
    value = body.get(name, default)
    if not isinstance(value, bool):
        raise Invalid(FieldError(f"/{name}", "not_a_boolean", "must be true or false"))
    return value


def instant(body: Json, name: str, *, required: bool = False) -> datetime | None:
    value = body.get(name)
    found = parse_instant(value)
    if found is None and (value is not None or required):
        code = "required" if value is None else "not_an_instant"
        raise Invalid(FieldError(f"/{name}", code, NOT_AN_INSTANT if value is not None else "is required"))
    return found


def ids(body: Json) -> list[UUID]:
    values = body.get("ids")
    if not isinstance(values, list) or not values:
        raise Invalid(FieldError("/ids", "required", "must be a list of ids, or there is a filter"))
    found, wrong = [], []
    for place, value in enumerate(values):
        try:
            found.append(UUID(value))
        except (ValueError, AttributeError, TypeError):
            wrong.append(FieldError(within("/ids", place), "not_an_id", "must be an id"))
    if wrong:
        raise Invalid(*wrong[:100])
    return found
