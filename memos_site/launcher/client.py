"""A client of a server: `Memos` for programs that wait, `AsyncMemos` for those that do not.

    with Memos("http://127.0.0.1:8000", token) as memos:
        print(memos.context("Write to Acme about the invoice")["block"])

Each write carries an Idempotency-Key, so that it is tried again when the connection breaks or the server asks for it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import httpx

from .credentials import url_and_token

if TYPE_CHECKING:
    from .answers import ContextAnswer, GuidanceAnswer, Memory, SearchAnswer, StoredClaim

Json = dict[str, Any]
TRIES, PAUSE, LONGEST_PAUSE = 4, 0.5, 30.0  # seconds
TRANSIENT = frozenset({408, 425, 429, 502, 503, 504})


class MemosError(Exception):
    """What the server refused: its HTTP `status`, the `code` and `detail` of the problem, and the wrong fields."""

    def __init__(self, status: int, problem: Json) -> None:
        self.status, self.code = status, str(problem.get("code", ""))
        self.detail, self.errors = str(problem.get("detail", "")), list(problem.get("errors", []))
        super().__init__(f"{status} {self.code}: {self.detail}")


def _read(response: httpx.Response) -> Any:
    """The JSON of an answer. MemosError: it is a refusal, or a redirect, which is not followed."""
    if response.is_redirect:
        raise MemosError(response.status_code, {"code": "redirect", "detail": "a redirect: not followed"})
    if response.is_success:
        return response.json() if response.content else {}
    try:
        problem = response.json()
    except ValueError:
        problem = {"detail": response.text[:300]}
    raise MemosError(response.status_code, problem if isinstance(problem, dict) else {"detail": str(problem)})


def _pause(attempt: int, response: httpx.Response | None) -> float:
    """Seconds until the next try: as the server says, else twice as long as before."""
    seconds = response.headers.get("Retry-After", "") if response is not None else ""
    return min(float(seconds) if seconds.isdigit() else PAUSE * 2**attempt, LONGEST_PAUSE)


class _Calls:
    """Path and body of each verb; the two clients send them, and so define the type of the result."""

    def call(self, path: str, body: Json | None = None, *, method: str = "") -> Any:
        """The answer to a GET, with a body to a POST, or to that `method`; paths are those under /api/v1/."""
        raise NotImplementedError

    def tool(self, name: str, **arguments: Any) -> Any:
        """Call a tool of the table, as `GET tools` describes it."""
        return self.call(f"tools/{name}", arguments)

    def context(self, task: str, **more: Any) -> Any:
        return self.call("context", {"task": task, **more})

    def search(self, query: str, **more: Any) -> Any:
        return self.call("search", {"query": query, **more})

    def guidance(self, task: str, **more: Any) -> Any:
        return self.call("guidance", {"task": task, **more})

    def store(self, key: str, content: str, *, category: str, source: str, **more: Any) -> Any:
        return self.call("memories", {"key": key, "content": content, "category": category, "source": source, **more})

    def outcome(self, episode: str, status: str, *, source: str, **more: Any) -> Any:
        return self.call("outcomes", {"target_record_id": episode, "outcome_status": status, "source": source, **more})


def _package(skill: str) -> str:
    """Where a package is; it may lead to an object store, to which httpx sends no token."""
    return f"skills/{skill}/versions/latest/content"


def _settings(url: str | None, token: str | None, timeout: float) -> Json:
    address, bearer_token = url_and_token(url, token)
    return {
        "base_url": f"{address}/api/v1/",
        "headers": {"Authorization": f"Bearer {bearer_token}"},
        "timeout": timeout,
    }


class Memos(_Calls):
    """Waits for each answer. `url` and `token`: else MEMOS_URL and MEMOS_TOKEN, else what `memos connect` wrote."""

    if TYPE_CHECKING:

        def context(self, task: str, **more: Any) -> ContextAnswer: ...
        def search(self, query: str, **more: Any) -> SearchAnswer: ...
        def guidance(self, task: str, **more: Any) -> GuidanceAnswer: ...
        def store(self, key: str, content: str, *, category: str, source: str, **more: Any) -> StoredClaim: ...
        def outcome(self, episode: str, status: str, *, source: str, **more: Any) -> Memory: ...
        def tool(self, name: str, **arguments: Any) -> Json: ...

    def __init__(self, url: str | None = None, token: str | None = None, *, timeout: float = 30.0) -> None:
        self.http = httpx.Client(**_settings(url, token, timeout))

    def __enter__(self) -> "Memos":
        return self

    def __exit__(self, *_error: object) -> None:
        self.http.close()

    def call(self, path: str, body: Json | None = None, *, method: str = "") -> Any:
        verb = method or ("GET" if body is None else "POST")
        key = {"Idempotency-Key": uuid4().hex}
        for attempt in range(TRIES):
            response, is_last = None, attempt == TRIES - 1
            try:
                response = self.http.request(verb, path, json=body, headers=key)
                if response.status_code not in TRANSIENT or is_last:
                    return _read(response)
            except httpx.TransportError:
                if is_last:
                    raise
            time.sleep(_pause(attempt, response))
        return None

    @contextmanager
    def package(self, skill: str) -> Iterator[Iterator[bytes]]:
        """The zip of a published skill, piece by piece."""
        with self.http.stream("GET", _package(skill), follow_redirects=True) as response:
            if not response.is_success:
                response.read()
                _read(response)
            yield response.iter_bytes()


class AsyncMemos(_Calls):
    """The same verbs, to be awaited."""

    if TYPE_CHECKING:

        def context(self, task: str, **more: Any) -> Awaitable[ContextAnswer]: ...
        def search(self, query: str, **more: Any) -> Awaitable[SearchAnswer]: ...
        def guidance(self, task: str, **more: Any) -> Awaitable[GuidanceAnswer]: ...
        def store(
            self, key: str, content: str, *, category: str, source: str, **more: Any
        ) -> Awaitable[StoredClaim]: ...
        def outcome(self, episode: str, status: str, *, source: str, **more: Any) -> Awaitable[Memory]: ...
        def tool(self, name: str, **arguments: Any) -> Awaitable[Json]: ...

    def __init__(self, url: str | None = None, token: str | None = None, *, timeout: float = 30.0) -> None:
        self.http = httpx.AsyncClient(**_settings(url, token, timeout))

    async def __aenter__(self) -> "AsyncMemos":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.http.aclose()

    async def call(self, path: str, body: Json | None = None, *, method: str = "") -> Any:
        verb = method or ("GET" if body is None else "POST")
        key = {"Idempotency-Key": uuid4().hex}
        for attempt in range(TRIES):
            response, is_last = None, attempt == TRIES - 1
            try:
                response = await self.http.request(verb, path, json=body, headers=key)
                if response.status_code not in TRANSIENT or is_last:
                    return _read(response)
            except httpx.TransportError:
                if is_last:
                    raise
            await asyncio.sleep(_pause(attempt, response))
        return None

    @asynccontextmanager
    async def package(self, skill: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """The zip of a published skill, piece by piece."""
        async with self.http.stream("GET", _package(skill), follow_redirects=True) as response:
            if not response.is_success:
                await response.aread()
                _read(response)
            yield response.aiter_bytes()
