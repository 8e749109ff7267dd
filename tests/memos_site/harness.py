"""A coding agent's side of the hooks: a shell with nothing but a home, and the JSON that each harness sends."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]
SCRIPTS = Path(__file__).resolve().parents[2] / "static" / "agents"
QUICK = {"MEMOS_KEEP_TRYING": "0"}  # a process that delivers nothing ends at once
NO_KEYRING = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}  # a person's own stays untouched
CLAUDE = {"transcript_path": "/tmp/t.jsonl", "cwd": "/tmp", "permission_mode": "default"}
CODEX = {**CLAUDE, "model": "gpt-5", "turn_id": "1"}
GEMINI = {"transcript_path": "/tmp/t.json", "cwd": "/tmp", "timestamp": "2026-03-01T12:00:00Z"}
CURSOR = {"generation_id": "g1", "workspace_roots": ["/tmp"], "cursor_version": "2.0.77", "model": "m"}


def shell(home: Path, line: str, *, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a line in a shell that knows a home and where programs lie, and nothing of ours."""
    known = {"HOME": str(home), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", **NO_KEYRING, **environment}
    command = ["bash", "--noprofile", "--norc", "-c", line]
    options: Json = {"env": known, "cwd": home, "capture_output": True, "text": True, "timeout": 60}
    return subprocess.run(command, input=stdin, check=False, **options)


def connect(home: Path, url: str, token: str, **more: str) -> None:
    (home / ".memos").mkdir()
    (home / ".memos" / "config.json").write_text(json.dumps({"url": url, "token": token, **more}))


def hook(home: Path, event: Mapping[str, Any], source: str = "claude-code", **environment: str) -> Json:
    """What the hook says to the harness; it always ends well and says JSON. A busy machine is given time.

    What it reported is delivered when this returns, where there is a server.
    """
    environment = {"MEMOS_DEADLINE": "30", **QUICK, **environment}
    ended = shell(home, f"python3 {SCRIPTS}/memos_hook.py {source}", stdin=json.dumps(event), **environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    deliver(home, **environment)
    return dict(json.loads(ended.stdout))


def deliver(home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Wait for the process that delivers what the hooks reported, and deliver the rest."""
    return shell(home, f"python3 {SCRIPTS}/memos_hook.py --send", **{**QUICK, **environment})


def waiting(home: Path) -> list[Path]:
    """The reports that are not delivered."""
    return sorted((home / ".memos" / "spool").glob("*/*.json"))


def sessions(prompt: str, tool: str, args: Json, result: Any) -> dict[str, list[Json]]:
    """The events of one session by harness: a prompt, before a tool, after it, the end."""
    claude = {"session_id": "s1", **CLAUDE}
    codex = {"session_id": "s1", **CODEX}
    gemini = {"session_id": "s1", **GEMINI}
    cursor = {"conversation_id": "s1", **CURSOR}
    called: Json = {"tool_name": tool, "tool_input": args}
    return {
        "claude-code": [
            {**claude, "hook_event_name": "UserPromptSubmit", "prompt": prompt},
            {**claude, "hook_event_name": "PreToolUse", **called, "tool_use_id": "t1"},
            {**claude, "hook_event_name": "PostToolUse", **called, "tool_use_id": "t1", "tool_response": result},
            {**claude, "hook_event_name": "SessionEnd", "reason": "other"},
        ],
        "codex": [
            {**codex, "hook_event_name": "UserPromptSubmit", "prompt": prompt},
            {**codex, "hook_event_name": "PreToolUse", **called, "tool_use_id": "t1"},
            {**codex, "hook_event_name": "PostToolUse", **called, "tool_use_id": "t1", "tool_response": result},
            {**codex, "hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": "Done"},
        ],
        "gemini-cli": [
            {**gemini, "hook_event_name": "BeforeAgent", "prompt": prompt},
            {**gemini, "hook_event_name": "BeforeTool", **called},
            {**gemini, "hook_event_name": "AfterTool", **called, "tool_response": {"llmContent": result}},
            {**gemini, "hook_event_name": "SessionEnd", "reason": "exit"},
        ],
        "cursor": [
            {**cursor, "hook_event_name": "beforeSubmitPrompt", "prompt": prompt, "attachments": []},
            {**cursor, "hook_event_name": "beforeMCPExecution", "tool_name": tool, "tool_input": json.dumps(args)},
            {
                **cursor,
                "hook_event_name": "afterMCPExecution",
                "tool_name": tool,
                "tool_input": json.dumps(args),
                "result_json": json.dumps(result),
            },
            {**cursor, "hook_event_name": "stop", "status": "completed", "loop_count": 0},
        ],
    }
