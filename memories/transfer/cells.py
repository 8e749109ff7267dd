"""Values of foreign files as ours: times, percentages, JSON in a text, the scope that a template names."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from memories.models.imported_row import digest_of
from memories.transfer.records import AnyRecord, LeftOut, SourceRow, check
from memories.transfer.sqlite_file import SqliteFile
from memories.values import strict_json
from memories.values.exceptions import FieldError, Invalid, within
from memories.values.field_errors import FIRST_YEAR, LAST_YEAR
from memories.values.field_types import SCOPE, SCOPE_IN_WORDS

PLACEHOLDER = re.compile(r"\{([a-z_]{1,40})\}")
NO_TIME = "0001-01-01T00:00:00Z"  # as programs in Go write a time that is not set

Raw = Mapping[str, Any]
Meant = LeftOut | tuple[type[AnyRecord], dict[str, Any]]  # what a row is read as
Reader = Callable[[Raw], Meant]


def fault(field: str, detail: str, code: str = "invalid") -> Invalid:
    return Invalid(FieldError(within("", field), code, detail))


def instant(raw: Raw, field: str) -> datetime | None:
    """Unix seconds, or an ISO time (without a zone it is UTC)."""
    value = raw.get(field)
    if value in (None, "", NO_TIME):
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            at = datetime.fromtimestamp(value, UTC)
        else:
            at = datetime.fromisoformat(value)
            at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        raise fault(field, "must be a time: unix seconds, or ISO 8601", "not_an_instant") from None
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise fault(field, f"must be a time from {FIRST_YEAR} to {LAST_YEAR}", "not_an_instant")
    return at


def number(raw: Raw, field: str, *, least: float, most: float) -> float | None:
    value = raw.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise fault(field, "must be a number", "not_a_number")
    if not least <= value <= most:
        raise fault(field, f"must be from {least:g} to {most:g}", "out_of_range")
    return value


def percent_of_share(raw: Raw, field: str) -> int | None:
    """A confidence of 0 to 1 as 0 to 100."""
    share = number(raw, field, least=0, most=1)
    return None if share is None else round(share * 100)


def whole(raw: Raw, field: str, *, most: int = 2_000_000_000) -> int:
    value = number(raw, field, least=0, most=most) or 0
    if value != int(value):
        raise fault(field, "must be a whole number", "not_a_number")
    return int(value)


def text(raw: Raw, field: str) -> str:
    """'' where there is none; a number as its digits."""
    value = raw.get(field)
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise fault(field, "must be a text", "not_a_text")
    return value


def prose(raw: Raw, field: str) -> str:
    """A text that states something: a number is none. '' where there is none."""
    if isinstance(raw.get(field), int):
        raise fault(field, "must be a text", "not_a_text")
    return text(raw, field).strip()


def json_of(raw: Raw, field: str, kind: type, *, nothing: Any) -> Any:
    """The JSON list or object in a text (or already read); `nothing` where there is none."""
    value = raw.get(field)
    if value is None or value == "":
        return nothing
    if isinstance(value, str):
        try:
            value = strict_json.loads(value)
        except Invalid as wrong:
            raise fault(field, wrong.errors[0].detail, wrong.errors[0].code) from None
    if not isinstance(value, kind):
        raise fault(field, f"must be a JSON {'list' if kind is list else 'object'}", "wrong_type")
    return value


def texts(raw: Raw, field: str) -> list[str]:
    """A list of texts, as JSON in a text or as one."""
    values = json_of(raw, field, list, nothing=[])
    if not all(isinstance(value, str) for value in values):
        raise fault(field, "must be a list of texts", "not_a_text")
    return list(values)


def storable(raw: Raw) -> None:
    """Invalid: a text holds what cannot be stored (NUL, a lone surrogate, bytes), or is nested too deep."""
    for field, value in raw.items():
        if isinstance(value, bytes):
            raise fault(field, "holds bytes where a text is expected", "not_a_text")
        if strict_json.too_deep(value):
            raise fault(field, "nested more than 100 levels deep", "too_deep")
        if wrong := strict_json.unstorable(value):
            raise Invalid(FieldError(f"{within('', field)}{wrong.pointer}", wrong.code, wrong.detail))


def _scope(template: str, raw: Raw) -> str:
    """The scope that the command's template names for this row, e.g. `user:{user_id}`."""

    def value(match: "re.Match[str]") -> str:
        text_found = text(raw, match[1]).strip()
        if not text_found:
            raise fault(match[1], f"is missing, and the scope {template!r} needs it", "required")
        return text_found

    scope = PLACEHOLDER.sub(value, template)
    if not re.fullmatch(SCOPE, scope):
        raise fault("scope", f"{scope[:140]!r} is no name of a scope: {SCOPE_IN_WORDS}", "invalid")
    return scope


def row_of(
    table: str,
    id: str,
    raw: Raw | Invalid,
    read: Reader,
    names: Mapping[str, str],
    scope: str | None = None,
    *,
    omitted: str = "",
) -> SourceRow:
    """The row as `read` understands it; what is wrong stands in its record. `omitted` is not compared.

    `scope`: of what names none, a name or a template of its fields, which know its source as `source_plugin`.
    """
    if isinstance(raw, Invalid):
        return SourceRow(table, id, raw)
    kept = {name: value for name, value in raw.items() if name != omitted}
    sha256 = digest_of(json.dumps(kept, sort_keys=True, default=repr, ensure_ascii=True))
    try:
        storable(kept)
        record = _record(read(raw), raw, names, scope)
    except Invalid as wrong:
        return SourceRow(table, id, wrong, sha256)
    return SourceRow(table, id, record, sha256)


def _record(meant: Meant, raw: Raw, names: Mapping[str, str], scope: str | None) -> AnyRecord | LeftOut:
    if isinstance(meant, LeftOut):
        return meant
    shape, fields = meant
    if scope is not None and "scope" in shape.model_fields and not fields.get("scope"):
        fields["scope"] = _scope(scope, {**raw, "source_plugin": fields["source"]})
    return check(shape, fields, names)


def read_table(
    file: SqliteFile,
    table: str,
    columns: list[str],
    read: Reader,
    names: Mapping[str, str],
    scope: str | None = None,
    *,
    order: str = "rowid",
) -> Iterator[SourceRow]:
    """The rows of a table, named by their `id`, or where that is none by their place."""
    for rowid, raw in file.rows(table, columns, order=order):
        id = None if isinstance(raw, Invalid) else raw.get("id")
        named = isinstance(id, int | str) and str(id).strip() and len(str(id)) <= 512
        yield row_of(table, str(id) if named else f"row {rowid}", raw, read, names, scope)
