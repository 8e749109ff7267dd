"""Errors as RFC 9457 problem details, with a stable `code` and a JSON pointer for each wrong field."""

import logging
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, UnreadablePostError
from pydantic import Field
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from memories.api.shapes import Json, Percent, Shape, Share
from memories.values.exceptions import Conflict, Invalid, Lost, NotAllowed, NotFound, Outdated, UnknownKey
from memos_site.platform.correlation import request_id
from memos_site.platform.outages import RETRY_AFTER, outage
from memos_site.platform.problem_details import problem_body

log = logging.getLogger(__name__)
UNREADABLE = (BadRequest, SuspiciousOperation, UnreadablePostError)
NOT_FOUND = "there is nothing here, or nothing that you may see"


class Wrong(Shape):
    pointer: str
    """An RFC 6901 JSON pointer into the request body, or the name of a query parameter"""
    code: str
    detail: str


class Candidate(Shape):
    """A known or dismissed memory that resembles the statement that a person is about to teach."""

    id: UUID | None
    """Null where the memory was dismissed and later forgotten"""
    key: str | None
    content: str | None
    scope: str | None
    confidence: Percent | None
    updated_at: datetime | None
    status: str
    likeness: Literal["same", "rewording", "changed", "other"]
    similarity: Share


class Refusal(Shape):
    """Why one thing was refused."""

    type: Literal["about:blank"]
    title: str
    status: Annotated[int, Field(ge=400, le=599)]
    detail: str
    """A sentence for people"""
    code: str
    """A stable code for programs"""
    errors: list[Wrong] = []
    candidates: list[Candidate] = []
    """Only with the 409 of teaching: memories that the statement resembles, the nearest first"""


class Problem(Refusal):
    """An error as RFC 9457 describes it."""

    instance: str
    request_id: str
    """The id of the request, as in the log and the audit trail"""
    memory_status: Literal["unavailable"] = "unavailable"
    """Present only with 503"""
    suggestions: list[str] = []
    """Only with 404 for a key: up to three similar keys"""


def problem(status: int, detail: str, *, code: str = "", path: str = "", **more: Any) -> Response:
    """Build a problem response. `path` is the request's, without its query string."""
    body = problem_body(status, detail, code=code, instance=path, request_id=request_id.get(), **more)
    return Response(body, status=status, content_type="application/problem+json")


def handler(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler: any exception in an API view becomes a problem, never HTML or a traceback."""
    set_rollback()
    path = context["request"].path
    arguments = refusal(error)
    answer = problem(**arguments, path=path) if arguments else unavailable(error, path) or _of_framework(error, path)
    if answer is None:
        log.exception("unexpected error at %s", path, exc_info=error)
        answer = problem(500, "something went wrong on our side; the log names this request_id", path=path)
    return answer


def refusal(error: Exception) -> Json | None:
    """The arguments of `problem_body` for a domain exception; None for any other."""
    if isinstance(error, Invalid):
        errors = [Wrong.from_row(wrong) for wrong in error.errors]
        return {"status": 400, "detail": str(error.errors[0]), "errors": errors}
    if isinstance(error, Conflict):
        return {"status": 409, "detail": str(error), "code": error.code, **error.more}
    if isinstance(error, Outdated):
        return {"status": 412, "detail": str(error)}
    if isinstance(error, NotAllowed):
        return {"status": 403, "detail": str(error)}
    return _not_found(error) if isinstance(error, NotFound | Http404) else None


def _not_found(error: NotFound | Http404) -> Json:
    detail = str(error) if isinstance(error, Lost) else NOT_FOUND
    more = {"suggestions": error.suggestions} if isinstance(error, UnknownKey) else {}
    return {"status": 404, "detail": detail, **more}


def unavailable(error: BaseException | None, path: str) -> Response | None:
    """The answer to an outage of the database; None for any other error."""
    outage_found = outage(error)
    if outage_found is None:
        return None
    log.error("unavailable at %s: %s (%s)", path, outage_found.detail, str(error).partition("\n")[0])
    answer = problem(503, outage_found.detail, code=outage_found.code, path=path, memory_status="unavailable")
    answer["Retry-After"] = str(RETRY_AFTER)
    return answer


def _of_framework(error: Exception, path: str) -> Response | None:
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
