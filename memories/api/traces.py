"""POST traces (also /v1/traces): spans of OpenTelemetry, as OTLP/HTTP sends them in protobuf or JSON."""

import gzip
import io
import zlib
from collections.abc import Mapping
from typing import IO, Any

from django.utils import timezone
from pydantic import Field
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import ApiView
from memories.api.json_bodies import JSON, LARGEST_BODY, TooLarge
from memories.api.openapi import operation
from memories.api.shapes import Json, OpenShape, Shape
from memories.intake.traces import Recorded, read_json, read_protobuf, record_spans
from memories.values import strict_json
from memories.values.choices import ActorKind, Permission
from memories.values.exceptions import FieldError, Invalid

PROTOBUF = "application/x-protobuf"
EXAMPLE: Json = {
    "resourceSpans": [
        {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "refund-agent"}}]},
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "5b8efff798038103d269b633813fc60c",
                            "spanId": "eee19b7ec3c1b174",
                            "name": "execute_tool get_order",
                            "startTimeUnixNano": "1764547200000000000",
                            "endTimeUnixNano": "1764547200250000000",
                            "attributes": [
                                {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
                                {"key": "gen_ai.tool.name", "value": {"stringValue": "get_order"}},
                            ],
                        }
                    ]
                }
            ],
        }
    ]
}


class TraceReport(OpenShape):
    """An ExportTraceServiceRequest of OTLP. Unknown fields are ignored."""

    resourceSpans: list[Json] = Field([], description="As the OTLP specification says")  # noqa: N815  # their name


class PartialSuccess(Shape):
    rejectedSpans: str  # noqa: N815  # OTLP writes numbers of 64 bits as texts
    errorMessage: str  # noqa: N815


class TraceAnswer(Shape):
    partialSuccess: PartialSuccess | None = None  # noqa: N815
    """Only where spans were rejected: how many, and why"""

    example = {"partialSuccess": {"rejectedSpans": "1", "errorMessage": "1 span: traceId must be ..."}}

    @classmethod
    def of(cls, result: Recorded) -> Json:
        if not result.rejected:
            return {}
        reasons = "; ".join(f"{count} span{'s' if count > 1 else ''}: {why}" for why, count in result.rejected.items())
        return {"partialSuccess": {"rejectedSpans": str(sum(result.rejected.values())), "errorMessage": reasons[:2000]}}


def _body(stream: IO[Any], context: Mapping[str, Any] | None) -> bytes:
    """The body, unpacked where it is gzip; its size is bounded before and after. TooLarge, Invalid."""
    body: bytes = stream.read(LARGEST_BODY + 1)
    request = (context or {}).get("request")
    if request is not None and request.META.get("HTTP_CONTENT_ENCODING", "").lower() == "gzip":
        try:
            body = gzip.GzipFile(fileobj=io.BytesIO(body)).read(LARGEST_BODY + 1)
        except (OSError, EOFError, zlib.error):
            raise Invalid(FieldError("", "not_gzip", "the body is not gzip, as Content-Encoding says")) from None
    if len(body) > LARGEST_BODY:
        raise TooLarge
    return body


class TraceJSON(BaseParser):
    media_type = "application/json"

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        return read_json(strict_json.loads(_body(stream, parser_context)))


class TraceProtobuf(BaseParser):
    media_type = PROTOBUF

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        return read_protobuf(_body(stream, parser_context))


class AnswerProtobuf(BaseRenderer):
    """The answer to a request in protobuf: an ExportTraceServiceResponse, of a refusal a Status with its text."""

    media_type = PROTOBUF
    format = "protobuf"
    charset = None
    render_style = "binary"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        from google.rpc.status_pb2 import Status
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

        if "detail" in (data or {}):
            return bytes(Status(message=str(data["detail"])).SerializeToString())
        answer = ExportTraceServiceResponse()
        if partial := (data or {}).get("partialSuccess"):
            answer.partial_success.rejected_spans = int(partial["rejectedSpans"])
            answer.partial_success.error_message = partial["errorMessage"]
        return bytes(answer.SerializeToString())


class SameFormatNegotiation(DefaultContentNegotiation):
    """The answer has the content type of the request, whatever Accept says, as OTLP requires."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return next((parser for parser in parsers if (request.content_type or "").startswith(parser.media_type)), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        is_protobuf = (request.META.get("CONTENT_TYPE") or "").startswith(PROTOBUF)
        renderer = next(renderer for renderer in renderers if (renderer.media_type == PROTOBUF) == is_protobuf)
        return renderer, renderer.media_type


class Traces(ApiView):
    needs = {"POST": (Permission.INGEST,)}
    parser_classes = [TraceJSON, TraceProtobuf]
    renderer_classes = [JSON, AnswerProtobuf]
    content_negotiation_class = SameFormatNegotiation

    @operation("IngestTraces", "Ingestion", TraceAnswer, takes=TraceReport, example=EXAMPLE, refuses=(403, 409))
    def post(self, request: Request) -> Response:
        """Report spans of OpenTelemetry

        OTLP/HTTP, in JSON or protobuf (`application/x-protobuf`), gzip too; also at `/v1/traces`, so that
        `OTEL_EXPORTER_OTLP_ENDPOINT` is the address of this server. Each trace becomes an episode, whose thread is
        the trace id: messages and tool calls of the GenAI conventions (`gen_ai.*`) and of OpenInference, each stored
        once, even when spans are sent again. Other spans are ignored. `source` is `memos.source` or `service.name` of
        the resource, `scope` its `memos.scope`. A root span with the status ERROR closes the episode as a failure.
        Spans without a trace, and those of a trace that another agent began, are rejected: `partialSuccess` says how
        many and why. If all are rejected, the request fails.
        """
        trust = self.trust
        mask = trust.actor.kind == ActorKind.AGENT
        spans: Any = request.data or []  # what the parsers above read
        result = record_spans(spans, trust=trust, at=timezone.now(), mask=mask)
        return Response(TraceAnswer.of(result))


class ExporterTraces(Traces):
    """The same endpoint at the default path of OpenTelemetry exporters; not documented a second time."""

    schema = None
