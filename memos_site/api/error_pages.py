"""Faults before or outside of any view (an unknown host, a broken form): under /api/ a problem, elsewhere a page."""

import sys
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import get_template
from django.views import defaults

from memories.api.problems import NOT_FOUND, problem, unavailable

Page = Callable[..., HttpResponseBase]


def _door(status: int, detail: str, page: Page, *, code: str = "") -> Page:
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.path.startswith("/api/"):
            return page(request, *args, **kwargs)
        body = problem(status, detail, code=code, path=request.path).data
        return JsonResponse(body, status=status, content_type="application/problem+json")

    return answer


bad_request = _door(400, "the request cannot be read", defaults.bad_request, code="malformed")
permission_denied = _door(403, "you may not do this", defaults.permission_denied)
page_not_found = _door(404, NOT_FOUND, defaults.page_not_found)
broken = _door(500, "something went wrong on our side; the log names this request_id", defaults.server_error)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Called while the exception is handled: an outage beneath us is a 503, whichever page met it."""
    answer = unavailable(sys.exception(), request.path)
    if answer is None:
        return broken(request)
    told: HttpResponse
    if request.path.startswith("/api/"):
        told = JsonResponse(answer.data, status=503, content_type="application/problem+json")
    else:
        told = HttpResponse(get_template("503.html").render({"detail": answer.data["detail"]}), status=503)
    told["Retry-After"] = answer["Retry-After"]
    return told


def length_required(request: HttpRequest) -> HttpResponse:
    """To a body of which only the server knew where it ends."""
    detail = "a body needs a Content-Length"
    if request.path.startswith("/api/"):
        body = problem(411, detail, path=request.path).data
        return JsonResponse(body, status=411, content_type="application/problem+json")
    return HttpResponse(f"{detail}\n", status=411, content_type="text/plain; charset=utf-8")
