"""Conversion of values in foreign files: times, numbers, JSON in a text, the scope that a template gives."""

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
ParsedRow = LeftOut | tuple[type[AnyRecord], dict[str, Any]]  # what a row is read as
Reader = Callable[[Raw], ParsedRow]


def field_error(field: str, detail: str, code: str = "invalid") -> Invalid:
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
        raise field_error(field, "must be a time: unix seconds, or ISO 8601", "not_an_instant") from None
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise field_error(field, f"must be a time from {FIRST_YEAR} to {LAST_YEAR}", "not_an_instant")
    return at


def number(raw: Raw, field: str, *, least: float, most: float) -> float | None:
    value = raw.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise field_error(field, "must be a number", "not_a_number")
    if not least <= value <= most:
        raise field_error(field, f"must be from {least:g} to {most:g}", "out_of_range")
    return value


def percent_of_share(raw: Raw, field: str) -> int | None:
    """A confidence of 0 to 1 as 0 to 100."""
    share = number(raw, field, least=0, most=1)
    return None if share is None else round(share * 100)


def whole_number(raw: Raw, field: str, *, most: int = 2_000_000_000) -> int:
    value = number(raw, field, least=0, most=most) or 0
    if value != int(value):
        raise field_error(field, "must be a whole number", "not_a_number")
    return int(value)


def text(raw: Raw, field: str) -> str:
    """The text of a field, '' if it is missing; an integer as its digits. Invalid: another type."""
    value = raw.get(field)
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise field_error(field, "must be a text", "not_a_text")
    return value


def prose(raw: Raw, field: str) -> str:
    """The stripped text of a field, '' if it is missing. Invalid: a number or another type."""
    if isinstance(raw.get(field), int):
        raise field_error(field, "must be a text", "not_a_text")
    return text(raw, field).strip()


def json_of(raw: Raw, field: str, kind: type, *, nothing: Any) -> Any:
    """The JSON list or object in a field, parsed if it is a text; `nothing` if it is missing. Invalid: another type."""
    value = raw.get(field)
    if value is None or value == "":
        return nothing
    if isinstance(value, str):
        try:
            value = strict_json.loads(value)
        except Invalid as wrong:
            raise field_error(field, wrong.errors[0].detail, wrong.errors[0].code) from None
    if not isinstance(value, kind):
        raise field_error(field, f"must be a JSON {'list' if kind is list else 'object'}", "wrong_type")
    return value


def texts(raw: Raw, field: str) -> list[str]:
    """A list of texts, given as a list or as JSON."""
    values = json_of(raw, field, list, nothing=[])
    if not all(isinstance(value, str) for value in values):
        raise field_error(field, "must be a list of texts", "not_a_text")
    return list(values)


def check_storable(raw: Raw) -> None:
    """Invalid: a text holds what cannot be stored (NUL, a lone surrogate, bytes), or is nested too deep."""
    for field, value in raw.items():
        if isinstance(value, bytes):
            raise field_error(field, "holds bytes where a text is expected", "not_a_text")
        if strict_json.too_deep(value):
            raise field_error(field, "nested more than 100 levels deep", "too_deep")
        if wrong := strict_json.unstorable(value):
            raise Invalid(FieldError(f"{within('', field)}{wrong.pointer}", wrong.code, wrong.detail))


def _scope_of_template(template: str, raw: Raw) -> str:
    """The scope that the command's template names for this row, e.g. `user:{user_id}`."""

    def value(match: "re.Match[str]") -> str:
        value_text = text(raw, match[1]).strip()
        if not value_text:
            raise field_error(match[1], f"is missing, and the scope {template!r} needs it", "required")
        return value_text

    scope = PLACEHOLDER.sub(value, template)
    if not re.fullmatch(SCOPE, scope):
        raise field_error("scope", f"{scope[:140]!r} is no name of a scope: {SCOPE_IN_WORDS}", "invalid")
    return scope


def row_of(
    table: str,
    id: str,
    raw: Raw | Invalid,
    reader: Reader,
    names: Mapping[str, str],
    scope: str | None = None,
    *,
    ignored_field: str = "",
) -> SourceRow:
    """Read a row. Its record is Invalid if the row is. `ignored_field` does not count in the digest of the row.

    `scope`: for a record without one, a name or a template of the row's fields and `source_plugin`.
    """
    if isinstance(raw, Invalid):
        return SourceRow(table, id, raw)
    fields = {name: value for name, value in raw.items() if name != ignored_field}
    sha256 = digest_of(json.dumps(fields, sort_keys=True, default=repr, ensure_ascii=True))
    try:
        check_storable(fields)
        record = _record(reader(raw), raw, names, scope)
    except Invalid as wrong:
        return SourceRow(table, id, wrong, sha256)
    return SourceRow(table, id, record, sha256)


def _record(parsed_row: ParsedRow, raw: Raw, names: Mapping[str, str], scope: str | None) -> AnyRecord | LeftOut:
    if isinstance(parsed_row, LeftOut):
        return parsed_row
    shape, fields = parsed_row
    if scope is not None and "scope" in shape.model_fields and not fields.get("scope"):
        fields["scope"] = _scope_of_template(scope, {**raw, "source_plugin": fields["source"]})
    return check(shape, fields, names)


def read_table(
    file: SqliteFile,
    table: str,
    columns: list[str],
    reader: Reader,
    names: Mapping[str, str],
    scope: str | None = None,
    *,
    order: str = "rowid",
) -> Iterator[SourceRow]:
    """The rows of a table, named by their `id`, or by their rowid if that is no id."""
    for rowid, raw in file.rows(table, columns, order=order):
        id = None if isinstance(raw, Invalid) else raw.get("id")
        has_name = isinstance(id, int | str) and str(id).strip() and len(str(id)) <= 512
        yield row_of(table, str(id) if has_name else f"row {rowid}", raw, reader, names, scope)
