"""Authentication (an agent by its token, a person by the session), permissions and rate limits.

`request.auth` is the caller's Trust once authenticated.
"""

from typing import Any, cast

from django.conf import settings
from django.http.multipartparser import MultiPartParserError
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, UnsupportedMediaType
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from memories import people
from memories.api import call_limits
from memories.api.call_limits import Shares
from memories.models import Agent
from memories.values.exceptions import NotAllowed
from memories.values.trust import Trust


def trust_of(request: Request) -> Trust:
    """The caller's Trust, as the authentication stored it in `request.auth`."""
    return cast(Trust, request.auth)


class Token(BaseAuthentication):
    """`Authorization: Bearer <token>` or `X-API-Key`. Wrong, expired and revoked tokens get the same answer."""

    def authenticate(self, request: Request) -> tuple[Agent, Trust] | None:
        token = self._token(request)
        if token is None:
            return None
        at = timezone.now()
        agent = Agent.with_token(token, at=at)
        if agent is None:
            raise AuthenticationFailed("this token is not valid")
        call_limits.counts.count(agent, at=at)
        return agent, agent.trust

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="memos"'

    @staticmethod
    def _token(request: Request) -> str | None:
        header: str = request.META.get("HTTP_AUTHORIZATION", "")
        scheme, _, token = header.partition(" ")
        if scheme.lower() == "bearer":
            return token.strip()
        key: str | None = request.META.get("HTTP_X_API_KEY")
        if header and key is None:
            raise AuthenticationFailed("use Authorization: Bearer <token>")
        return key.strip() if key is not None else None


class Session(SessionAuthentication):
    """The browser's session, with CSRF protection."""

    def authenticate(self, request: Request) -> tuple[object, Trust] | None:
        user_and_auth = super().authenticate(request)
        return (user_and_auth[0], people.trust_of(user_and_auth[0])) if user_and_auth else None

    def enforce_csrf(self, request: Request) -> None:
        """Check Django's request: DRF's would parse the body, and our JSON parser needs the caller, not known yet."""
        try:
            super().enforce_csrf(request._request)  # type: ignore[arg-type]  # any request will do
        except MultiPartParserError:
            raise UnsupportedMediaType(request.content_type) from None


class HasPermission(BasePermission):
    """Requires a caller with one of the permissions that the view lists for the method (`needs`)."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        method = "GET" if request.method == "HEAD" else request.method  # answered by the same code
        permissions = getattr(view, "needs", {}).get(method, ())
        if permissions and not any(trust_of(request).may(permission) for permission in permissions):
            raise NotAllowed(f"this needs the permission {' or '.join(permission.value for permission in permissions)}")
        return True


class CallsPerMinute(BaseThrottle):
    """Rate limit of a token per minute, over all web processes: its own, else RATE_LIMIT_PER_MINUTE; 0 = no limit."""

    seconds = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        agent: Any = request.user
        own_limit = agent.requests_per_minute if isinstance(agent, Agent) else 0
        limit = int(settings.RATE_LIMIT_PER_MINUTE) if own_limit is None else own_limit
        self.seconds = _shares.wait(agent.pk, limit) if limit else 0.0
        return not self.seconds

    def wait(self) -> float:
        return self.seconds


_shares = Shares()
