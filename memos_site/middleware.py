"""What every request gets, whatever room answers it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from uuid_utils.compat import uuid7

from memories.values import links
from memos_site.api.error_pages import length_required
from memos_site.platform.correlation import request_id


class RequestId:
    """Gives each request an id of ours, for audit rows, the log and the answer's X-Request-Id; links are made by it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token, of_links = request_id.set(str(uuid7())), links.current.set(request)
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = request_id.get()
            return response
        finally:
            request_id.reset(token)
            links.current.reset(of_links)


class KnownLength:
    """A body whose length nobody knows would be read as empty, and defaults done: 411. Our server gives it a length."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.META.get("HTTP_TRANSFER_ENCODING") and not request.META.get("CONTENT_LENGTH"):
            return length_required(request)
        return self.get_response(request)


class NoNul:
    """A NUL character is in nothing that is stored: a page asked or told one answers 400 (the API says it itself)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not _of_the_api(request) and ("\0" in request.path or "%00" in request.META["QUERY_STRING"]):
            return _refused("an address")
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponse | None:
        """Here what the form holds can be read: whatever is wrong with the body itself is answered as everywhere."""
        if request.method == "POST" and not _of_the_api(request):
            told = (value for _name, values in request.POST.lists() for value in values)
            if any("\0" in str(value) for value in told):
                return _refused("what is told")
        return None


def _of_the_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _refused(where: str) -> HttpResponse:
    return HttpResponseBadRequest(f"A NUL character cannot be part of {where}.", content_type="text/plain")
