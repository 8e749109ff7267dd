#!/usr/bin/env python3
"""Memos in the hooks of a coding agent: Claude Code, Codex CLI, Gemini CLI, Cursor. Python 3.9 or newer, nothing else.

Before a prompt it adds the context that fits; before a tool that changes something it says when similar runs ended
badly with that call, and which command does not start; after a tool it reports the call; at the end the outcome. It
never blocks: when the server is away or takes longer than DEADLINE, it says nothing and the agent goes on.

    memos_hook.py SOURCE < the hook's JSON

Where: ~/.memos/config.json {"url", "token", "scope"}, or MEMOS_URL, MEMOS_TOKEN, MEMOS_SCOPE. MEMOS_OUTCOME (success,
failure or partial) says how the session ended where the last call does not; MEMOS_DEADLINE is in seconds.
The token is sent to that address only: a redirect is not followed but told on stderr. What lies in ~/.memos only its
owner may read.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

DEADLINE = float(os.environ.get("MEMOS_DEADLINE", "0.5"))  # seconds, of which what is imported below is a part
answers: list[dict[str, Any]] = []


def finish(*late: object) -> None:
    """Say what there is to say, once, and end without waiting for what still runs. `late`: the time is over."""
    if CLOCK:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
    if late and os.environ.get("MEMOS_DEBUG"):
        os.write(2, f"memos: not done within {DEADLINE:g} seconds\n".encode())
    text = json.dumps(answers[0]) if answers else "{}"
    os.write(1, f"{text}\n".encode())
    os._exit(0)


CLOCK = hasattr(signal, "setitimer")  # not on Windows, where a thread keeps the time
if CLOCK:
    signal.signal(signal.SIGALRM, finish)
    signal.setitimer(signal.ITIMER_REAL, DEADLINE)

import contextlib  # from here on the time is kept
import hashlib
import json
import threading
import urllib.parse
import urllib.request
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

Json = dict[str, Any]
LONGEST = 20_000  # characters of a prompt, of arguments, of a result
FOLDER = Path.home() / ".memos"
KINDS = {
    **dict.fromkeys(("UserPromptSubmit", "BeforeAgent", "beforeSubmitPrompt", "sessionStart"), "prompt"),
    **dict.fromkeys(("PreToolUse", "BeforeTool", "preToolUse", "beforeShellExecution", "beforeMCPExecution"), "before"),
    **dict.fromkeys(("PostToolUse", "PostToolUseFailure", "AfterTool", "postToolUse", "postToolUseFailure"), "after"),
    **dict.fromkeys(("afterShellExecution", "afterMCPExecution", "afterFileEdit"), "after"),
    **dict.fromkeys(("Stop", "SessionEnd", "stop", "sessionEnd"), "end"),
}
COMMANDS = {"Bash", "Shell", "shell", "local_shell", "exec_command", "run_shell_command"}  # one name for the server
ENDINGS = {"completed": "success", "error": "failure", "aborted": "partial"}  # of Cursor's `status`


class Redirected(Exception):
    """The server answered with another address, to which the token is not sent."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        other = str(headers.get("Location", ""))[:200]
        raise Redirected(f"{req.full_url} leads to {other!r}, which is not followed: correct the address of Memos")

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def closed(path: Path) -> Path:
    """The path, closed to everybody but its owner where a former version or a hand left it open."""
    with contextlib.suppress(OSError):  # somebody else's, and then theirs to close
        mode = path.stat().st_mode
        if mode & 0o077:
            path.chmod(mode & 0o700)
    return path


class Hook:
    """One event of a session: what the harness told, and what is remembered between its hooks."""

    def __init__(self, event: Json, source: str) -> None:
        config = FOLDER / "config.json"
        told = json.loads(closed(config).read_text()) if config.exists() else {}
        self.url = str(os.environ.get("MEMOS_URL") or told.get("url", "http://127.0.0.1:8000")).rstrip("/")
        self.token = os.environ.get("MEMOS_TOKEN") or told.get("token", "")
        scope = os.environ.get("MEMOS_SCOPE", told.get("scope"))
        self.place: Json = {} if scope is None else {"scope": scope}
        self.event, self.source, self.name = event, source, str(event.get("hook_event_name", ""))
        self.thread = str(event.get("session_id") or event.get("conversation_id") or "")
        self.file = FOLDER / "sessions" / hashlib.sha256(f"{source}/{self.thread}".encode()).hexdigest()[:32]
        self.state: Json = json.loads(self.file.read_text()) if self.file.exists() else {}

    def ask(self, path: str, body: Json | None = None) -> Json:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api/v1/{path}", data, headers)
        with urllib.request.build_opener(NoRedirects).open(request, timeout=DEADLINE) as answer:
            return dict(json.load(answer))

    def remember(self, **state: Any) -> None:
        self.state.update(state)
        self.file.parent.mkdir(parents=True, exist_ok=True)  # closed by the umask, as the file is
        for folder in (FOLDER, self.file.parent):
            closed(folder)
        fresh = self.file.with_suffix(f".{os.getpid()}")
        fresh.unlink(missing_ok=True)  # of a process that was killed and had this number
        fresh.write_text(json.dumps(self.state))
        fresh.replace(self.file)

    @property
    def call(self) -> Json:
        """The tool and its arguments, however the harness names them."""
        event = self.event
        if "tool_name" in event:
            args, name = event.get("tool_input"), str(event["tool_name"])
        elif "command" in event:
            args, name = {"command": event["command"]}, "Shell"
        else:
            args, name = {"file_path": event.get("file_path"), "edits": event.get("edits")}, "Edit"
        return {"tool": "bash" if name in COMMANDS else name, "arguments": fitting(as_json(args))}

    @property
    def result(self) -> Any:
        names = ("tool_response", "tool_output", "result_json", "output", "error", "error_message")
        return next((as_json(self.event[name]) for name in names if self.event.get(name) is not None), None)

    @property
    def ok(self) -> bool:
        result = self.result if isinstance(self.result, dict) else {}
        failed = result.get("is_error") or result.get("success") is False or result.get("error")
        code = result.get("exit_code", result.get("exitCode", 0))
        return not (failed or "Failure" in self.name or code not in (0, None))

    def report(self, path: str, **fields: Any) -> None:
        at = datetime.now(timezone.utc).isoformat()
        self.ask(path, {"source": self.source, "thread_id": self.thread, "timestamp": at, **self.place, **fields})


