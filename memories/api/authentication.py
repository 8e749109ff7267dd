"""Who calls: an agent by its token, or a person by the session. `request.auth` is the caller's Trust from here on."""

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from memories.models import Agent
from memories.people import trust_of
from memories.values.trust import Trust


class Token(BaseAuthentication):
    """`Authorization: Bearer <token>` or `X-API-Key`. Wrong, expired and revoked are one answer."""

    def authenticate(self, request: Request) -> tuple[Agent, Trust] | None:
        token = self._token(request)
        if token is None:
            return None
        at = timezone.now()
        agent = Agent.objects.with_token(token, at=at)
        if agent is None:
            raise AuthenticationFailed("this token is not valid")
        agent.seen(at=at)
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
    """The browser's session, with CSRF."""

    def authenticate(self, request: Request) -> tuple[object, Trust] | None:
        found = super().authenticate(request)
        return (found[0], trust_of(found[0])) if found else None
