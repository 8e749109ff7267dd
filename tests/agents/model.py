"""A language model that is none: it makes the calls of a script, one a turn, then says its last words."""

import gzip
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

from tests.agents.protocols import PROTOCOLS, Call, Json, Spoken

FEW_TOOLS = 3  # a request with fewer is a side question: a title, a summary, who speaks next


class FakeModel(ThreadingHTTPServer):
    """Answers every agent; `requests` is what they sent, as (path, body), in order."""

    daemon_threads = True

    def __init__(self, script: Sequence[Call]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script, self.requests, self.numbers = list(script), list[tuple[str, Json]](), count(1)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def asked(self) -> list[Json]:
        """The bodies that ask the model to work, with tools."""
        return [body for path, body in self.requests if (spoken := _spoken(path)) and len(spoken.tools(body)) > 2]

    @property
    def offered(self) -> set[str]:
        """The names of all tools that an agent offered."""
        return {name for path, body in self.requests if (spoken := _spoken(path)) for name in spoken.tools(body)}

    def next_call(self, spoken: Spoken, body: Json) -> Call | None:
        step = spoken.step(body)
        works = len(spoken.tools(body)) >= FEW_TOOLS
        return self.script[step] if works and step < len(self.script) else None


def _spoken(path: str) -> Spoken | None:
    return next((spoken for spoken in PROTOCOLS if spoken.matches(path)), None)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeModel

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._say(b"")

    def do_GET(self) -> None:
        models = [{"id": "fake-model", "object": "model", "owned_by": "tests"}]
        self._say(json.dumps({"object": "list", "data": models, "models": []}).encode())

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.split("?")[0]
        self.server.requests.append((path, body))
        spoken = _spoken(path)
        if spoken is None:
            return self._say(json.dumps({"input_tokens": 100, "totalTokens": 100}).encode())
        call, number = self.server.next_call(spoken, body), next(self.server.numbers)
        if not spoken.streams(path, body):
            return self._say(json.dumps(spoken.answer(body, call, number)).encode())
        lines = []
        for name, data in spoken.events(body, call, number):
            lines += [f"event: {name}\n"] if name else []
            lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
        return self._say("".join(lines).encode(), "text/event-stream")

    def _body(self) -> Json:
        raw = self._chunks() if "chunked" in self.headers.get("Transfer-Encoding", "") else self._counted()
        raw = gzip.decompress(raw) if self.headers.get("Content-Encoding") == "gzip" else raw
        try:
            return dict(json.loads(raw))
        except ValueError:
            return {"raw": raw[:2_000].decode("latin1")}

    def _counted(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _chunks(self) -> bytes:
        whole = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def _say(self, content: bytes, kind: str = "application/json") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def fake_model(script: Sequence[Call]) -> Iterator[FakeModel]:
    model = FakeModel(script)
    thread = threading.Thread(target=model.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield model
    finally:
        model.shutdown()
        thread.join()
        model.server_close()
