"""Traces of OpenTelemetry: spans with the GenAI or OpenInference conventions become the events of episodes."""

from memories.intake.traces.otlp import Span, read_json, read_protobuf
from memories.intake.traces.recording import Recorded, record_spans
