"""POST /mcp: the Model Context Protocol over stateless Streamable HTTP, one message a request, answered as JSON."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from rest_framework.exceptions import ParseError, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.authentication import Token
from memories.api.base import ApiView, FileNegotiation
from memories.values.exceptions import Invalid
from memos_site.api.mcp import tool_list
from memos_site.api.mcp.methods import RpcCall, answer
from memos_site.api.mcp.protocol import INTERNAL, INVALID_REQUEST, PARSE_ERROR, STATUS, Message, RpcError, parse


class Mcp(ApiView):
    """The tools of the table, and published skills, for MCP clients. A token is needed; a browser's session is none."""

    authentication_classes = [Token]
    content_negotiation_class = FileNegotiation  # a GET that accepts event streams alone is to read 405, not 406
    http_method_names = ["post"]
    filters = frozenset({tool_list.PARAMETER})
    schema = None  # described by the protocol itself
    id: Any = None
    modern = True  # until it is known: what is no message is refused by its HTTP status too

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        _check_origin(request)
        super().initial(request, *args, **kwargs)

    def post(self, request: Request) -> Response:
        try:
            message = self._message(request)
            if message.is_notification:
                return Response(status=202)
            call = RpcCall(message, self.trust, timezone.now(), tool_list.choice_of(request))
            result = self._on_replica(answer)(call) if call.only_reads else answer(call)
        except RpcError as error:
            return self._error_response(error)
        return Response({"jsonrpc": "2.0", "id": message.id, "result": result})

    def _message(self, request: Request) -> Message:
        try:
            body = request.data
        except (Invalid, ParseError) as error:
            raise RpcError(PARSE_ERROR, f"Parse error: {error}") from None
        id = body.get("id") if isinstance(body, dict) else None
        self.id = id if isinstance(id, str | int) and not isinstance(id, bool) else None
        message = parse(body, request.headers)
        self.modern = message.modern
        return message

    def _error_response(self, error: RpcError) -> Response:
        """A JSON-RPC error. Clients of the handshake read the body only where the HTTP status is 200."""
        status = STATUS.get(error.code, 400) if self.modern else 200
        return Response(error.body(self.id), status=status)

    def handle_exception(self, exc: Exception) -> Response:
        """Any other refusal keeps its HTTP status and headers, and says the problem as a JSON-RPC error."""
        response = super().handle_exception(exc)
        problem = dict(response.data)
        code = INTERNAL if response.status_code >= 500 else INVALID_REQUEST
        response.data = RpcError(code, problem["detail"], problem).body(self.id)
        response.content_type = "application/json"
        return response


def _check_origin(request: Request) -> None:
    """PermissionDenied: a page of another site sends this through a browser (DNS rebinding)."""
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc.lower() != request.get_host().lower():
        raise PermissionDenied(f"the origin {origin} is not this site")


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
