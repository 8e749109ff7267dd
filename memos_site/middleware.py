"""Middleware of every request: its id, a length for its body, and no NUL characters on pages."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from uuid_utils.compat import uuid7

from memories.values import links
from memos_site.api.error_pages import length_required
from memos_site.platform.correlation import request_id


class RequestId:
    """Give each request a new id, for audit rows, the log and the X-Request-Id header; and make it known to `links`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        id_token, links_token = request_id.set(str(uuid7())), links.current.set(request)
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = request_id.get()
            return response
        finally:
            request_id.reset(id_token)
            links.current.reset(links_token)


class KnownLength:
    """Answer 411 to a chunked body without a length, which Django would read as empty.

    Our own web server gives such a body its length; this is for other servers.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.META.get("HTTP_TRANSFER_ENCODING") and not request.META.get("CONTENT_LENGTH"):
            return length_required(request)
        return self.get_response(request)


class NoNul:
    """Answer 400 to a NUL character in the address or form of a page; the API checks its input itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not _is_api(request) and ("\0" in request.path or "%00" in request.META["QUERY_STRING"]):
            return _nul_refusal("an address")
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponse | None:
        """Check the form here and not in `__call__`, where a malformed body would not get its usual answer."""
        if request.method == "POST" and not _is_api(request):
            values = (value for _name, values in request.POST.lists() for value in values)
            if any("\0" in str(value) for value in values):
                return _nul_refusal("what is told")
        return None


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _nul_refusal(where: str) -> HttpResponse:
    return HttpResponseBadRequest(f"A NUL character cannot be part of {where}.", content_type="text/plain")
