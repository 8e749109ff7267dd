"""Which tools `tools/list` shows: a short table for coding agents, or with `tools=all` every tool of the site.

A coding agent pays for each schema in every request to its model, so that the short table names few tools with few
parameters. What it leaves out is still answered when it is called.
"""

from rest_framework.request import Request

from memories.api.shapes import Json
from memories.api.tool import Tool
from memories.values.exceptions import FieldError, Invalid
from memories.values.trust import Trust
from memos_site.api.tools import TOOLS, USAGE, tools_of

PARAMETER, HEADER = "tools", "X-Memos-Tools"
SHORT, ALL = "short", "all"
SHORT_USAGE = (
    "Ask `context` before a task, `check_before_write` right before the first call that changes something and "
    "`check_before_end` before you say that you are done. Store what the team should know with `memory_store`: it is a "
    "candidate until people decide. What is marked `unreviewed` one other agent alone has said: verify it before "
    "acting. An answer with `next` goes on when the same call is made with that `next`."
)
RUN_SO_FAR = ("task", "messages", "thread_id", "scopes")
SHORT_TABLE: dict[str, tuple[str, ...]] = {  # name -> the parameters that are shown, at most six
    "context": ("task", "scope", "company_id", "thread_id", "token_budget", "next"),
    "memory_query": ("text", "category", "scope", "include_candidates", "limit", "next"),
    "memory_store": ("key", "category", "content", "source", "scope", "tags"),
    "check_before_write": ("about_to", *RUN_SO_FAR, "next"),
    "check_before_end": (*RUN_SO_FAR, "episode_id", "next"),
    "skill_search": ("text", "scope", "limit", "next"),
    "skill_get": ("name", "scope", "version", "next"),
}


def choice_of(request: Request) -> str:
    """`short` or `all`, as the address or the header says. Invalid: it says something else."""
    choice: str = request.query_params.get(PARAMETER) or request.headers.get(HEADER) or SHORT
    if choice not in (SHORT, ALL):
        raise Invalid(FieldError(f"/{PARAMETER}", "unknown_value", f"must be {SHORT} or {ALL}"))
    return choice


def usage(choice: str) -> str:
    return USAGE if choice == ALL else SHORT_USAGE


def list_entries(trust: Trust, choice: str) -> list[Json]:
    """The tools that the caller may call, as `tools/list` describes them."""
    if choice == ALL:
        return [_entry(tool, tool.schema) for tool in tools_of(trust)]
    return [
        _entry(TOOLS[name], _with_properties(TOOLS[name].schema, names))
        for name, names in SHORT_TABLE.items()
        if name in TOOLS and TOOLS[name].allowed(trust)
    ]


def _with_properties(schema: Json, names: tuple[str, ...]) -> Json:
    properties = schema["properties"]
    return {**schema, "properties": {name: properties[name] for name in names if name in properties}}


def _entry(tool: Tool, schema: Json) -> Json:
    return {
        "name": tool.name,
        "title": tool.name.replace("_", " ").capitalize(),
        "description": tool.description,
        "inputSchema": schema,
        "annotations": {
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }
