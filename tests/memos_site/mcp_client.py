"""A session of the official MCP client with a live server, and single POSTs beside it."""

import json
from collections.abc import Awaitable, Callable
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import anyio
import httpx2

from tests.memos_site.processes import PATIENCE

if TYPE_CHECKING:  # its import takes a second, in each worker that collects the tests
    from mcp import Client

T = TypeVar("T")
Json = dict[str, Any]
Answered = tuple[int, dict[str, str], Json]  # status, headers, body
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def session(url: str, token: str, work: Callable[["Client"], Awaitable[T]], *, mode: str = "auto", **headers: str) -> T:
    """What `work` returns within one session of the official client; `mode`: `auto`, `legacy`, or a version."""

    async def run() -> T:
        sent = {"Authorization": f"Bearer {token}"} if token else {}
        async with (
            httpx2.AsyncClient(headers=sent | headers, timeout=PATIENCE) as http,
            _client(url, http, mode) as client,
        ):
            return await work(client)

    return anyio.run(run)


def _client(url: str, http: httpx2.AsyncClient, mode: str) -> "Client":
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    return Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode)


def modern(method: str, **params: Any) -> tuple[Json, dict[str, str]]:
    """A request of the protocol without handshake, and its headers."""
    meta = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {}}
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    if field := NAMED_BY.get(method):
        headers["Mcp-Name"] = str(params[field])
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}, headers


def post(url: str, body: Any, *, method: str = "POST", path: str = "/mcp", **headers: str) -> Answered:
    """Status, headers and body of one HTTP request; `body` may be bytes."""
    place = urlsplit(url)
    connection = HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE)
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, path, content, sent | headers)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, dict(answer.headers), json.loads(text) if text else {}
