"""One request to an OpenAI-compatible endpoint, with bounds for its time, its silence and its size. Imports the client
library, which takes half a second: import it where a question is asked.
"""

import math
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any

import httpx2
import openai
from pydantic import ValidationError

from consolidation.llm.completions import OVERFLOW, Completion, streamed, whole
from consolidation.llm.dialects import LIMIT
from consolidation.llm.errors import ModelError, RejectedRequest, TooLong, Unavailable, Unusable
from memories.scanning import credentials

LARGEST_ANSWER = 4 * 1024 * 1024
LONGEST_WHY = 300
CONNECT_SECONDS = 10.0
TOLD_EVERY = 2.0  # seconds
LONGEST_PAUSE = 86_400.0  # seconds that an endpoint may ask for
REJECTED, TOO_LARGE = (400, 422), 413
PASSING = (408, 409, 425, 429)  # and everything from 500
BY_TEXT = (403, 408, 500, 502, 504, 524)  # withheld by a moderator, too slow, or broken down


@cache
def _certificates() -> ssl.SSLContext:
    """Reading those that are trusted takes 40 ms."""
    return httpx2.create_ssl_context()


class _Bounded(httpx2.SyncByteStream):
    """The body of an answer, also of an error, that ends with an error when it grows too large."""

    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._stream:
            size += len(chunk)
            if size > LARGEST_ANSWER:
                raise httpx2.ReadError("its answer is too large")
            yield chunk

    def close(self) -> None:
        self._stream.close()


