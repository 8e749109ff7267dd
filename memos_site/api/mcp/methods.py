"""What the methods of the protocol answer: who the server is, the tools, skills as resources and prompts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from memories.api.problems import refusal
from memories.api.shapes import Json
from memories.api.tool_reply import dumps
from memories.values.trust import Trust
from memos_site.api.mcp import skill_resources, tool_list
from memos_site.api.mcp.protocol import (
    INVALID_PARAMS,
    LATEST_LEGACY,
    LEGACY,
    LEGACY_NOT_FOUND,
    METHOD_NOT_FOUND,
    SERVER,
    SUPPORTED,
    Message,
    RpcError,
)
from memos_site.api.tools import TOOLS
from memos_site.platform.problem_details import problem_body

TOOLS_FRESH, SKILLS_FRESH = 300_000, 60_000  # milliseconds that a client may keep a list
CAPABILITIES: Json = {"tools": {}, "resources": {}, "prompts": {}}


@dataclass(frozen=True)
class RpcCall:
    """One request by one caller. `tools`: which are listed, `short` or `all`."""

    message: Message
    trust: Trust
    at: datetime
    tools: str = tool_list.SHORT

    @property
    def params(self) -> Json:
        return self.message.params

    @property
    def only_reads(self) -> bool:
        """Whether a replica may answer: all but a call of a tool that writes."""
        name = self.params.get("name")
        tool = TOOLS.get(name) if isinstance(name, str) else None
        return self.message.method != "tools/call" or tool is None or tool.read_only


def answer(call: RpcCall) -> Json:
    """The result of a request. RpcError: it is not one that is answered."""
    message = call.message
    methods = MODERN_METHODS if message.modern else LEGACY_METHODS
    if message.method not in methods:
        raise RpcError(METHOD_NOT_FOUND, f"Method not found: {message.method}")
    result = methods[message.method](call)
    if not message.modern:
        return result
    ttl = FRESH.get(message.method)
    caching = {} if ttl is None else {"ttlMs": ttl, "cacheScope": "private"}
    return {"resultType": "complete", **result, **caching, "_meta": {SERVER: server_info()}}


def server_info() -> Json:
    api_settings = settings.SPECTACULAR_SETTINGS
    return {
        "name": "memos",
        "title": api_settings["TITLE"],
        "version": api_settings["VERSION"],
        "description": api_settings["DESCRIPTION"],
    }


def _discover(call: RpcCall) -> Json:
    instructions = tool_list.usage(call.tools)
    return {"supportedVersions": list(SUPPORTED), "capabilities": CAPABILITIES, "instructions": instructions}


def _initialize(call: RpcCall) -> Json:
    requested_version = call.params.get("protocolVersion")
    version = requested_version if requested_version in LEGACY else LATEST_LEGACY
    return {
        "protocolVersion": version,
        "capabilities": CAPABILITIES,
        "serverInfo": server_info(),
        "instructions": tool_list.usage(call.tools),
    }


def _list_tools(call: RpcCall) -> Json:
    if call.params.get("cursor") is not None:  # one page holds them all
        raise RpcError(INVALID_PARAMS, "cursor: is not one of this list")
    return {"tools": tool_list.list_entries(call.trust, call.tools)}


def _call_tool(call: RpcCall) -> Json:
    """The tool's answer, or as its error what a model can mend: wrong arguments, nothing there, not allowed."""
    name = call.params.get("name")
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        raise RpcError(INVALID_PARAMS, f"Unknown tool: {name}")
    arguments = call.params.get("arguments")
    try:
        page = tool.call({} if arguments is None else arguments, trust=call.trust, at=call.at)
    except Exception as error:
        problem = refusal(error)
        if problem is None:
            raise
        return _content([dumps(problem_body(**problem))], is_error=True)
    return _content(page.blocks, is_error=False)


def _content(texts: list[str], *, is_error: bool) -> Json:
    return {"content": [{"type": "text", "text": text} for text in texts], "isError": is_error}


def _read_resource(call: RpcCall) -> Json:
    uri = call.params.get("uri")
    contents = skill_resources.read(call.trust, uri)
    if contents is None:
        code = INVALID_PARAMS if call.message.modern else LEGACY_NOT_FOUND
        raise RpcError(code, "Resource not found", {"uri": uri})
    return contents


Method = Callable[[RpcCall], Json]
SHARED: dict[str, Method] = {
    "tools/list": _list_tools,
    "tools/call": _call_tool,
    "resources/list": lambda call: skill_resources.resources(call.trust, call.params.get("cursor")),
    "resources/templates/list": lambda _call: skill_resources.templates(),
    "resources/read": _read_resource,
    "prompts/list": lambda call: skill_resources.prompts(call.trust, call.params.get("cursor")),
    "prompts/get": lambda call: skill_resources.prompt(
        call.trust, call.params.get("name"), call.params.get("arguments")
    ),
}
MODERN_METHODS = {"server/discover": _discover, **SHARED}
LEGACY_METHODS = {"initialize": _initialize, "ping": lambda _call: {}, **SHARED}
FRESH = {
    "server/discover": TOOLS_FRESH,
    "tools/list": TOOLS_FRESH,
    "resources/templates/list": TOOLS_FRESH,
    "resources/list": SKILLS_FRESH,
    "resources/read": SKILLS_FRESH,
    "prompts/list": SKILLS_FRESH,
}
