"""Error bodies: problem details (RFC 9457) with a stable `code`."""

from http import HTTPStatus
from typing import Any

PROGRAMS = ("/api/", "/mcp", "/metrics")  # addresses that programs call: their errors are problem details, never a page
CODES = {400: "invalid", 401: "unauthenticated", 403: "not_allowed", 404: "not_found", 405: "method_not_allowed"}
CODES |= {409: "conflict", 412: "precondition_failed", 413: "too_large", 415: "unsupported_media_type"}
CODES |= {406: "not_acceptable", 411: "length_required", 429: "throttled", 500: "internal_error", 503: "unavailable"}


def problem_body(status: int, detail: str, *, code: str = "", **more: Any) -> dict[str, Any]:
    """The body of an error answer, also of one item of a batch. Without `code` the status' own code is used."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return {**body, "code": code or CODES[status], **more}