@dataclass(frozen=True)
class ChatEndpoint:
    """Where the model is asked. `timeout`: seconds for one request in all, also where the answer drips. `idle`: between
    two pieces of an answer that is streamed; before the first one a slow model reads."""

    url: str
    timeout: float
    key: str = field(default="", repr=False)
    idle: float = math.inf

    def complete(self, request: dict[str, Any], tell: Callable[[int], None] = lambda _pieces: None) -> Completion:
        """Send one request and wait for its answer. Unavailable, Refused, RejectedRequest or Truncated: there is none.

        `tell`: called now and then with how many pieces have come. Runs in a thread, because no timeout of a connection
        covers the name lookup and slow headers; when the time is over the connection is closed under it.
        """
        client, answer = self._client(), Completion()
        done: SimpleQueue[Exception | None] = SimpleQueue()
        threading.Thread(target=_put, args=(done, lambda: self._read(client, request, answer)), daemon=True).start()
        try:
            error = self._wait(done, answer, tell)
        finally:
            client.close()
        if error is None:
            return answer
        if answer.pieces:
            tell(answer.pieces)
        fault = error if isinstance(error, ModelError) else self._error_of(error)
        fault.args = (self._masked(str(fault)),)  # what came in a stream may hold anything
        fault.read = not isinstance(error, openai.APIStatusError) and not _never_connected(error)
        raise fault from None

    def _wait(
        self, done: "SimpleQueue[Exception | None]", answer: Completion, tell: Callable[[int], None]
    ) -> Exception | None:
        """What went wrong; None: the answer is whole."""
        begun = heard = time.monotonic()
        pieces = 0
        while True:
            now = time.monotonic()
            if answer.pieces > pieces:
                pieces, heard = answer.pieces, now
                tell(pieces)
            silent = heard + self.idle - now if pieces else math.inf
            left = min(begun + self.timeout - now, silent, TOLD_EVERY)
            if left <= 0:
                late = f"was still answering after {self.timeout:g} seconds (LLM_TIMEOUT)" if pieces else ""
                return TimeoutError(late if silent > 0 else f"said nothing for {self.idle:g} seconds")
            with suppress(Empty):
                return done.get(timeout=left)

    def _client(self) -> openai.OpenAI:
        """A client for one request: never shared with a fork, and closed when the time is over."""
        timeout = httpx2.Timeout(self.timeout, connect=min(self.timeout, CONNECT_SECONDS))
        http = openai.DefaultHttpxClient(
            verify=_certificates(), follow_redirects=False, timeout=timeout, event_hooks={"response": [_bound_size]}
        )
        return openai.OpenAI(
            api_key=self.key or "none",
            base_url=self.url,
            timeout=timeout,
            max_retries=0,  # each attempt is counted by the caller
            http_client=http,
        )

    def _read(self, client: openai.OpenAI, request: dict[str, Any], into: Completion) -> None:
        headers = {} if self.key else {"Authorization": openai.omit}
        with client.chat.completions.with_streaming_response.create(**request, extra_headers=headers) as answer:
            if answer.headers.get("content-type", "").startswith("text/event-stream"):
                streamed(_bounded(answer.iter_bytes()), into)
            else:
                whole(b"".join(_bounded(answer.iter_bytes())), into)

    def _error_of(self, error: Exception) -> ModelError:
        if isinstance(error, openai.APIStatusError):
            return self._status_error(error)
        if isinstance(error, TimeoutError | openai.APITimeoutError | httpx2.TimeoutException):
            silent = str(error) if type(error) is TimeoutError else ""
            why = silent or f"did not answer within {self.timeout:g} seconds"
            return Unavailable(self._sentence(why), by_text=not _never_connected(error))
        if isinstance(error, openai.APIConnectionError | httpx2.HTTPError | httpx2.InvalidURL):
            cause, reached = error.__cause__ or error, not _never_connected(error)
            what = "cannot be read" if reached else "cannot be reached"
            return Unavailable(self._sentence(f"{what}: {cause or type(cause).__name__}"), by_text=reached)
        if isinstance(error, ValidationError | ValueError | RecursionError):
            return Unavailable(self._sentence("answered something that is no chat completion"), by_text=True)
        return Unavailable(self._sentence(f"cannot be asked: {type(error).__name__}: {error}"), passing=False)

    def _status_error(self, error: openai.APIStatusError) -> ModelError:
        status, broken = error.status_code, error.status_code >= httpx2.codes.INTERNAL_SERVER_ERROR
        sentence = self._sentence(f"answered {status}: {_reason(error)}")
        if isinstance(error.body, dict) and isinstance(written := error.body.get("failed_generation"), str):
            return Unusable(sentence, answer=written)  # of Groq
        too_long = OVERFLOW.search(sentence) and not LIMIT.search(sentence)  # else the dialect leaves the limit out
        if status == TOO_LARGE or ((status in REJECTED or broken) and too_long):
            return TooLong(sentence)
        if status in REJECTED:
            return RejectedRequest(sentence)
        passing = status in PASSING or broken
        seconds = retry_after(error.response.headers)
        return Unavailable(sentence, seconds=seconds, passing=passing, by_text=status in BY_TEXT)

    def _sentence(self, what: str) -> str:
        return self._masked(f"the language model {what}")

    def _masked(self, sentence: str) -> str:
        hidden = sentence.replace(self.key, credentials.MASK) if self.key else sentence
        return credentials.masked(hidden.replace("\0", ""))[:LONGEST_WHY]


def _never_connected(error: Exception) -> bool:
    """Whether nothing of the request left, because there was no connection to send it through."""
    return isinstance(error.__cause__ or error, httpx2.ConnectError | httpx2.ConnectTimeout)


def _put(done: "SimpleQueue[Exception | None]", work: Callable[[], None]) -> None:
    try:
        work()
        done.put(None)
    except Exception as error:  # raised again by who waits for it
        done.put(error)


def _bounded(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces of an answer, unpacked."""
    read = 0
    for piece in pieces:
        read += len(piece)
        if read > LARGEST_ANSWER:
            raise httpx2.ReadError("its answer is too large")
        yield piece


def _bound_size(response: httpx2.Response) -> None:
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _Bounded(response.stream)


def _reason(error: openai.APIStatusError) -> str:
    """The sentence in the body of an error, or the body."""
    body = error.body
    if isinstance(body, dict):
        return str(body.get("message") or body)
    return str(body or error.message)


def retry_after(headers: httpx2.Headers) -> float | None:
    """Seconds of the header Retry-After, which is a number or a date, at most LONGEST_PAUSE; None without one."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return min(max(0.0, seconds), LONGEST_PAUSE)
