"""One HTTP request as it comes in, with limits on each of its parts."""

import time
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from waitress.parser import HTTPRequestParser
from waitress.receiver import ChunkedReceiver
from waitress.utilities import BadRequest, Error

LARGEST_BODY = 21 * 1024 * 1024
LONGEST_LINE = 8_190  # bytes of the request line
LARGEST_HEADER = 64 * 1024
LONGEST_CHUNK_LINE, LARGEST_TRAILER = 1_024, 8_192
HEADER_SECONDS = 10.0  # for the whole header, from its first byte
BODY_SECONDS, SLOWEST_BODY = 30.0, 64 * 1024  # a body may take so long, and a second more for so many bytes


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
    """`error` is set as soon as it is known that this request is refused; then nothing more of it is read."""

    def __init__(self, adjustments: Any) -> None:
        super().__init__(adjustments)
        self.began = self.headers_ended = time.time()
        self.line = b""  # the first one, kept also of a request that cannot be parsed

    def received(self, data: bytes) -> int:
        if self.body_rcv is None:
            if len(self.header_plus) <= LONGEST_LINE:
                self.line = (self.header_plus + data).lstrip(b"\r\n")[: LONGEST_LINE + 1].partition(b"\r\n")[0]
            if len(self.line) > LONGEST_LINE:
                return self._refuse(URITooLong(f"the request line is longer than {LONGEST_LINE:,} bytes"), len(data))
        consumed: int = super().received(data)
        if isinstance(self.body_rcv, ChunkedReceiver) and not self.completed:
            self._bound_chunk_syntax(self.body_rcv)
        if not self.body_bytes_received:
            self.headers_ended = time.time()
        if self.error is not None:
            self.expect_continue = False  # the client is not asked for a body that nobody reads
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if "TRANSFER_ENCODING" in self.headers:  # only HTTP/1.1 has it: the end of this body cannot be known
            self._refuse(LengthRequired("a body needs a Content-Length, or HTTP/1.1 for Transfer-Encoding: chunked"))
        elif self.headers.get("EXPECT", "100-continue").lower() != "100-continue":
            self._refuse(ExpectationFailed("the only expectation that can be met is 100-continue"))

    @property
    def deadline(self) -> float:
        """When this request must have come whole."""
        if not self.headers_finished:
            return self.began + HEADER_SECONDS
        return self.headers_ended + BODY_SECONDS + float(self.body_bytes_received) / SLOWEST_BODY

    @property
    def asked_path(self) -> str:
        """The path as far as it can be told, without the query string."""
        words = self.line.split(b" ")
        target = words[1] if len(words) > 1 else b""
        path = target if target.startswith(b"/") else urlsplit(target).path
        return unquote_to_bytes(path.partition(b"?")[0]).decode(errors="replace")

    def _bound_chunk_syntax(self, body: ChunkedReceiver) -> None:
        """Waitress keeps the line of a chunk and the trailer whole, and reads them anew with each packet."""
        if len(body.control_line) > LONGEST_CHUNK_LINE or len(body.trailer) > LARGEST_TRAILER:
            self._refuse(BadRequest("a chunk's line or the trailer is too long"))

    def _refuse(self, error: Error, consumed: int = 0) -> int:
        self.error, self.completed = error, True
        return consumed
