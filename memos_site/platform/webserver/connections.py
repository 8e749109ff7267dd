"""One client's connection: its time limits, the refusal of its requests, and its orderly end."""

import errno
import json
import logging
import socket
import time
from contextlib import suppress

from uuid_utils.compat import uuid7
from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.task import ErrorTask, WSGITask
from waitress.utilities import Error

from memos_site.platform.postgres.lending import lent_connection
from memos_site.platform.problem_details import PROGRAMS, problem_body
from memos_site.platform.webserver.requests import Request, RequestTimeout, ServiceUnavailable

CODES = {408: "timeout", 414: "address_too_long", 417: "expectation_failed"}
CODES |= {400: "malformed", 413: "too_large", 431: "header_too_large", 501: "not_implemented"}
CODES |= {503: "disk_full"}
SENTENCES = {
    400: "the request cannot be read",
    413: "the body is larger than 21 MiB",
    431: "the header is larger than 64 KiB",
    500: "something went wrong on our side; the log names this request_id",
    501: "this transfer encoding is not known",
}
RETRY_AFTER = "5"
log = logging.getLogger("memos.web")


class Refusal(ErrorTask):
    """The answer to a request with an `error`; the connection ends with it."""

    def execute(self) -> None:
        error, request_id = self.request.error, str(uuid7())
        detail = SENTENCES.get(error.code, error.body)
        kind, body = self._body(error.code, detail, request_id)
        self.status = f"{error.code} {error.reason}"
        self.response_headers += [("Content-Type", kind), ("X-Request-Id", request_id)]
        if error.code in (408, 503):
            self.response_headers.append(("Retry-After", RETRY_AFTER))
        self.set_close_on_finish()
        self.content_length = len(body)
        log.warning("refused with %s: %s (request %s)", error.code, error.body, request_id)
        self.write(b"" if getattr(self.request, "command", "") == "HEAD" else body)

    def _body(self, status: int, detail: str, request_id: str) -> tuple[str, bytes]:
        path = self.request.target_path
        if not path.startswith(PROGRAMS):
            return "text/plain; charset=utf-8", f"{detail}\n".encode()
        more = {"memory_status": "unavailable"} if status == 503 else {}
        code = CODES.get(status, "")
        body = problem_body(status, detail, code=code, instance=path, request_id=request_id, **more)
        return "application/problem+json", json.dumps(body).encode()


IDLE_SECONDS = 30.0  # between two requests, and before the first
STALLED_SECONDS = 60.0  # for a client that does not read its answer
LINGER_SECONDS = 2.0  # for a client that still sends a refused body
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class Answer(WSGITask):
    """The answer to a request; where the server stops, it tells the client that its connection ends."""

    def build_response_header(self) -> bytes:
        if self.channel.server.stops_at:
            self.request.headers["CONNECTION"] = "close"
        return bytes(super().build_response_header())

    def execute(self) -> None:
        with lent_connection():
            super().execute()


class Connection(HTTPChannel):
    parser_class = Request
    task_class = Answer
    error_task_class = Refusal
    request: Request | None = None  # the one that is being received
    has_refusal = has_request = False
    lingers_until = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether there is no complete request to answer and no answer to send."""
        return not self.requests and not self.total_outbufs_len

    @property
    def awaits_request(self) -> bool:
        """Whether a request has begun to arrive, or the first one has not: its client would be left without answer."""
        return self.is_idle and (self.request is not None or not self.has_request)

    @property
    def idle_since(self) -> float:
        return self.request.started_at if self.request else float(self.last_activity)

    @property
    def unfinished_bytes(self) -> int:
        return int(self.request.body_bytes_received) if self.request else 0

    def received(self, data: bytes) -> bool:
        """Receive data, and answer 503 if the disk is full: waitress keeps a large body in a temporary file."""
        try:
            return bool(super().received(data))
        except OSError as error:
            if error.errno not in NO_SPACE:
                raise
            self.refuse(ServiceUnavailable("the server's disk is full: nothing was stored"))
            return False
        finally:
            self.has_request = self.has_request or self.request is None
            self.has_refusal = self.has_refusal or any(request.error for request in self.requests)

    def refuse(self, error: Error) -> None:
        """Answer the request being received with an error, and end the connection."""
        with self.requests_lock:
            request, self.request = self.request, None
        if request is None:
            self.will_close = True
            return
        request.error, self.has_refusal = error, True
        with suppress(ClientDisconnected):
            self.error_task_class(self, request).service()
        request.close()
        self.close_when_flushed = True

    def expire(self, now: float) -> None:
        """End the connection if its time is over; called every second."""
        if self.lingers_until:
            self.will_close = now > self.lingers_until
        elif self.requests:
            return
        elif self.total_outbufs_len:
            self.will_close = now > self.last_activity + STALLED_SECONDS
        elif self.request is None:
            self.will_close = now > self.last_activity + IDLE_SECONDS
        elif now > self.request.deadline:
            self.refuse(RequestTimeout("the request did not come whole in time"))

    def readable(self) -> bool:
        return bool(self.lingers_until) or bool(super().readable())

    def handle_read(self) -> None:
        if self.lingers_until:
            self.recv(self.adj.recv_bytes)  # discarded; at the end of the stream this closes the connection
        else:
            super().handle_read()

    def handle_write(self) -> None:
        if not (self.has_refusal and self.close_when_flushed) or self.will_close:
            super().handle_write()
            return
        self._flush_exception(self._flush_some)
        if self.connected and not self.will_close and not self.total_outbufs_len:
            self._linger()

    def handle_close(self) -> None:
        if self.request is not None:
            self.request.close()  # its body may lie in a temporary file
        super().handle_close()

    def _linger(self) -> None:
        """Close only our direction: a full close would reset a client that still sends, before it reads its answer."""
        self.close_when_flushed, self.lingers_until = False, time.time() + LINGER_SECONDS
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)
