"""Spans for OpenTelemetry, sent where OTEL_EXPORTER_OTLP_ENDPOINT points; without it no SDK is loaded.

A span holds no text of anybody: of a statement the SQL without its parameters, of a request the route, of an error its
class. The request's id stands in each as `memos.request_id`, as in the log and the audit trail.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from uuid_utils.compat import uuid7

from memos_site.platform import measures
from memos_site.platform.correlation import request_id

P = ParamSpec("P")
R = TypeVar("R")
LONGEST_SQL = 4_000
FLUSH_MILLISECONDS = 2_000


class Traced:
    """Middleware: a span for each request, which continues the trace of a caller that sends `traceparent`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not is_enabled():
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with span(measures.method_of(request), kind="SERVER", caller=request.headers) as current:
            response = self.get_response(request)
            method, route = measures.method_of(request), measures.route_of(request)
            current.update_name(f"{method} {route}")
            current.set_attributes(
                {
                    "http.request.method": method,
                    "http.route": route,
                    "http.response.status_code": response.status_code,
                }
            )
            if response.status_code >= 500:
                _fail(current, str(response.status_code))
        return response


def is_enabled() -> bool:
    return bool(settings.OTEL_EXPORTER_OTLP_ENDPOINT)


@contextmanager
def span(
    name: str,
    attributes: Mapping[str, str | int] | None = None,
    *,
    kind: str = "INTERNAL",
    caller: Mapping[str, str] | None = None,
) -> Iterator[Any]:
    """A span around the block, within the one that is open; yields it, or None where nothing is traced.

    `caller`: headers of a request, whose `traceparent` is continued.
    """
    if not is_enabled():
        yield None
        return
    attributes = {"memos.request_id": request_id.get(), **(attributes or {})}
    with (
        _provider()
        .get_tracer("memos")
        .start_as_current_span(
            name,
            context=_of_caller(caller) if caller else None,
            kind=SpanKind[kind],
            attributes={key: value for key, value in attributes.items() if value != ""},
            record_exception=False,  # its message may hold what somebody wrote
            set_status_on_exception=False,
        ) as current
    ):
        try:
            yield current
        except BaseException as error:
            _fail(current, type(error).__qualname__)
            raise


def statement(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Wraps the statements of a connection: a span for each that is executed within another span."""
    if not trace.get_current_span().is_recording():
        return execute(sql, params, many, context)
    text = str(sql).strip()
    verb = text.split(None, 1)[0].upper() if text else "SQL"
    facts = {"db.system.name": "postgresql", "db.operation.name": verb, "db.query.text": text[:LONGEST_SQL]}
    with span(verb, facts, kind="CLIENT"):
        return execute(sql, params, many, context)


def job(work: Callable[P, R]) -> Callable[P, R]:
    """A job of the worker: a span, and an id of its own that its lines in the log and the audit trail bear."""

    @wraps(work)
    def with_span(*args: P.args, **kwargs: P.kwargs) -> R:
        token = request_id.set(str(uuid7()))
        try:
            with span(f"job {work.__name__}", kind="CONSUMER"):
                return work(*args, **kwargs)
        finally:
            request_id.reset(token)

    return with_span


def flush() -> None:
    """Send what waits, at the end of a process."""
    if _provider.cache_info().currsize:
        _provider().force_flush(FLUSH_MILLISECONDS)


@cache
def _provider() -> Any:
    """What makes spans and sends them from a thread: made at the first span of a process, anew after a fork.

    OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS and their like are read by the library.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME") or "memos"})
    address = f"{settings.OTEL_EXPORTER_OTLP_ENDPOINT.rstrip('/')}/v1/traces"
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=address)))
    return provider


def _of_caller(headers: Mapping[str, str]) -> Any:
    carrier = {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}
    return TraceContextTextMapPropagator().extract(carrier)


def _fail(current: Any, error: str) -> None:
    current.set_attribute("error.type", error)
    current.set_status(StatusCode.ERROR)


os.register_at_fork(after_in_child=_provider.cache_clear)
