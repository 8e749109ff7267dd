"""Answers to requests that the web server refuses: problem details (RFC 9457) under /api/, else a line of text."""

import json
import logging

from uuid_utils.compat import uuid7
from waitress.task import ErrorTask

from memos_site.platform.problem_details import PROGRAMS, problem_body

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
