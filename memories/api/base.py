"""What the views of every room's API share: the caller's trust, and which permission a method needs."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

from django.http import QueryDict
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories import redaction
from memories.api import idempotency, sources
from memories.api.parameters import ALIASES
from memories.api.retries import patient
from memories.api.throttling import PerToken
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid, NotAllowed, NotFound, within
from memories.values.trust import Trust


def trust_of(request: Request) -> Trust:
    """What the authentication of this API puts into `request.auth`."""
    return cast(Trust, request.auth)


class Allowed(BasePermission):
    """Signed in, and holding one of the permissions that the view names for this method."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        method = "GET" if request.method == "HEAD" else request.method  # answered by the same code
        needed = getattr(view, "needs", {}).get(method, ())
        if needed and not any(trust_of(request).may(permission) for permission in needed):
            raise NotAllowed(f"this needs the permission {' or '.join(permission.value for permission in needed)}")
        return True


class ApiView(APIView):
    """`needs`: method -> permissions, any one of which opens. `filters`: the query parameters that are known; `others`:
    those of a method that knows other ones. `instead`: what to do, for who tries a method that is not answered."""

    permission_classes = [Allowed]
    throttle_classes = [PerToken]
    needs: ClassVar[Mapping[str, tuple[Permission, ...]]] = {}
    filters: ClassVar[frozenset[str]] = frozenset()
    others: ClassVar[Mapping[str, frozenset[str]]] = {}
    instead: ClassVar[str] = ""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        patient(super().initial)(request, *args, **kwargs)
        method = (request.method or "").lower()
        handler = getattr(self, method, None) if method in self.http_method_names else None
        if handler is None:
            raise self._not_answered(request)
        setattr(self, method, self._discreet(patient(handler)))
        if any("\0" in value for value in kwargs.values() if isinstance(value, str)):
            raise NotFound  # nothing that is stored can have that name
        self._take_aliases(request)
        self._known_parameters(request)

    def _not_answered(self, request: Request) -> MethodNotAllowed:
        """Told before the parameters are read: they may be right for another method."""
        detail = f"{request.method} is not answered here, but {', '.join(self.allowed_methods)}"
        return MethodNotAllowed(str(request.method), detail=f"{detail}: {self.instead}" if self.instead else detail)

    def _take_aliases(self, request: Request) -> None:
        """Parameters by the names of the published designs become ours, where this address knows them."""
        known = self.others.get(request.method or "", self.filters)
        aliases = {alias: name for alias, name in ALIASES.items() if alias in request.query_params and name in known}
        if aliases:
            given = request.query_params.copy()
            for alias, name in aliases.items():
                given.setlist(name, given.getlist(name) + given.pop(alias))
            request._request.GET = QueryDict(given.urlencode())

    def _known_parameters(self, request: Request) -> None:
        known = self.others.get(request.method or "", self.filters)
        if unknown := sorted(set(request.query_params) - known):
            detail = f"is not one of {', '.join(sorted(known))}" if known else "this address takes no parameters"
            raise Invalid(*(FieldError(within("", name), "unknown_parameter", detail) for name in unknown))
        for name, values in request.query_params.lists():
            if any("\0" in value for value in values):
                raise Invalid(FieldError(f"/{name}", "unstorable_text", "a NUL character is in no value"))

    def _discreet(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        """Apart from the work, which is not done again when only this has to be."""

        def answered(*args: Any, **kwargs: Any) -> Any:
            response = handler(*args, **kwargs)
            data = getattr(response, "data", None)
            patient(redaction.redact)(data, self.trust)
            patient(sources.add_episodes)(data, self.trust)
            return response

        return answered

    @property
    def trust(self) -> Trust:
        return trust_of(self.request)

    def body(self, *known: str) -> dict[str, Any]:
        """The JSON object that was sent ({} for none). Invalid names each field that this endpoint does not know."""
        data = self.request.data
        if not isinstance(data, dict):
            raise Invalid(FieldError("", "not_an_object", "the body must be a JSON object"))
        unknown = sorted(set(data) - set(known)) if known else []
        if unknown:
            detail = f"is not one of {', '.join(known)}"
            raise Invalid(*(FieldError(within("", name), "unknown_field", detail) for name in unknown))
        return data


class WriteView(ApiView):
    """A door whose POST does something: `write` is called once for one Idempotency-Key."""

    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return idempotency.once(request, self.trust, lambda: self.write(request, *args, **kwargs))

    def write(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        raise NotImplementedError
