"""How the schema names the ways to say who one is."""

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension


class TokenSchemes(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers itself, untyped
    target_class = "memories.api.authentication.Token"
    name = ["bearer", "apiKey"]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, Any]]:
        bearer = {"type": "http", "scheme": "bearer", "description": "The token of an agent: `create_agent` shows it"}
        return [bearer, {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "The same token"}]

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[str]]]:
        """Either of them, not both."""
        return [{name: []} for name in self.name]


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "memories.api.authentication.Session"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        said = "A person signed in to the pages; writing needs the `X-CSRFToken` header too"
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME, "description": said}
