"""A session of the OpenAI Agents SDK in Memos: `Runner.run(agent, "Hi", session=MemosSession("ticket-812"))`; and hooks
that report runs without a session. Needs `memos[openai-agents]`.

The session is a thread: messages and answered tool calls are its events, and its runs are episodes to learn from. What
is neither (reasoning, calls of hosted tools) is not kept. Texts come back as texts, calls with ids of Memos.
"""

import json
from typing import Any, cast
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

from agents import RunHooks
from agents.items import TResponseInputItem
from agents.memory.session import SessionABC
from agents.memory.session_settings import SessionSettings
from agents.run_context import AgentHookContext, RunContextWrapper
from agents.tool import FunctionTool, Tool, default_tool_error_function

from .client import AsyncMemos

Json = dict[str, Any]
TAKEN_BACK = "session_item_taken_back"  # the kind of an event: the item before it is no part of the session any more
MOST = 1_000  # reports of one batch


class MemosSession(SessionABC):
    """`client`: else one of MEMOS_URL and MEMOS_TOKEN."""

    session_settings: SessionSettings | None = None

    def __init__(
        self,
        session_id: str,
        client: AsyncMemos | None = None,
        *,
        scope: str | None = None,
        source: str = "openai-agents",
    ) -> None:
        self.session_id, self.client = session_id, client or AsyncMemos()
        self.place: Json = {"source": source, **({} if scope is None else {"scope": scope})}
        self._open: dict[str, Json] = {}  # calls that are not answered yet

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The latest `limit` items, the oldest first."""
        turns: list[list[Json]] = []
        for episode in reversed(await self._episodes()):
            for event in await self._pages(f"episodes/{episode['id']}/events", {"limit": 200}):
                if event["kind"] == TAKEN_BACK:
                    turns = turns[:-1]
                else:
                    turns += [[item] for item in _items(event)]
        items = [item for turn in turns for item in turn]
        return cast(list[TResponseInputItem], items if limit is None else items[len(items) - min(limit, len(items)) :])

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        reports = [report for item in items for report in self._reports(cast(Json, item))]
        for first in range(0, len(reports), MOST):
            answer = await self.client.call("batch", {"items": reports[first : first + MOST]})
            wrong = next((result["error"] for result in answer["results"] if result["status"] >= 400), None)
            if wrong:
                raise ValueError(f"an item of the session {self.session_id!r} was refused: {wrong['detail']}")

    async def pop_item(self) -> TResponseInputItem | None:
        items = await self.get_items(limit=1)
        if not items:
            return None
        await self.client.call("batch", {"items": [self._event(TAKEN_BACK, "")]})
        return items[0]

    async def clear_session(self) -> None:
        """Forget the episodes of this session; one that is not the caller's own is a MemosError."""
        for episode in await self._episodes():
            await self.client.call(f"memories/{episode['id']}", method="DELETE")
        self._open.clear()

    def _event(self, kind: str, text: str) -> Json:
        event = {"kind": "event", "event_kind": kind, "ref": uuid4().hex, "summary": text}
        return {**event, "thread_id": self.session_id, **self.place}

    def _reports(self, item: Json) -> list[Json]:
        if item.get("type") == "function_call":
            self._open[str(item["call_id"])] = item
            return []
        if item.get("type") == "function_call_output":
            call = self._open.pop(str(item["call_id"]), {"name": "unknown", "arguments": None})
            return [
                {"kind": "tool_output", "tool_name": call["name"], "args": _parsed_arguments(call.get("arguments")),
                 "result": item.get("output"), "thread_id": self.session_id, **self.place}
            ]  # fmt: skip
        text = _text(item.get("content"))
        return [self._event(f"{item['role']}_message", text)] if item.get("role") and text else []

    async def _episodes(self) -> list[Json]:
        """The episodes of the thread, the newest first."""
        return await self._pages("episodes", {"thread_id": self.session_id, "limit": 200, **self.place})

    async def _pages(self, path: str, parameters: Json) -> list[Json]:
        pages: list[Json] = []
        query = urlencode(parameters)
        while query:
            page = await self.client.call(f"{path}?{query}")
            pages += page["results"]
            query = urlsplit(page["next"]).query if page["next"] else ""
        return pages


def _items(event: Json) -> list[Json]:
    """What an event was as an item; of a call two: the call and its output."""
    if event["tool"]:
        id = f"call_{event['id']}"
        output = (
            event["result"] if isinstance(event["result"], str) else json.dumps(event["result"], ensure_ascii=False)
        )
        arguments = json.dumps(event["args"] or {}, ensure_ascii=False)
        call = {"type": "function_call", "call_id": id, "name": event["tool"], "arguments": arguments}
        return [call, {"type": "function_call_output", "call_id": id, "output": output}]
    return [{"role": event["role"], "content": event["text"]}] if event["role"] else []


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and part.get("text"))


def _parsed_arguments(arguments: Any) -> Any:
    try:
        return json.loads(arguments) if isinstance(arguments, str) and arguments else arguments
    except ValueError:
        return arguments


class MemosHooks(RunHooks[Any]):
    """Reports a run without a MemosSession, which says the same: what was asked, each call and how it went, the answer.

    One for each thread, in `Runner.run(..., hooks=MemosHooks("ticket-812"))`. Calls of hosted tools are not told.
    """

    def __init__(
        self,
        thread_id: str,
        client: AsyncMemos | None = None,
        *,
        scope: str | None = None,
        source: str = "openai-agents",
    ) -> None:
        self.client = client or AsyncMemos()
        self.place: Json = {"source": source, "thread_id": thread_id, **({} if scope is None else {"scope": scope})}
        self._handed_over = False  # to the agent that starts next: its request was told
        self._episode = ""

    async def on_agent_start(self, context: AgentHookContext[Any], agent: Any) -> None:
        items = [] if self._handed_over else [cast(Json, item) for item in context.turn_input]
        self._handed_over = False
        for item in [item for item in items if item.get("role") == "user"][-1:]:
            await self._say("user_message", _text(item.get("content")))

    async def on_handoff(self, context: RunContextWrapper[Any], from_agent: Any, to_agent: Any) -> None:
        self._handed_over = True

    async def on_tool_end(self, context: RunContextWrapper[Any], agent: Any, tool: Tool, result: object) -> None:
        args = _parsed_arguments(getattr(context, "tool_arguments", None))
        text = result if isinstance(result, str | int | float | bool | dict | list | None) else str(result)
        ok = _went_well(tool, result)
        await self._report("tool-outputs", tool_name=tool.name, args=args, result=text, ok=ok)

    async def on_agent_end(self, context: AgentHookContext[Any], agent: Any, output: Any) -> None:
        await self._say("assistant_message", output if isinstance(output, str) else str(output))

    async def outcome(self, status: str) -> None:
        """Say how the run ended: success, failure or partial. Else the server reads it from the run's last checks."""
        if not self._episode:
            raise ValueError("nothing was reported of this run yet")
        await self.client.outcome(self._episode, status, source=self.place["source"])

    async def _say(self, kind: str, text: str) -> None:
        if text:
            await self._report("events", event_kind=kind, ref=uuid4().hex, summary=text)

    async def _report(self, path: str, **fields: Any) -> None:
        self._episode = (await self.client.call(path, {**self.place, **fields}))["id"]


def _went_well(tool: Tool, result: object) -> bool | None:
    """None: the tool words its errors itself, so that its answer does not say."""
    if not isinstance(tool, FunctionTool) or not tool._use_default_failure_error_function:
        return None
    return bool(result != default_tool_error_function(cast(Any, None), Exception()))
