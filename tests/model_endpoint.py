"""A language model on a real socket: it speaks OpenAI's /chat/completions and answers what a test has written for it.

    with listening() as model, model.configured():
        model.answers("facts", {"facts": []}, Reply(status=500), prose('{"facts": []}'))

Each call takes the next answer for its purpose (the name of its JSON schema; `""` serves every purpose). A call without
an answer left is a 418, which no client retries.
"""

import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from django.test import override_settings

from consolidation.llm import questions

Json = dict[str, Any]
KEY = "sk-test-0123456789abcdefghij"
NO_ANSWER_LEFT = 418


@dataclass(frozen=True)
class Reply:
    """What is sent. `text`: of the assistant; `body`: instead of a completion. `usage` None: the endpoint reports none.

    `hang`: headers and a first byte, then nothing until the server ends. `drip`: a byte at a time without an end.
    `drop`: the connection is closed before the answer is whole.
    """

    text: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    finish_reason: str = "stop"
    usage: tuple[int, int, int] | None = (100, 20, 5)  # in, out, reasoning
    body: bytes | None = None
    hang: bool = False
    drip: bool = False
    drop: bool = False

    def bytes(self, model: str) -> bytes:
        if self.body is not None:
            return self.body
        if self.status != 200:
            return json.dumps({"error": {"message": self.text or f"scripted {self.status}", "type": "x"}}).encode()
        message = {"role": "assistant", "content": self.text}
        answer: Json = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish_reason}],
        }
        if self.usage:
            incoming, outgoing, reasoning = self.usage
            details = {"reasoning_tokens": reasoning}
            answer["usage"] = {
                "prompt_tokens": incoming,
                "completion_tokens": outgoing,
                "total_tokens": incoming + outgoing,
                "completion_tokens_details": details,
            }
        return json.dumps(answer).encode()


def prose(answer: str) -> Reply:
    return Reply(f"Certainly! Here is what you asked for:\n\n{answer}\n\nLet me know if you need anything else.")


def fence(answer: str) -> Reply:
    return Reply(f"```json\n{answer}\n```")


Scripted = Reply | Json | str | Callable[[Json], "Reply | Json | str"]


@dataclass
class ModelEndpoint:
    """`asked`: the body of each request; `headers`: its headers. `takes_schema` False: it rejects response_format."""

    url: str = ""
    takes_schema: bool = True
    asked: list[Json] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    _script: dict[str, list[Scripted]] = field(default_factory=lambda: defaultdict(list))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    ended: threading.Event = field(default_factory=threading.Event)

    def answers(self, purpose: str, *answers: Scripted) -> None:
        """Add answers: a Reply, a text, an object that becomes JSON, or a function of the request."""
        self._script[purpose] += answers

    @property
    def unused(self) -> int:
        """How many answers nobody has asked for."""
        return sum(map(len, self._script.values()))

    def sent(self, number: int = -1) -> str:
        """All texts of a request."""
        return "\n".join(message["content"] for message in self.asked[number]["messages"])

    def reply(self, body: Json) -> Reply:
        with self._lock:
            self.asked.append(body)
            if "response_format" in body and not self.takes_schema:
                return Reply("unknown field response_format", status=400)
            purpose = body.get("response_format", {}).get("json_schema", {}).get("name", "")
            script = self._script[purpose] or self._script[""] or (not purpose and self._any()) or []
            answer: Any = script.pop(0) if script else Reply(f"no answer left: {purpose}", status=NO_ANSWER_LEFT)
        answer = answer(body) if callable(answer) else answer
        if isinstance(answer, Reply):
            return answer
        return Reply(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))

    def _any(self) -> list[Scripted]:
        return next((script for script in self._script.values() if script), [])

    @contextmanager
    def configured(self, **settings: Any) -> Iterator["ModelEndpoint"]:
        """The settings name this endpoint."""
        named = {"LLM_BASE_URL": self.url, "LLM_MODEL": "scripted", "LLM_API_KEY": KEY, "SKILLS_LLM": ""}
        bounds = {"LLM_TIMEOUT": 20, "LLM_DAILY_TOKENS": 0, "LLM_CONCURRENCY": 2}
        with override_settings(**{**named, **bounds, **settings}):
            yield self


@contextmanager
def listening() -> Iterator[ModelEndpoint]:
    endpoint = ModelEndpoint()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(endpoint))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    questions._plain.clear()
    try:
        yield endpoint
    finally:
        endpoint.ended.set()
        server.shutdown()
        server.server_close()


def _handler(endpoint: ModelEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.headers.append({name.title(): value for name, value in self.headers.items()})
            known = self.path == "/v1/chat/completions"
            reply = endpoint.reply(body) if known else Reply(f"no {self.path}", status=404)
            with suppress(OSError):  # the client may be gone
                self._send(reply, reply.bytes(body["model"]))

        def _send(self, reply: Reply, sent: bytes) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.close_connection = bool(reply.hang or reply.drip or reply.drop) or self.close_connection
            if reply.hang or reply.drip:
                self._linger(reply)
            else:
                self.wfile.write(sent[: len(sent) // 2] if reply.drop else sent)

        def _linger(self, reply: Reply) -> None:
            """A byte now, and where it drips one more each tick, until the client is gone or the test ends."""
            self.wfile.write(b" ")
            while not endpoint.ended.wait(0.02):
                self.wfile.write(b" " if reply.drip else b"")

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
