"""Base views of every API: trust, permissions, parameters, bodies, If-Match, retries."""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, ParamSpec, TypeVar

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
    description=(
        "The ETag that the memory had when it was read; if its version differs, the answer is 412 and nothing changes."
    ),
)
B = TypeVar("B", bound=BaseModel)
P = ParamSpec("P")
R = TypeVar("R")


def retry(work: Callable[P, R]) -> Callable[P, R]:
    """Retry `work` after a transient database error (a restart, a deadlock), at most three times.

    Each try is its own transaction, so nothing is half done. Nor is anything done twice: a failed commit is only
    retried when the database backend confirmed that it did not happen. Errors of a full disk or a database that does
    not respond are not retried.
    """

    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        for tries_left in reversed(range(TRIES)):
            try:
                return work(*args, **kwargs)
            except (OperationalError, InterfaceError) as error:
                outage_found = outage(error)
                if (
                    tries_left == 0
                    or not (outage_found and outage_found.transient)
                    or transaction.get_connection().in_atomic_block
                ):
                    raise
                close_old_connections()
                time.sleep(PAUSE)
        raise AssertionError("the last try answers or raises")

    return wrapper


def allowed_versions(request: Request) -> frozenset[int] | None:
    """The versions in If-Match. None allows every version; a tag that is no version allows none."""
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return None
    return frozenset(int(tag[1]) for part in header.split(",") if (tag := VERSION_TAG.fullmatch(part)))


def etag(version: int) -> dict[str, Any]:
    return {"ETag": f'"{version}"'}


class FileNegotiation(DefaultContentNegotiation):
    """The answer is a file whatever the Accept header says; only a problem is rendered."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type or ""


class ApiView(APIView):
    """Base view.

    `needs`: method -> permissions, any one of which suffices. `filters`: the known query parameters;
    `filters_by_method`: those of methods that have different ones. `instead`: the hint for callers of an unsupported
    method. `post_reads`: POST only reads, so that a replica may answer.
    """

    permission_classes = [HasPermission]
    throttle_classes = [CallsPerMinute]
    needs: ClassVar[Mapping[str, tuple[Permission, ...]]] = {}
    filters: ClassVar[frozenset[str]] = frozenset()
    filters_by_method: ClassVar[Mapping[str, frozenset[str]]] = {}
    instead: ClassVar[str] = ""
    post_reads: ClassVar[bool] = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        retry(super().initial)(request, *args, **kwargs)
        method = (request.method or "").lower()
        handler = getattr(self, method, None) if method in self.http_method_names else None
        if handler is None:
            raise self._method_not_allowed(request)
        answer = self._with_redaction(retry(handler))
        setattr(self, method, self._on_replica(answer) if self._reads(request.method) else answer)
        replicas.writer.set(self._writer)
        if any("\0" in value for value in kwargs.values() if isinstance(value, str)):
            raise NotFound  # no stored row can have that name
        self._take_aliases(request)
        self._check_parameters(request)

    def _method_not_allowed(self, request: Request) -> MethodNotAllowed:
        """The error for an unsupported method; raised before parameters are checked, which another method may have."""
        detail = f"{request.method} is not answered here, but {', '.join(self.allowed_methods)}"
        return MethodNotAllowed(str(request.method), detail=f"{detail}: {self.instead}" if self.instead else detail)

    def _take_aliases(self, request: Request) -> None:
        """Replace the aliases of parameters that this endpoint knows by their names."""
        names = self.filters_by_method.get(request.method or "", self.filters)
        aliases = {alias: name for alias, name in ALIASES.items() if alias in request.query_params and name in names}
        if aliases:
            parameters = request.query_params.copy()
            for alias, name in aliases.items():
                parameters.setlist(name, parameters.getlist(name) + parameters.pop(alias))
            request._request.GET = QueryDict(parameters.urlencode())

    def _check_parameters(self, request: Request) -> None:
        names = self.filters_by_method.get(request.method or "", self.filters)
        if unknown_names := sorted(set(request.query_params) - names):
            detail = f"is not one of {', '.join(sorted(names))}" if names else "this address takes no parameters"
            raise Invalid(*(FieldError(within("", name), "unknown_parameter", detail) for name in unknown_names))
        for name, values in request.query_params.lists():
            if any("\0" in value for value in values):
                raise Invalid(FieldError(f"/{name}", "unstorable_text", "a NUL character is in no value"))

    def _reads(self, method: str | None) -> bool:
        return method in ("GET", "HEAD") or self.post_reads

    @property
    def _writer(self) -> str:
        """The key under which replicas track this caller's writes: PEOPLE for reviewers, whose writes all readers must
        see at once, else the agent."""
        trust: Trust | None = self.request.auth  # type: ignore[assignment]  # the authentication stored it
        agent = trust and trust.actor.kind == ActorKind.AGENT and not trust.may(Permission.REVIEW)
        return trust.actor.identity if trust and agent else replicas.PEOPLE

    def _on_replica(self, handler: Callable[P, R]) -> Callable[P, R]:
        """Wrap a handler that reads: it runs on a replica if one has replayed the caller's writes."""

        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            return replicas.read(lambda: handler(*args, **kwargs), readers=(self._writer,))

        return wrapper

    def _with_redaction(self, handler: Callable[P, Response]) -> Callable[P, Response]:
        """Wrap a handler: remove ids that the caller may not see, and add the episodes behind learned memories.

        Retried separately from the handler, so that its work is not repeated.
        """

        def wrapper(*args: P.args, **kwargs: P.kwargs) -> Response:
            response = handler(*args, **kwargs)
            data = getattr(response, "data", None)
            retry(redaction.redact)(data, self.trust)
            retry(provenance.add_episodes)(data, self.trust)
            return response

        return wrapper

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
