"""Calls of the tools of a real MCP server, and what a harness records of them."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from consolidation.learning.runs.browser_pages import elements
from tests.consolidation.recorded import Script

NO_CONTROLS = ("option", "generic")


class Hand:
    """Calls the tools of a server and keeps what a harness records of it."""

    def __init__(self, session: ClientSession, prefix: str) -> None:
        self._session, self._prefix = session, prefix
        self.recorded: list[Script] = []
        self._refs: dict[str, str] = {}

    async def __call__(self, tool: str, **arguments: Any) -> None:
        answer = await self._session.call_tool(tool, arguments)
        text = "\n".join(part.text for part in answer.content if part.type == "text")
        self.recorded.append((f"{self._prefix}{tool}", arguments, text))
        self._refs |= {element.name: ref for ref, element in elements(text) if element.role not in NO_CONTROLS}

    def ref(self, name: str) -> str:
        return self._refs[name]


async def played(line: Sequence[str], prefix: str, work: Callable[[Hand], Awaitable[None]], home: Path) -> list[Script]:
    """Return what `work` calls of the server that this command starts, in this folder."""
    server = StdioServerParameters(command=line[0], args=list(line[1:]), cwd=home)
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        hand = Hand(session, prefix)
        await work(hand)
    return hand.recorded
