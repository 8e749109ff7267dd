"""Faults before or outside of any view (an unknown host, a broken form): under /api/ a problem, elsewhere a page."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views import defaults

from memories.api.problems import NOT_FOUND, problem

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
server_error = _door(500, "something went wrong on our side; the log names this request_id", defaults.server_error)


def length_required(request: HttpRequest) -> HttpResponse:
    """To a body of which only the server knew where it ends."""
    detail = "a body needs a Content-Length"
    if request.path.startswith("/api/"):
        body = problem(411, detail, path=request.path).data
        return JsonResponse(body, status=411, content_type="application/problem+json")
    return HttpResponse(f"{detail}\n", status=411, content_type="text/plain; charset=utf-8")
