"""GET agents: who may call, and what they may see and do. Never their tokens."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import examples, lists, representations
from memories.api.base import ApiView
from memories.api.described import Operation, described
from memories.api.lists import PAGING
from memories.api.parameters import query, some_of
from memories.api.schema.memory import Caller, Page
from memories.models import Agent
from memories.values.choices import Permission


class AgentPage(Page):
    results: list[Caller]


LIST_AGENTS = Operation(
    "ListAgents",
    "Caller",
    "Agents that may call",
    "By name; those whose token was not revoked, and that see no more than the caller does.",
    {200: AgentPage},
    example={"next": None, "previous": None, "results": [examples.CALLER]},
    parameters=(
        some_of("permission", Permission.values, "That hold one of these."),
        query("scope", {"type": "string"}, "That are limited to scopes of which this is one."),
    ),
)


@described(LIST_AGENTS)
class Agents(ApiView):
    needs = {"GET": (Permission.REVIEW,)}
    filters = frozenset({"permission", "scope"}) | PAGING

    def get(self, request: Request) -> Response:
        rows = Agent.objects.visible_to(self.trust).unrevoked()
        if permissions := lists.choice(request, "permission", Permission.values):
            rows = rows.filter(permissions__overlap=permissions)
        if "scope" in request.query_params:
            rows = rows.filter(scopes__contains=[request.query_params["scope"]])

        def show(row: Agent) -> dict[str, Any]:
            return representations.caller(row.trust, expires_at=row.expires_at)

        return lists.answer(request, rows, ("name", "pk"), show=show, at=lists.moment(request))