def before_prompt(hook: Hook) -> Json:
    """The block for the prompt; the prompt itself is the first event of the episode."""
    prompt = str(hook.event.get("prompt") or "")[:LONGEST]
    if prompt:
        hook.remember(task=prompt)
        turn = hashlib.sha256(prompt.encode()).hexdigest()[:12]
        said: Json = {"event_kind": "user_message", "ref": f"prompt-{turn}", "summary": prompt}
        beside(lambda: hook.report("events", **said))
    asked = {"task": prompt, "source": hook.source, "thread_id": hook.thread, **hook.place}
    return adding(hook, str(hook.ask("context", asked).get("block") or ""))


def before_tool(hook: Hook) -> Json:
    """A word of warning when similar runs ended well only without this call, and what is unlike calls that worked."""
    if "task" not in hook.state:
        return {}
    scopes = [hook.place["scope"]] if hook.place.get("scope") else []
    run = {"source": hook.source, "thread_id": hook.thread}  # the server knows what was reported of it so far
    asked = {"task": hook.state["task"], "about_to": hook.call, "scopes": scopes, **run}
    check = hook.ask("guidance", asked).get("check") or {}
    told = [str(check["text"])] if check.get("verdict") == "advised_against" else []
    told += [f"{note['note']}." for note in check.get("arguments", [])]
    return adding(hook, f"Memos: {' '.join(told)}") if told else {}


def after_tool(hook: Hook) -> Json:
    hook.remember(ok=hook.ok)
    call = hook.call
    fields: Json = {"tool_name": call["tool"], "args": call["arguments"], "result": fitting(hook.result), "ok": hook.ok}
    hook.report("tool-outputs", **fields)
    return {}


def at_end(hook: Hook) -> Json:
    """Close the episode of this session: as the harness says, else by whether the last call went well."""
    last = {True: "success", False: "failure", None: "partial"}[hook.state.get("ok")]
    outcome = os.environ.get("MEMOS_OUTCOME") or ENDINGS.get(str(hook.event.get("status")), last)
    where = urllib.parse.urlencode({"thread_id": hook.thread, "source": hook.source, "open": "true", "limit": 1})
    for episode in hook.ask(f"episodes?{where}")["results"]:
        hook.ask("outcomes", {"source": hook.source, "target_record_id": episode["id"], "outcome_status": outcome})
    hook.file.unlink(missing_ok=True)
    return {}


def adding(hook: Hook, text: str) -> Json:
    """The text in the form in which this event of this harness takes it."""
    if not text:
        return {}
    if hook.name == "sessionStart":
        return {"additional_context": text}
    if hook.name == "beforeSubmitPrompt":
        return {}  # Cursor takes no text here: its agent asks the `context` tool
    if hook.name in ("preToolUse", "beforeShellExecution", "beforeMCPExecution"):
        return {"permission": "ask", "user_message": text, "agent_message": text}
    if hook.name == "BeforeTool":
        return {"systemMessage": text}
    return {"hookSpecificOutput": {"hookEventName": hook.name, "additionalContext": text}}


def as_json(value: Any) -> Any:
    """The value, or what its text says when that is a JSON object."""
    try:
        parsed = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value
    return parsed if isinstance(parsed, dict) else value


def fitting(value: Any) -> Any:
    """The value, or the beginning of its text when it is long."""
    text = value if isinstance(value, str) else json.dumps(value)
    if len(text) <= LONGEST:
        return value
    return {"beginning": text[:LONGEST]} if isinstance(value, dict) else text[:LONGEST]


threads: list[threading.Thread] = []


def beside(work: Callable[[], Any]) -> None:
    """Do it in a thread of its own, which dies with this process; whatever it raises is nobody's matter."""

    def quietly() -> None:
        try:
            work()
        except Exception as error:
            if os.environ.get("MEMOS_DEBUG") or isinstance(error, Redirected):
                print(f"memos: {error}", file=sys.stderr)

    threads.append(threading.Thread(target=quietly, daemon=True))
    threads[-1].start()


def main() -> None:
    os.umask(0o077)
    work = {"prompt": before_prompt, "before": before_tool, "after": after_tool, "end": at_end}

    def answer() -> None:
        event = json.load(sys.stdin)
        hook = Hook(event, sys.argv[1] if len(sys.argv) > 1 else "coding-agent")
        of_memos = str(event.get("tool_name", "")).lower().startswith(("mcp__memos", "mcp_memos", "mcp:memos"))
        if hook.token and hook.thread and hook.name in KINDS and not of_memos:
            answers.append(work[KINDS[hook.name]](hook))

    if not CLOCK:
        threading.Timer(DEADLINE, finish, [True]).start()
    beside(answer)
    for thread in threads:  # one may begin another
        while thread.is_alive():
            thread.join(0.05)
    finish()


if __name__ == "__main__":
    main()
