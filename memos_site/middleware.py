"""Middleware of every request: its id, its language, a length for its body, and no NUL characters on pages."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any, cast

from csp.constants import HEADER
from csp.utils import build_policy
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseBase, HttpResponseNotAllowed
from django.middleware.locale import LocaleMiddleware
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation
from uuid_utils.compat import uuid7

from memories.scanning.masked_answers import SHOWN
from memories.values import links
from memories.values.exceptions import NotAllowed
from memos_site.api.error_pages import length_required
from memos_site.platform.correlation import request_id
from memos_site.platform.postgres import replicas
from memos_site.platform.problem_details import PROGRAMS
from memos_site.web import reader


class _Layer:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)


class RequestId(_Layer):
    """Give each request a new id, for audit rows, the log and the X-Request-Id header; and make it known to `links`."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        id_token, links_token = request_id.set(str(uuid7())), links.current.set(request)
        writer_token = replicas.writer.set("" if _is_api(request) else replicas.PEOPLE)  # the API says whose it is
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = request_id.get()
            return response
        finally:
            request_id.reset(id_token)
            links.current.reset(links_token)
            replicas.writer.reset(writer_token)


class Language(LocaleMiddleware):
    """The language of a page: the one chosen (a cookie), else the browser's, else LANGUAGE_CODE.

    Programs read English: what an API answers is a contract.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            return cast(HttpResponseBase, super().__call__(request))  # nothing here is asynchronous
        finally:
            translation.deactivate()  # what this thread does next is not for this reader

    def process_request(self, request: HttpRequest) -> None:
        if _is_api(request) and not request.path.startswith(_docs_path()):
            translation.activate("en")
        else:
            super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return response if _is_api(request) else super().process_response(request, response)


class TimeZone(_Layer):
    """The time zone of a page: the one chosen (a cookie), else the workspace's. Programs read UTC."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _is_api(request):
            return self.get_response(request)
        with timezone.override(reader.zone_of(request)):
            return self.get_response(request)


class WrongMethod(_Layer):
    """A page for who opens an address that only takes a form, or sends one to a page: Django answers 405 and no word.

    Programs get a problem from the API itself.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not isinstance(response, HttpResponseNotAllowed) or response.content or _is_api(request):
            return response
        page = render(request, "405.html", {"takes_forms": "POST" in response["Allow"]}, status=response.status_code)
        page["Allow"] = response["Allow"]
        return page


class NotForThem(_Layer):
    """A page for a decision that the caller may not take, where the view has no answer of its own."""

    def process_exception(self, _request: HttpRequest, exception: Exception) -> None:
        if isinstance(exception, NotAllowed):
            raise PermissionDenied(str(exception)) from None


class KnownLength(_Layer):
    """Answer 411 to a chunked body without a length, which Django would read as empty.

    Our own web server gives such a body its length; this is for other servers.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.META.get("HTTP_TRANSFER_ENCODING") and not request.META.get("CONTENT_LENGTH"):
            return cast(HttpResponse, length_required(request))
        return self.get_response(request)


class NoNul(_Layer):
    """Answer 400 to a NUL character in the address or form of a page; the API checks its input itself."""

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


class Programs(_Layer):
    """Passes by every later middleware where a program shows a token, and does itself what an API needs of them.

    So a session is never asked for: a wrong token is refused, whoever is signed in.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        super().__init__(get_response)
        self.view = MaskedAnswers(_innermost(get_response))

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not _shows_token(request):
            return self.get_response(request)
        request.get_host()  # raises for one that is not allowed
        request.user = AnonymousUser()  # until the API has read the token
        translation.activate("en")
        try:
            response = self.view(request)
        finally:
            translation.deactivate()
        for name, value in _headers().items():
            response.headers.setdefault(name, value)
        if not response.streaming:
            response.headers.setdefault("Content-Length", str(len(response.content)))
        return response


def _innermost(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """What the last middleware calls: the view with the hooks of the handler, its errors made answers."""
    while inner := getattr(getattr(get_response, "__wrapped__", None), "get_response", None):
        get_response = inner
    return get_response


def _shows_token(request: HttpRequest) -> bool:
    credentials = request.META.get("HTTP_AUTHORIZATION") or request.META.get("HTTP_X_API_KEY")
    return bool(credentials) and _is_api(request) and not request.path.startswith(_docs_path())


@cache
def _docs_path() -> str:
    return reverse("api-docs")


@cache
def _headers() -> dict[str, str]:
    return {HEADER: build_policy(), "X-Frame-Options": str(settings.X_FRAME_OPTIONS)}


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith(PROGRAMS)


def _nul_refusal(where: str) -> HttpResponse:
    return HttpResponseBadRequest(f"A NUL character cannot be part of {where}.", content_type="text/plain")


class MaskedAnswers(_Layer):
    """A view that shows a secret on purpose (a new token, a value that a person asked for) says `shows_secrets`."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response: Any = self.get_response(request)
        mask = SHOWN.get(response.headers.get("Content-Type", "").partition(";")[0])
        if mask is None or getattr(response, "shows_secrets", False):
            return response  # type: ignore[no-any-return]
        if response.streaming:
            response.streaming_content = _lines(response.streaming_content, mask)
        elif response.content:
            with suppress(UnicodeDecodeError):  # bytes that are served as a text
                text = response.content.decode()
                if (masked_text := mask(text)) is not text:
                    response.content = masked_text.encode()
        return response  # type: ignore[no-any-return]


def _lines(parts: Iterable[bytes], mask: Callable[[str], str]) -> Iterator[bytes]:
    """Our own streams hand out whole lines; a part that ends within a character is handed on."""
    for part in parts:
        try:
            yield mask(part.decode()).encode()
        except UnicodeDecodeError:
            yield part
