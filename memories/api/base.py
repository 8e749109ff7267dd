"""Base views of every API: trust, permissions, parameters, bodies, If-Match, retries."""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from django.db import InterfaceError, OperationalError, close_old_connections, transaction
from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter
from pydantic import BaseModel
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories import redaction
from memories.api import idempotency, provenance
from memories.api.authentication import CallsPerMinute, HasPermission, trust_of
from memories.api.paging import ALIASES
from memories.values.choices import ActorKind, Permission
from memories.values.exceptions import FieldError, Invalid, NotFound, within
from memories.values.field_types import read_body
from memories.values.trust import Trust
from memos_site.platform.outages import outage
from memos_site.platform.postgres import replicas

TRIES, PAUSE = 4, 0.5  # one try and three retries, half a second apart
VERSION_TAG = re.compile(r'\s*"([0-9]{1,9})"\s*')
IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string", "pattern": '^("[0-9]{1,9}"|[*])$'},
    OpenApiParameter.HEADER,
    description="The ETag under which the memory was read: with another version it is a 412 and nothing changes.",
)
B = TypeVar("B", bound=BaseModel)


def retried(work: Callable[..., Any]) -> Callable[..., Any]:
    """Retry `work` after a transient database error (a restart, a deadlock), at most three times.

    Each try is its own transaction, so nothing is half done. Nor is anything done twice: a failed commit is only
    retried when the database backend confirmed that it did not happen. Errors of a full disk or a database that does
    not respond are not retried.
    """

    def tried(*args: Any, **kwargs: Any) -> Any:
        for left in reversed(range(TRIES)):
            try:
                return work(*args, **kwargs)
            except (OperationalError, InterfaceError) as error:
                broken = outage(error)
                if left == 0 or not (broken and broken.transient) or transaction.get_connection().in_atomic_block:
                    raise
                close_old_connections()
                time.sleep(PAUSE)
        return None

    return tried


def allowed_versions(request: Request) -> frozenset[int] | None:
    """The versions in If-Match. None allows every version; a tag that is no version allows none."""
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return None
    return frozenset(int(tag[1]) for part in header.split(",") if (tag := VERSION_TAG.fullmatch(part)))


def etag(version: int) -> dict[str, Any]:
    return {"ETag": f'"{version}"'}


class Negotiation(DefaultContentNegotiation):
    """Reads the one header, and as a list only of who wants something else than the first renderer; Django REST reads
    all headers and parameters first.
    """

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        if request.META.get("HTTP_ACCEPT", "*/*") in ("*/*", first.media_type):
            return first, first.media_type or ""
        chosen: tuple[BaseRenderer, str] = super().select_renderer(request, renderers, format_suffix)
        return chosen


class FileNegotiation(DefaultContentNegotiation):
    """The answer is a file whatever the Accept header says; only a problem is rendered."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type or ""


class ApiView(APIView):
    """Base view.

    `needs`: method -> permissions, any one of which suffices. `filters`: the known query parameters; `others`: those of
    a method that has different ones. `instead`: the hint for callers of a method that is not supported.
    `post_reads`: POST is a question, which a replica may answer.
    """

    permission_classes = [HasPermission]
    throttle_classes = [CallsPerMinute]
    content_negotiation_class: type[DefaultContentNegotiation] = Negotiation
    needs: ClassVar[Mapping[str, tuple[Permission, ...]]] = {}
    filters: ClassVar[frozenset[str]] = frozenset()
    others: ClassVar[Mapping[str, frozenset[str]]] = {}
    instead: ClassVar[str] = ""
    post_reads: ClassVar[bool] = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        retried(super().initial)(request, *args, **kwargs)
        method = (request.method or "").lower()
        handler = getattr(self, method, None) if method in self.http_method_names else None
        if handler is None:
            raise self._not_answered(request)
        answer = self._redacting(retried(handler))
        setattr(self, method, self._on_replica(answer) if self._reads(request.method) else answer)
        replicas.writer.set(self._writer)
        if any("\0" in value for value in kwargs.values() if isinstance(value, str)):
            raise NotFound  # no stored row can have that name
        if request.META.get("QUERY_STRING"):  # most calls have none, and reading it costs a hundredth of an event
            self._take_aliases(request)
            self._check_parameters(request)

    def _not_answered(self, request: Request) -> MethodNotAllowed:
        """The error for an unsupported method, raised before parameters are checked: they may be right for
        another one.
        """
        detail = f"{request.method} is not answered here, but {', '.join(self.allowed_methods)}"
        return MethodNotAllowed(str(request.method), detail=f"{detail}: {self.instead}" if self.instead else detail)

    def _take_aliases(self, request: Request) -> None:
        """Rename parameters that have another name too, where this endpoint has them."""
        known = self.others.get(request.method or "", self.filters)
        aliases = {alias: name for alias, name in ALIASES.items() if alias in request.query_params and name in known}
        if aliases:
            given = request.query_params.copy()
            for alias, name in aliases.items():
                given.setlist(name, given.getlist(name) + given.pop(alias))
            request._request.GET = QueryDict(given.urlencode())

    def _check_parameters(self, request: Request) -> None:
        known = self.others.get(request.method or "", self.filters)
        if unknown := sorted(set(request.query_params) - known):
            detail = f"is not one of {', '.join(sorted(known))}" if known else "this address takes no parameters"
            raise Invalid(*(FieldError(within("", name), "unknown_parameter", detail) for name in unknown))
        for name, values in request.query_params.lists():
            if any("\0" in value for value in values):
                raise Invalid(FieldError(f"/{name}", "unstorable_text", "a NUL character is in no value"))

    def _reads(self, method: str | None) -> bool:
        return method in ("GET", "HEAD") or self.post_reads

    @property
    def _writer(self) -> str:
        """Whose writes these are: what those do who may review, everybody must see at once."""
        trust: Trust | None = self.request.auth  # type: ignore[assignment]  # the authentication stored it
        agent = trust and trust.actor.kind == ActorKind.AGENT and not trust.may(Permission.REVIEW)
        return trust.actor.identity if trust and agent else replicas.PEOPLE

    def _on_replica(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a handler that reads: on a replica, where one has what the caller wrote."""

        def answered(*args: Any, **kwargs: Any) -> Any:
            return replicas.read(lambda: handler(*args, **kwargs), readers=(self._writer,))

        return answered

    def _redacting(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a handler: remove ids that the caller may not see, and add the episodes behind learned memories.

        Retried separately from the handler, so that its work is not repeated.
        """

        def answered(*args: Any, **kwargs: Any) -> Any:
            response = handler(*args, **kwargs)
            data = getattr(response, "data", None)
            retried(redaction.redact)(data, self.trust)
            retried(provenance.add_episodes)(data, self.trust)
            return response

        return answered

    @property
    def trust(self) -> Trust:
        return trust_of(self.request)

    def body(self, shape: type[B]) -> B:
        """Parse the body as the shape ({} for no body). Invalid names each wrong field."""
        return read_body(shape, self.request.data)


class WriteView(ApiView):
    """A view whose POST writes: `write` is called once for an Idempotency-Key."""

    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return idempotency.once(request, self.trust, lambda: self.write(request, *args, **kwargs))

    def write(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        raise NotImplementedError
