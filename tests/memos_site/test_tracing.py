"""Traces as a collector of OpenTelemetry gets them, over a real socket: OTLP, protobuf over HTTP."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from consolidation import execution
from consolidation.models import Run
from memos_site.platform import correlation, tracing
from tests.consolidation.model_questions import GOOD, ask, model
from tests.make import ANNA, AT, caller, make_memory
from tests.model_endpoint import listening

pytestmark = pytest.mark.django_db
TRACE = "0af7651916cd43dd8448eb211c80319c"


class Collector(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receiver)
        self.requests: list[ExportTraceServiceRequest] = []
        self.paths: list[str] = []

    def spans(self) -> list[Any]:
        """All spans so far, in the order of their ends, with their attributes as a dict of plain values."""
        tracing.flush()
        spans = [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        return [SimpleNamespace(name=span.name, raw=span, facts=_plain(span.attributes)) for span in spans]

    def named(self, name: str) -> Any:
        (span,) = [span for span in self.spans() if span.name == name]
        return span


class Receiver(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append(ExportTraceServiceRequest.FromString(body))
        self.server.paths.append(self.path)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _plain(attributes: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


@pytest.fixture
def collector() -> Iterator[Collector]:
    tracing._provider.cache_clear()
    with Collector() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with override_settings(OTEL_EXPORTER_OTLP_ENDPOINT=address), connection.execute_wrapper(tracing.statement):
            yield server
        tracing._provider().shutdown()
        tracing._provider.cache_clear()
        server.shutdown()


def test_a_request_is_a_span_with_its_statements_below_it(collector: Collector) -> None:
    memory = make_memory("a word that is nobody's business")
    client = caller()
    answer = client.get(f"/api/v1/memories/{memory.pk}", headers={"traceparent": f"00-{TRACE}-{'b' * 16}-01"})
    span = collector.named("GET api/v1/memories/<uuid:memory_id>")
    assert span.facts == {
        "http.request.method": "GET",
        "http.route": "api/v1/memories/<uuid:memory_id>",
        "http.response.status_code": 200,
        "memos.request_id": answer["X-Request-Id"],
    }
    assert (span.raw.trace_id.hex(), span.raw.parent_span_id.hex()) == (TRACE, "b" * 16)
    below = [one for one in collector.spans() if one.raw.parent_span_id == span.raw.span_id]
    assert {one.facts["db.system.name"] for one in below} == {"postgresql"}
    assert any('FROM "memories_memory"' in one.facts["db.query.text"] for one in below)
    assert set(collector.paths) == {"/v1/traces"}


def test_no_span_holds_what_anybody_wrote(collector: Collector) -> None:
    client = caller()
    body = {"category": "fact", "key": "a-secret-key", "content": "a secret content", "source": "a-secret-source"}
    assert client.post("/api/v1/memories", body, format="json").status_code == 201
    assert client.post("/api/v1/memories", body | {"category": "a-secret"}, format="json").status_code == 400
    assert client.get("/api/v1/memories/?q=a-secret").status_code in (200, 404)
    assert len(collector.spans()) > 3
    assert b"secret" not in b"".join(request.SerializeToString() for request in collector.requests)


def test_an_error_is_told_by_its_class_alone(collector: Collector) -> None:
    with pytest.raises(ValueError, match="a secret"), tracing.span("work"):
        raise ValueError("a secret")
    span = collector.named("work")
    assert (span.facts["error.type"], span.raw.status.code, list(span.raw.events)) == ("ValueError", 2, [])
    assert "secret" not in str(span.raw)


def test_what_a_request_orders_bears_its_id_in_the_trail_and_the_trace(collector: Collector) -> None:
    with correlation.bearing("request-1"):
        run = Run.objects.create(kind="consolidate", trigger=Run.Trigger.API)
    seen: list[str] = []

    def work(run: Run) -> None:
        seen.append(run.audit("start", by=ANNA, at=AT).request_id)
        run.finish(Run.Status.SUCCEEDED, counters={}, at=AT)

    execution.execute(Run.objects.get(pk=run.pk), work, at=AT)
    span = collector.named("run consolidate")
    assert seen == [span.facts["memos.request_id"]] == ["request-1"]
    assert span.facts["memos.run"] == str(run.pk)


def test_a_job_has_an_id_of_its_own_that_its_rows_bear(collector: Collector) -> None:
    @tracing.job
    def tidy() -> str:
        with tracing.span("below"):
            return make_memory().audit("edit", by=ANNA, at=AT).request_id

    borne = tidy()
    assert borne == collector.named("job tidy").facts["memos.request_id"] != ""
    assert collector.named("below").raw.parent_span_id == collector.named("job tidy").raw.span_id
    assert correlation.request_id.get() == ""


@pytest.mark.django_db(transaction=True)
def test_a_call_of_the_model_is_a_span_with_its_tokens(collector: Collector) -> None:
    with listening() as endpoint, endpoint.configured():
        endpoint.answers("trip", GOOD)
        ask(model())
    (span,) = [span for span in collector.spans() if span.facts.get("gen_ai.operation.name") == "chat"]
    assert (span.facts["gen_ai.usage.input_tokens"], span.facts["gen_ai.usage.output_tokens"]) == (100, 20)
    assert span.facts["memos.purpose"] == "trip"


def test_connections_are_traced_where_a_collector_is_named_and_only_there(collector: Collector) -> None:
    assert tracing.statement in connection.copy().execute_wrappers
    with override_settings(OTEL_EXPORTER_OTLP_ENDPOINT=""):
        assert tracing.statement not in connection.copy().execute_wrappers
        before = len(collector.spans())
        assert caller().get("/api/v1/skills").status_code == 200
        assert len(collector.spans()) == before
