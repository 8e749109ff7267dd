"""GET /.well-known/oauth-protected-resource: a bearer token is wanted, made on the page of agents (RFC 9728)."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe


@login_not_required
@require_safe
def protected_resource(request: HttpRequest, resource: str = "") -> JsonResponse:
    """No authorization server is named, because there is none: people make tokens and hand them out."""
    return JsonResponse(
        {
            "resource": request.build_absolute_uri(f"/{resource}"),
            "resource_name": "Memos",
            "bearer_methods_supported": ["header"],
            "resource_documentation": request.build_absolute_uri(reverse("agents")),
        }
    )
