"""A server that takes every request and never answers: what it was asked, and how long who asked waited."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

QUESTIONS = ("/api/v1/context", "/api/v1/guidance")  # of the hooks
REPORTS = ("/api/v1/events", "/api/v1/tool-outputs")


@dataclass
class Asked:
    """`begun` and `gone`: seconds of a clock; `gone` stays without an end while the other side waits."""

    path: str
    source: str
    agent: str  # as it names itself to HTTP
    begun: float
    gone: float = float("inf")
    closed: threading.Event = field(default_factory=threading.Event)

    def waited(self, longest: float) -> float:
        """How many seconds the other side waited. A connection just closed may not be read as closed yet: look on."""
        self.closed.wait(max(0.0, self.begun + longest - time.monotonic()))
        return self.gone - self.begun


class SlowServer(ThreadingHTTPServer):
    daemon_threads, block_on_close = True, False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[Asked] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def of(self, source: str, paths: tuple[str, ...]) -> list[Asked]:
        return [one for one in self.asked if one.source == source and one.path in paths]


class _Handler(BaseHTTPRequestHandler):
    server: SlowServer

    def log_message(self, *_args: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        content = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        source, agent = str(content.get("source", "")), self.headers.get("User-Agent", "")
        asked = Asked(self.path, source, agent, time.monotonic())
        self.server.asked.append(asked)
        with suppress(ConnectionResetError):
            self.connection.recv(1)  # returns when the other side closes
        asked.gone = time.monotonic()
        asked.closed.set()
        self.close_connection = True

    do_GET = do_POST  # noqa: N815  # a name of http.server


@contextmanager
def slow_server() -> Iterator[SlowServer]:
    server = SlowServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
