#!/usr/bin/env python3
"""Memos as an MCP server on standard input and output, for agents that start their servers: each line is one message.

It passes messages on to `/mcp` of the server that ~/.memos/config.json names, so that the token lies in no other file.
Python 3.9 or newer, and memos_hook.py beside it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from memos_hook import Late, Redirected, Refused, Server

OF_A_TOOL, OF_THE_REST = 60.0, 5.0  # seconds; agents begin no session before the server said what tools it has


def answer(server: Server, line: str) -> dict[str, object] | None:
    """The server's answer to a message, or a JSON-RPC error; None: it is a notification."""
    message = json.loads(line)
    id = message.get("id") if isinstance(message, dict) else None
    try:
        calls = isinstance(message, dict) and message.get("method") == "tools/call"
        response = server.ask("/mcp", message, within=OF_A_TOOL if calls else OF_THE_REST)
        return response or None
    except Refused as refusal:
        problem = str(refusal)
    except (OSError, Late, Redirected, ValueError) as error:
        problem = f"Memos at {server.url}: {error or type(error).__name__}"
    return None if id is None else {"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": problem}}


def main() -> None:
    server = Server()
    for line in sys.stdin:
        try:
            reply = answer(server, line) if line.strip() else None
        except ValueError:
            reply = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}
        if reply is not None:
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
