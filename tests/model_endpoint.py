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
UNSCRIPTED: Json = {"need": {"notes": []}}  # asked about all that is new: where no test says otherwise, it is needed


@dataclass(frozen=True)
class Reply:
    """What is sent. `text`: of the assistant; `body`: instead of a completion. `usage` None: the endpoint reports none.

    `hang`: headers and a first byte, then nothing until the server ends. `drip`: a byte at a time without an end.
    `drop`: the connection is closed before the answer is whole. `message`: fields of it beside or instead of `text`.
    `silence`: a stream that stops in the middle, and stays open.
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
    silence: bool = False
    message: Json = field(default_factory=dict)

    @property
    def is_cut(self) -> bool:
        """Whether it never is whole."""
        return self.hang or self.drip or self.drop or self.silence

    @property
    def stays(self) -> bool:
        """Whether the connection stays open although nothing, or hardly anything, comes."""
        return self.is_cut and not self.drop

    def begun(self, sent: bytes) -> bytes:
        """What is sent at once of an answer."""
        if self.hang or self.drip:
            return b" "
        return sent[: len(sent) // 2] if self.is_cut else sent

    def sent(self, asked: Json) -> tuple[bytes, str]:
        """The body, and its type."""
        if asked.get("stream") and self.status == 200 and self.body is None:
            return self.stream(asked["model"]), "text/event-stream"
        return self.bytes(asked["model"]), "application/json"

    def stream(self, model: str) -> bytes:
        """The same answer as events, a few characters each, with the usage in one of its own."""
        whole = json.loads(self.bytes(model))
        message = whole["choices"][0]["message"]
        text = message.pop("content")
        pieces = [text[at : at + 6] for at in range(0, len(text), 6)] if isinstance(text, str) else [text]
        deltas: list[Json] = [message, *({"content": piece} for piece in pieces), {}]
        chunks: list[Json] = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        chunks[-1]["choices"][0]["finish_reason"] = self.finish_reason
        chunks += [{"choices": [], "usage": whole["usage"]}] if self.usage else []
        events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
        return "".join([": a comment\n\n", *events, "data: [DONE]\n\n"]).encode()

    def bytes(self, model: str) -> bytes:
        if self.body is not None:
            return self.body
        if self.status != 200:
            return json.dumps({"error": {"message": self.text or f"scripted {self.status}", "type": "x"}}).encode()
        message = {"role": "assistant", "content": self.text, **self.message}
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
    """`asked`: the body of each request but those that UNSCRIPTED answers; `headers`: its headers. `rejects`: fields
    that it answers 400 to."""

    url: str = ""
    rejects: set[str] = field(default_factory=set)
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

    def reply(self, path: str, body: Json) -> Reply:
        if path != "/v1/chat/completions":
            return Reply(f"no {path}", status=404)
        with self._lock:
            self.asked.append(body)
            if rejected := sorted(self.rejects & body.keys()):
                return Reply(f"unknown field {rejected[0]}", status=400)
            purpose = body.get("response_format", {}).get("json_schema", {}).get("name", "")
            script = self._script[purpose] or self._script[""] or (not purpose and self._any()) or []
            if not script and purpose in UNSCRIPTED:
                self.asked.pop()
            none_left = UNSCRIPTED.get(purpose, Reply(f"no answer left: {purpose}", status=NO_ANSWER_LEFT))
            answer: Any = script.pop(0) if script else none_left
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
    questions._dialects.clear()
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
            reply = endpoint.reply(self.path, body)
            with suppress(OSError):  # the client may be gone
                self._send(reply, *reply.sent(body))

        def _send(self, reply: Reply, sent: bytes, kind: str) -> None:
            self.send_response(reply.status)
            for name, value in {"Content-Type": kind, **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.close_connection = reply.is_cut or self.close_connection
            self.wfile.write(reply.begun(sent))
            while reply.stays and not endpoint.ended.wait(0.02):  # or until the client is gone
                self.wfile.write(b" " if reply.drip else b"")

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
