"""Parsing one HTTP request, with limits on the size and time of each part."""

import time
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from waitress.parser import HTTPRequestParser
from waitress.receiver import ChunkedReceiver
from waitress.utilities import BadRequest, Error

MAX_BODY = 21 * 1024 * 1024
MAX_LINE = 8_190  # bytes of the request line
MAX_HEADER = 64 * 1024
MAX_CHUNK_LINE, MAX_TRAILER = 1_024, 8_192
HEADER_SECONDS = 10.0  # for the whole header, from its first byte
BODY_SECONDS, MIN_BODY_RATE = 30.0, 64 * 1024  # seconds for any body, plus one for each so many bytes


class LengthRequired(Error):
    code, reason = 411, "Length Required"


class URITooLong(Error):
    code, reason = 414, "URI Too Long"


class ExpectationFailed(Error):
    code, reason = 417, "Expectation Failed"


class RequestTimeout(Error):
    code, reason = 408, "Request Timeout"


class ServiceUnavailable(Error):
    code, reason = 503, "Service Unavailable"


class Request(HTTPRequestParser):
    """A request being received. `error` is set as soon as it is refused; the rest of it is then not read."""

    def __init__(self, adjustments: Any) -> None:
        super().__init__(adjustments)
        self.started_at = self.headers_end_at = time.time()
        self.line = b""  # the request line, also of a request that cannot be parsed

    def received(self, data: bytes) -> int:
        if self.body_rcv is None:
            if len(self.header_plus) <= MAX_LINE:
                self.line = (self.header_plus + data).lstrip(b"\r\n")[: MAX_LINE + 1].partition(b"\r\n")[0]
            if len(self.line) > MAX_LINE:
                return self._refuse(URITooLong(f"the request line is longer than {MAX_LINE:,} bytes"), len(data))
        consumed_bytes: int = super().received(data)
        if isinstance(self.body_rcv, ChunkedReceiver) and not self.completed:
            self._bound_chunk_syntax(self.body_rcv)
        if not self.body_bytes_received:
            self.headers_end_at = time.time()
        if self.error is not None:
            self.expect_continue = False  # the client is not asked for a body that nobody reads
        return consumed_bytes

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if "TRANSFER_ENCODING" in self.headers:  # only HTTP/1.1 has it: the end of this body cannot be known
            self._refuse(LengthRequired("a body needs a Content-Length, or HTTP/1.1 for Transfer-Encoding: chunked"))
        elif self.headers.get("EXPECT", "100-continue").lower() != "100-continue":
            self._refuse(ExpectationFailed("the only expectation that can be met is 100-continue"))

    @property
    def deadline(self) -> float:
        """The time by which this request must be complete."""
        if not self.headers_finished:
            return self.started_at + HEADER_SECONDS
        return self.headers_end_at + BODY_SECONDS + float(self.body_bytes_received) / MIN_BODY_RATE

    @property
    def target_path(self) -> str:
        """The path of the request line without the query string, as far as it can be parsed."""
        words = self.line.split(b" ")
        target = words[1] if len(words) > 1 else b""
        path = target if target.startswith(b"/") else urlsplit(target).path
        return unquote_to_bytes(path.partition(b"?")[0]).decode(errors="replace")

    def _bound_chunk_syntax(self, body: ChunkedReceiver) -> None:
        """Limit the line of a chunk and the trailer, which waitress does not: it parses both anew with each packet."""
        if len(body.control_line) > MAX_CHUNK_LINE or len(body.trailer) > MAX_TRAILER:
            self._refuse(BadRequest("a chunk's line or the trailer is too long"))

    def _refuse(self, error: Error, consumed_bytes: int = 0) -> int:
        self.error, self.completed = error, True
        return consumed_bytes
