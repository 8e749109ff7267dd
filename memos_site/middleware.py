"""What every request gets, whatever room answers it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from uuid_utils.compat import uuid7


class RequestId:
    """Gives each request an id of ours, stands it in `request.id` and in the answer's X-Request-Id."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.id = str(uuid7())  # type: ignore[attr-defined]
        response = self.get_response(request)
        response["X-Request-Id"] = request.id  # type: ignore[attr-defined]
        return response
