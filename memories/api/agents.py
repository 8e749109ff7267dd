"""GET agents: callers and what they may see and do (never their tokens). GET me: the current caller."""

from datetime import datetime

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import paging
from memories.api.base import ApiView
from memories.api.openapi import operation
from memories.api.paging import PAGING, query, some_of
from memories.api.shapes import Json, Page, Shape
from memories.models import Agent
from memories.values.choices import Permission, Sensitivity
from memories.values.field_types import SensitivityName
from memories.values.trust import Trust


class Caller(Shape):
    name: str
    clearance: SensitivityName
    scopes: list[str]
    """Empty: every scope"""
    permissions: list[Permission]
    expires_at: datetime | None

    example = {
        "name": "refund-agent",
        "clearance": "medium",
        "scopes": ["project:shop"],
        "permissions": ["ingest", "read", "report", "skills"],
        "expires_at": None,
    }

    @classmethod
    def of(cls, trust: Trust, *, expires_at: datetime | None) -> Json:
        return {
            "name": trust.actor.name,
            "clearance": Sensitivity(trust.max_sensitivity).label,
            "scopes": sorted(trust.scopes or ()),
            "permissions": sorted(trust.permissions),
            "expires_at": expires_at,
        }


class AgentPage(Page):
    results: list[Caller]


class Agents(ApiView):
    needs = {"GET": (Permission.REVIEW,)}
    filters = frozenset({"permission", "scope"}) | PAGING

    @operation(
        "ListAgents",
        "Caller",
        AgentPage,
        parameters=(
            some_of("permission", Permission.values, "Only agents that hold one of these permissions."),
            query("scope", {"type": "string"}, "Only agents that are limited to scopes of which this is one."),
        ),
    )
    def get(self, request: Request) -> Response:
        """Agents that may call

        Sorted by name: agents whose token is not revoked and whose access does not exceed the caller's.
        """
        rows = Agent.objects.visible_to(self.trust).unrevoked()
        if permissions := paging.choice(request, "permission", Permission.values):
            rows = rows.filter(permissions__overlap=permissions)
        if "scope" in request.query_params:
            rows = rows.filter(scopes__contains=[request.query_params["scope"]])

        def show(row: Agent) -> Json:
            return Caller.of(row.trust, expires_at=row.expires_at)

        return paging.answer(request, rows, ("name", "pk"), show=show)


class Me(ApiView):
    @operation("GetMe", "Caller", Caller)
    def get(self, request: Request) -> Response:
        """Who is calling

        Returns the name, clearance, scopes and permissions of the token or session.
        """
        return Response(Caller.of(self.trust, expires_at=getattr(request.user, "expires_at", None)))
