"""Spans for tests: made by the real SDK of OpenTelemetry, and sent by its own exporter; or as OTLP JSON."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Tracer

Json = dict[str, Any]
TRACE = "5b8efff798038103d269b633813fc60c"
NANOSECOND = 1_764_547_200_000_000_000


@contextmanager
def tracer(url: str, token: str, service: str = "refund-agent", **resource: str) -> Iterator[Tracer]:
    """A tracer whose spans are at the server when the block ends."""
    headers = {"Authorization": f"Bearer {token}"}
    provider = TracerProvider(resource=Resource.create({"service.name": service, **resource}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces", headers=headers)))
    try:
        yield provider.get_tracer("tests")
    finally:
        provider.shutdown()


def said(role: str, text: str) -> Json:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def called(id: str, name: str, **arguments: Any) -> Json:
    return {"role": "assistant", "parts": [{"type": "tool_call", "id": id, "name": name, "arguments": arguments}]}


def answered(id: str, result: Any) -> Json:
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": id, "response": result}]}


def chat(inputs: list[Json], outputs: list[Json], **more: Any) -> Json:
    told = {"gen_ai.input.messages": json.dumps(inputs), "gen_ai.output.messages": json.dumps(outputs)}
    return {"gen_ai.operation.name": "chat", **told, **more}


def span(number: int, attributes: Json, *, trace: str = TRACE, parent: int = 0, code: int = 0) -> Json:
    """A span of OTLP JSON that starts in the `number`th second, and takes half of it."""
    start = NANOSECOND + number * 10**9
    pairs = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {
        "traceId": trace,
        "spanId": f"{number:016x}",
        **({"parentSpanId": f"{parent:016x}"} if parent else {}),
        "name": "a span",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 5 * 10**8),
        "attributes": pairs,
        "status": {"code": code} if code else {},
    }


def request(*spans: Json, **resource: str) -> Json:
    told = {"service.name": "refund-agent", **{name.replace("_", "."): value for name, value in resource.items()}}
    pairs = [{"key": key, "value": {"stringValue": value}} for key, value in told.items()]
    return {"resourceSpans": [{"resource": {"attributes": pairs}, "scopeSpans": [{"spans": list(spans)}]}]}
