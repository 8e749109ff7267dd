"""What the views of every room's API share: the caller's trust, and which permission a method needs."""

from typing import Any, ClassVar, cast

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from memories.choices import Permission
from memories.exceptions import FieldError, Invalid, NotAllowed
from memories.trust import Trust


def trust_of(request: Request) -> Trust:
    """What the authentication of this API puts into `request.auth`."""
    return cast(Trust, request.auth)


class Allowed(BasePermission):
    """Signed in, and holding one of the permissions that the view names for this method."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        needed = getattr(view, "needs", {}).get(request.method, ())
        if needed and not any(trust_of(request).may(permission) for permission in needed):
            raise NotAllowed(f"this needs the permission {' or '.join(permission.value for permission in needed)}")
        return True


class Door(APIView):
    """`needs`: method -> permissions, any one of which opens. `filters`: the query parameters that are understood."""

    permission_classes = [Allowed]
    needs: ClassVar[dict[str, tuple[Permission, ...]]] = {}
    filters: ClassVar[frozenset[str]] = frozenset()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        unknown = sorted(set(request.query_params) - self.filters) if request.method == "GET" else []
        if unknown:
            detail = f"is not one of {', '.join(sorted(self.filters)) or 'none'}"
            raise Invalid(*(FieldError(f"/{name}", "unknown_parameter", detail) for name in unknown))

    @property
    def trust(self) -> Trust:
        return trust_of(self.request)

    def body(self, *known: str) -> dict[str, Any]:
        """The JSON object that was sent ({} for none). Invalid names each field that this endpoint does not know."""
        data = self.request.data or {}
        if not isinstance(data, dict):
            raise Invalid(FieldError("", "not_an_object", "the body must be a JSON object"))
        unknown = sorted(set(data) - set(known)) if known else []
        if unknown:
            detail = f"is not one of {', '.join(known)}"
            raise Invalid(*(FieldError(f"/{name}", "unknown_field", detail) for name in unknown))
        return data
