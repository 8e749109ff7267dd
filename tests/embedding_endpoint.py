"""An embedding endpoint on a real socket, which speaks OpenAI's protocol and can be told to misbehave."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from memories.embedding.endpoint import _client

Json = dict[str, Any]
Fault = Callable[[Json], tuple[int, Any] | None]  # the request's body -> status and answer, or None to serve it well


@dataclass
class Endpoint:
    """`asked` holds every request's body; while `fault` answers something, that is the answer."""

    url: str = ""
    dimensions: int = 8
    fault: Fault | None = None
    asked: list[Json] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [text for body in self.asked for text in body["input"]]

    def answer(self, body: Json) -> tuple[int, Any]:
        self.asked.append(body)
        if self.fault and (bad := self.fault(body)):
            return bad
        size = body.get("dimensions") or self.dimensions
        rows = [
            {"object": "embedding", "index": index, "embedding": vector_of(text, size)}
            for index, text in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return 200, {"object": "list", "data": rows[::-1], "model": body["model"], "usage": usage}


def vector_of(text: str, size: int) -> list[float]:
    """Another direction for each text, the same one each time."""
    seed = int.from_bytes(text.encode()[-8:].ljust(8, b"."), "little")
    return [float(number) for number in np.random.default_rng(seed).normal(size=size)]


@contextmanager
def listening() -> Iterator[Endpoint]:
    endpoint = Endpoint()

    class ApiView(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.headers.append(dict(self.headers))
            status, answer = endpoint.answer(body) if self.path == "/v1/embeddings" else (404, {"error": self.path})
            sent = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), ApiView)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    client = _client(os.getpid())  # one, before threads ask for it
    try:
        yield endpoint
    finally:
        client.close()  # it keeps its connections for the next call, which never comes
        _client.cache_clear()
        server.shutdown()
        server.server_close()
