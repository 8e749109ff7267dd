"""How many spans of OpenTelemetry a second come in through HTTP, in protobuf, as a collector sends them.

    .venv/bin/python -m tests.benchmarks.traces --spans 20000

Runs of ten spans: the agent's, two of the model with the messages so far, two tool calls, five that are of no agent.
512 spans a request, of two senders. One JSON line. The server, its senders and the database share this machine.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.journeys.installation import Installation

SENDERS, BATCH, RUN = 2, 512, 10
SECOND = 10**9


def _said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _spans(run: int) -> list[dict[str, Any]]:
    """The attributes of a run's spans, in their order."""
    asked = _said("user", f"The parcel of order-{run} arrived broken, I want my money back.")
    calls = [{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.id": f"{name}-{run}",
              "gen_ai.tool.call.arguments": json.dumps({"order_id": f"order-{run}"}),
              "gen_ai.tool.call.result": json.dumps({"payment_id": f"pay-{run}", "state": "delivered"})}
             for name in ("get_order", "refund_payment")]  # fmt: skip
    replies = [_said("assistant", text) for text in (f"I look up order-{run}.", f"pay-{run} is refunded.")]
    first, second = ([_said("system", "Be kind"), asked, *before] for before in ([], replies[:1]))
    chats = [{"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(inputs),
              "gen_ai.output.messages": json.dumps([reply])}
             for inputs, reply in zip((first, second), replies, strict=True)]  # fmt: skip
    others = [{"http.request.method": "GET", "url.full": f"http://shop/orders/{run}"} for _ in range(5)]
    return [{"gen_ai.operation.name": "invoke_agent"}, chats[0], calls[0], *others, calls[1], chats[1]]


def bodies(spans: int, sender: int) -> Iterator[bytes]:
    for first in range(0, spans // SENDERS, BATCH):
        request = ExportTraceServiceRequest()
        part = request.resource_spans.add()
        part.resource.attributes.add(key="service.name").value.string_value = "bench"
        into = part.scope_spans.add().spans
        for number in range(first, first + BATCH):
            run = sender * 10**7 + number // RUN
            at = 1_764_547_200 * SECOND + number * SECOND
            span = into.add(name="a span", start_time_unix_nano=at, end_time_unix_nano=at + SECOND // 2)
            span.trace_id, span.span_id = (run + 1).to_bytes(16, "big"), (number + 1).to_bytes(8, "big")
            for key, value in _spans(run)[number % RUN].items():
                span.attributes.add(key=key).value.string_value = value
        yield request.SerializeToString()


def send(port: int, token: str, made: list[bytes]) -> list[float]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-protobuf"}
    took = []
    for body in made:
        began = time.perf_counter()
        connection.request("POST", "/v1/traces", body, headers)
        answer = connection.getresponse()
        said = answer.read()
        if answer.status != 200 or said:
            raise SystemExit(f"{answer.status} {said[:300]!r}")
        took.append((time.perf_counter() - began) * 1000)
    return took


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--spans", type=int, default=20_000)
    spans = parser.parse_args().spans
    with tempfile.TemporaryDirectory(prefix="memos-bench-") as folder:
        home = Installation(Path(folder))
        with home.served() as port:
            token = json.loads(home.run("create_agent", "bench", "--json"))["token"]
            made = [list(bodies(spans, sender)) for sender in range(SENDERS)]
            began = time.perf_counter()
            with ThreadPoolExecutor(SENDERS) as pool:
                took = sorted(each for line in pool.map(lambda one: send(port, token, one), made) for each in line)
            seconds = time.perf_counter() - began
    sent = sum(map(len, made)) * BATCH
    figure = {
        "figure": "spans a second",
        "value": round(sent / seconds),
        "spans": sent,
        "request_ms_p95": round(took[int(len(took) * 0.95)]),
    }
    sys.stdout.write(json.dumps(figure) + "\n")


if __name__ == "__main__":
    main()
