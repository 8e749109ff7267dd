"""Errors as RFC 9457 problem details, with a stable `code` and, for fields, a JSON pointer each."""

import logging
from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, UnreadablePostError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound, Outdated, UnknownKey
from memos_site.platform.correlation import request_id
from memos_site.platform.outages import RETRY_AFTER, outage
from memos_site.platform.problem_details import problem_body

log = logging.getLogger(__name__)
UNREADABLE = (BadRequest, SuspiciousOperation, UnreadablePostError)
NOT_FOUND = "there is nothing here, or nothing that you may see"


def problem(status: int, detail: str, *, code: str = "", path: str = "", **more: Any) -> Response:
    """One problem as an answer. `path` is the request's, without its query string."""
    body = problem_body(status, detail, code=code, instance=path, request_id=request_id.get(), **more)
    return Response(body, status=status, content_type="application/problem+json")


def handler(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler: whatever is raised in a view of the API becomes a problem, never HTML, never a trace."""
    set_rollback()
    path = context["request"].path
    answer = _ours(error, path) or _frameworks(error, path)
    if answer is None:
        log.exception("unexpected error at %s", path, exc_info=error)
        answer = problem(500, "something went wrong on our side; the log names this request_id", path=path)
    return answer


def of(error: Exception) -> dict[str, Any] | None:
    """What a verb refused, as `problem_body` wants it; None for what is no refusal."""
    if isinstance(error, Invalid):
        return {"status": 400, "detail": str(error.errors[0]), "errors": [_field(wrong) for wrong in error.errors]}
    if isinstance(error, Conflict):
        return {"status": 409, "detail": str(error), "code": error.code, **error.more}
    if isinstance(error, Outdated):
        return {"status": 412, "detail": str(error)}
    if isinstance(error, NotAllowed):
        return {"status": 403, "detail": str(error)}
    if isinstance(error, UnknownKey):
        return {"status": 404, "detail": NOT_FOUND, "suggestions": error.suggestions}
    return {"status": 404, "detail": NOT_FOUND} if isinstance(error, NotFound | Http404) else None


def _ours(error: Exception, path: str) -> Response | None:
    if refused := of(error):
        return problem(**refused, path=path)
    return unavailable(error, path)


def unavailable(error: BaseException | None, path: str) -> Response | None:
    """The answer to an outage beneath us; None for any other fault."""
    broken = outage(error)
    if broken is None:
        return None
    log.error("unavailable at %s: %s (%s)", path, broken.detail, str(error).partition("\n")[0])
    answer = problem(503, broken.detail, code=broken.code, path=path, memory_status="unavailable")
    answer["Retry-After"] = str(RETRY_AFTER)
    return answer


def _frameworks(error: Exception, path: str) -> Response | None:
    if isinstance(error, PermissionDenied):
        return problem(403, "you may not do this", path=path)
    if isinstance(error, RequestDataTooBig):
        return problem(413, "the body is too large", path=path)
    if isinstance(error, UNREADABLE):
        return problem(400, "the request cannot be read", code="malformed", path=path)
    if not isinstance(error, exceptions.APIException):
        return None
    answer = problem(error.status_code, str(error.detail), path=path)
    if header := getattr(error, "auth_header", None):
        answer["WWW-Authenticate"] = header
    if wait := getattr(error, "wait", None):
        answer["Retry-After"] = str(int(wait) + 1)
    return answer


def _field(error: FieldError) -> dict[str, str]:
    return {"pointer": error.pointer, "code": error.code, "detail": error.detail}
