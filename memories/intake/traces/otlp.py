"""Spans as OTLP sends them, in JSON or protobuf, read into one form.

Fields that are not known are passed by, as OTLP says.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from memories.values.exceptions import FieldError, Invalid, within

OK, ERROR = 1, 2
CODES = {"STATUS_CODE_OK": OK, "STATUS_CODE_ERROR": ERROR, 1: OK, 2: ERROR}
TRACE, SPAN = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INTEGER = re.compile(r"-?[0-9]{1,19}")  # of 64 bits; in JSON a text
LAST = 220 * 365 * 86_400 * 10**9  # nanoseconds from 1970: beyond it no clock is right
VALUES = ("stringValue", "boolValue", "intValue", "doubleValue", "bytesValue")


@dataclass
class Span:
    """`trace` and `id` are '' where they are missing or malformed. `failed`: None where the status is unset."""

    trace: str
    id: str
    parent: str
    name: str
    start: datetime | None
    end: datetime | None
    failed: bool | None
    message: str
    attributes: dict[str, Any]
    resource: dict[str, Any]
    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


def _instant(nanoseconds: Any) -> datetime | None:
    """The time of a number of nanoseconds since 1970; None for 0 and for what is no time."""
    try:
        count = int(nanoseconds or 0)
    except (TypeError, ValueError):
        return None
    return EPOCH + timedelta(microseconds=count // 1000) if 0 < count < LAST else None


def _id(text: Any, form: re.Pattern[str]) -> str:
    plain = text.lower() if isinstance(text, str) else ""
    return plain if form.fullmatch(plain) and plain.strip("0") else ""


def _failure_of(code: Any) -> bool | None:
    status = CODES.get(code, 0) if isinstance(code, int | str) else 0
    return {OK: False, ERROR: True}.get(status)


# -- JSON -------------------------------------------------------------------------------------------------------------


def read_json(body: Any) -> list[Span]:
    """The spans of an ExportTraceServiceRequest in JSON. Invalid: it is none."""
    if not isinstance(body, dict):
        raise Invalid(FieldError("", "not_an_object", "must be a JSON object with resourceSpans"))
    return list(_of_json(body))


def _of_json(body: dict[str, Any]) -> Iterator[Span]:
    for place, part in _objects(body, "resourceSpans", ""):
        resource = _attributes(part.get("resource") or {}, f"{place}/resource")
        for scope_place, scope in _objects(part, "scopeSpans", place):
            for span_place, span in _objects(scope, "spans", scope_place):
                yield _span(span, resource, span_place)


def _objects(holder: Any, name: str, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a list with their pointers. Invalid: it is no list of objects."""
    items = (holder.get(name) if isinstance(holder, dict) else None) or []
    if not isinstance(items, list):
        raise Invalid(FieldError(f"{place}/{name}", "not_a_list", "must be a list"))
    for number, item in enumerate(items):
        if not isinstance(item, dict):
            raise Invalid(FieldError(f"{place}/{name}/{number}", "not_an_object", "must be an object"))
        yield f"{place}/{name}/{number}", item


def _span(span: dict[str, Any], resource: dict[str, Any], place: str) -> Span:
    status = span.get("status") if isinstance(span.get("status"), dict) else {}
    return Span(
        trace=_id(span.get("traceId"), TRACE),
        id=_id(span.get("spanId"), SPAN),
        parent=_id(span.get("parentSpanId"), SPAN),
        name=str(span.get("name") or ""),
        start=_instant(span.get("startTimeUnixNano")),
        end=_instant(span.get("endTimeUnixNano")),
        failed=_failure_of((status or {}).get("code")),
        message=str((status or {}).get("message") or ""),
        attributes=_attributes(span, place),
        resource=resource,
        events=[
            (str(event.get("name") or ""), _attributes(event, event_place))
            for event_place, event in _objects(span, "events", place)
        ],
    )


def _attributes(holder: Any, place: str) -> dict[str, Any]:
    pairs = _objects(holder, "attributes", place)
    return {str(pair.get("key")): _value(pair.get("value"), within(pair_place, "value")) for pair_place, pair in pairs}


def _value(value: Any, place: str) -> Any:
    """The value of an AnyValue; None for an empty one."""
    if not isinstance(value, dict):
        return None
    if "arrayValue" in value:
        return [_value(item, item_place) for item_place, item in _objects(value["arrayValue"], "values", place)]
    if "kvlistValue" in value:
        pairs = _objects(value["kvlistValue"], "values", place)
        return {str(pair.get("key")): _value(pair.get("value"), item_place) for item_place, pair in pairs}
    kind = next((name for name in VALUES if name in value), "")
    raw = value.get(kind)
    return int(str(raw)) if kind == "intValue" and INTEGER.fullmatch(str(raw)) else raw


# -- Protobuf ---------------------------------------------------------------------------------------------------------


def read_protobuf(body: bytes) -> list[Span]:
    """The spans of an ExportTraceServiceRequest in protobuf. Invalid: it is none."""
    request = ExportTraceServiceRequest()
    try:
        request.ParseFromString(body)
    except DecodeError:
        raise Invalid(FieldError("", "not_protobuf", "not an ExportTraceServiceRequest in protobuf")) from None
    return list(_of_protobuf(request))


def _of_protobuf(request: Any) -> Iterator[Span]:
    for part in request.resource_spans:
        resource = _pairs(part.resource.attributes)
        for scope in part.scope_spans:
            for span in scope.spans:
                yield Span(
                    trace=_id(span.trace_id.hex(), TRACE),
                    id=_id(span.span_id.hex(), SPAN),
                    parent=_id(span.parent_span_id.hex(), SPAN),
                    name=_storable(span.name),
                    start=_instant(span.start_time_unix_nano),
                    end=_instant(span.end_time_unix_nano),
                    failed=_failure_of(span.status.code),
                    message=_storable(span.status.message),
                    attributes=_pairs(span.attributes),
                    resource=resource,
                    events=[(_storable(event.name), _pairs(event.attributes)) for event in span.events],
                )


def _pairs(pairs: Iterable[Any]) -> dict[str, Any]:
    return {_storable(pair.key): _plain(pair.value) for pair in pairs}


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "string_value":
        return _storable(value.string_value)
    if kind == "array_value":
        return [_plain(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return _pairs(value.kvlist_value.values)
    if kind in (None, "bytes_value"):
        return None
    number = getattr(value, kind)
    return number if math.isfinite(number) else str(number)  # JSON has no NaN


def _storable(text: str) -> str:
    """Without NUL characters, which JSON bodies are refused for, and an exporter cannot be asked to mend."""
    return text.replace("\0", "")
