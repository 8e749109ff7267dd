"""What every request gets, whatever room answers it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from uuid_utils.compat import uuid7

from memories.correlation import request_id


class RequestId:
    """Gives each request an id of ours, for audit rows, the log and the answer's X-Request-Id."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = request_id.set(str(uuid7()))
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = request_id.get()
            return response
        finally:
            request_id.reset(token)


class NoNul:
    """A NUL character is in nothing that is stored: a page asked for one answers 400 (the API says it itself)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith("/api/") and ("\0" in request.path or "%00" in request.META["QUERY_STRING"]):
            return HttpResponseBadRequest("A NUL character cannot be part of an address.", content_type="text/plain")
        return self.get_response(request)
