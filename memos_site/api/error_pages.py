"""Errors before or outside of any view (unknown host, broken form): a problem under /api/, elsewhere a page."""

import sys
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import get_template
from django.views import defaults
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.problems import NOT_FOUND, problem, unavailable
from memories.values.exceptions import NotFound
from memos_site.platform.problem_details import PROGRAMS

Page = Callable[..., HttpResponseBase]
NO_LENGTH = "a body needs a Content-Length"


def _problem_or(status: int, detail: str, page: Page, *, code: str = "") -> Page:
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.path.startswith(PROGRAMS):
            return page(request, *args, **kwargs)
        body = problem(status, detail, code=code, path=request.path).data
        return JsonResponse(body, status=status, content_type="application/problem+json")

    return answer


bad_request = _problem_or(400, "the request cannot be read", defaults.bad_request, code="malformed")
permission_denied = _problem_or(403, "you may not do this", defaults.permission_denied)
page_not_found = _problem_or(404, NOT_FOUND, defaults.page_not_found)
broken = _problem_or(500, "something went wrong on our side; the log names this request_id", defaults.server_error)
length_required = _problem_or(
    411, NO_LENGTH, lambda _request: HttpResponse(f"{NO_LENGTH}\n", "text/plain; charset=utf-8", 411)
)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Answer 503 for an outage of a service behind the site, else 500. Called while the exception is handled."""
    answer = unavailable(sys.exception(), request.path)
    if answer is None:
        return broken(request)
    response: HttpResponse
    if request.path.startswith(PROGRAMS):
        response = JsonResponse(answer.data, status=503, content_type="application/problem+json")
    else:
        response = HttpResponse(get_template("503.html").render({"detail": answer.data["detail"]}), status=503)
    response["Retry-After"] = answer["Retry-After"]
    return response


class UnknownAddress(APIView):
    """Any other address under /api/: answers 404 with a problem instead of a page."""

    permission_classes = []
    schema = None  # part of no documentation

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise NotFound

    def get(self, request: Request) -> Response:
        raise NotFound
