"""GET tools: the table of what agents call. POST tools/{tool}: one call. MCP serves the same table."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation.api.tools import CONVERSATION_TOOLS, GUIDANCE_TOOLS
from memories.api import idempotency
from memories.api.base import ApiView, WriteView
from memories.api.ingestion import INGESTION_TOOLS
from memories.api.memory_tools import MEMORY_TOOLS, SEARCH_TOOLS
from memories.api.openapi import operation
from memories.api.shapes import Json, OpenShape, Page, Shape
from memories.api.tool import Tool, ToolCall, table, tool
from memories.api.tool_reply import Reply
from memories.search.context import ContextRequest
from memories.values.choices import Permission
from memories.values.exceptions import NotFound
from memories.values.trust import Trust
from memos_site.api.context import give_context
from skills.api.tools import SKILL_TOOLS

USAGE = (
    "Ask `context` before a task and `guidance` when it is unclear what to do; ask `check_before_write` right "
    "before the first call that changes something, and `check_before_end` before you say that you are done; report "
    "what happened with the `ingest_` tools and how it ended with `ingest_outcome`. What is stored is a candidate: "
    "people decide what holds. What is marked `unreviewed` one other agent alone has said: treat it as a colleague's "
    "hint and verify it before acting. An answer with `next` goes on when the same call is made with that `next`."
)


@tool(ContextRequest, Permission.READ, name="context", read_only=True)
def context_of_task(call: ToolCall) -> Reply:
    """Get what is known that fits a task, as a block to read before starting: preferences, facts, skills, guidance; a
    line marked `unreviewed` is one other agent's hint, to be verified.
    """
    answer = give_context(call.arguments, trust=call.trust, at=call.at)
    names = ("guidance", "notices", "degraded")
    items = [{name: item[name] for name in item if name != "content"} for item in answer["items"]]
    head = {"items": items, **{name: answer[name] for name in names if answer[name]}}
    return Reply(head, text=answer["block"], text_name="block")


REPORTING = (*INGESTION_TOOLS, *CONVERSATION_TOOLS)
TOOLS = table(MEMORY_TOOLS, REPORTING, SEARCH_TOOLS, (context_of_task,), GUIDANCE_TOOLS, SKILL_TOOLS)


def tools_of(trust: Trust) -> list[Tool]:
    """The tools that the caller may call, always in the same order."""
    return [tool for tool in TOOLS.values() if tool.allowed(trust)]


class Hints(Shape):
    """What an agent's harness may rely on before it asks a person."""

    read_only: bool
    destructive: bool
    idempotent: bool


class ToolEntry(Shape):
    name: str
    description: str
    input_schema: dict[str, Any]
    """JSON schema of the arguments"""
    permissions: list[Permission]
    """The permissions of which the caller needs one"""
    hints: Hints

    example = {
        "name": "memory_query",
        "description": "Find what is known by meaning and words, best first.",
        "input_schema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        "permissions": ["read"],
        "hints": {"read_only": True, "destructive": False, "idempotent": True},
    }

    @classmethod
    def of(cls, row: Tool) -> Json:
        return cls.from_row(row, input_schema=row.schema, permissions=list(row.needs), hints=Hints.from_row(row))


class ToolPage(Page):
    results: list[ToolEntry]


class ToolArguments(RootModel[dict[str, Any]]):
    """The arguments, as `input_schema` of GET tools describes them."""


class ToolResult(OpenShape):
    """The tool's answer, at most `max_chars` characters (default 4,000)."""

    next: str = ""
    """Where the answer was cut: repeat the call with this `next` for the rest"""


class Tools(ApiView):
    @operation("ListTools", "Tools", ToolPage)
    def get(self, request: Request) -> Response:
        """The tools that an agent may call

        Returns their JSON schemas for a model's tool list; only tools that the caller has the permission for, always
        in the same order. The same tools are served to MCP clients at `/mcp`.
        """
        results = [ToolEntry.of(tool) for tool in tools_of(self.trust)]
        return Response({"next": None, "previous": None, "results": results})


class CallTool(WriteView):
    @operation(
        "CallTool",
        "Tools",
        ToolResult,
        takes=ToolArguments,
        example={"text": "When does Acme pay?", "limit": 5},
        parameters=(
            OpenApiParameter(
                "tool", {"type": "string", "enum": list(TOOLS)}, OpenApiParameter.PATH, description="The tool's name."
            ),
        ),
        refuses=(403, 404),
    )
    def write(self, request: Request, tool: str) -> Response:
        """Call a tool

        The body is the tool's arguments. The answer is short enough for a model: brief representations, at most
        `max_chars` characters from a reading tool; `next` continues where the answer was cut. No tool approves,
        promotes, dismisses or publishes.
        """
        key = request.headers.get("Idempotency-Key", "")
        return Response(TOOLS[tool].call(request.data, trust=self.trust, at=timezone.now(), key=key).body)

    def _reads(self, method: str | None) -> bool:
        """A tool that only reads is answered by a replica, as the endpoint of the same question."""
        entry = TOOLS.get(self.kwargs.get("tool", ""))
        return super()._reads(method) or (entry is not None and entry.read_only)

    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        entry = TOOLS.get(kwargs["tool"])
        if entry is None:
            raise NotFound
        if entry.read_only:  # reads are repeated, and search embeds its question outside of transactions
            return self.write(request, *args, **kwargs)
        return idempotency.once(request, self.trust, lambda: self.write(request, *args, **kwargs))
