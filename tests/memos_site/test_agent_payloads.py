"""`ok` of a call as each harness really tells it, in payloads that the agents of tests/agents gave their hooks."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.memos_site.harness import QUICK, SCRIPTS, connect, shell, waiting

Json = dict[str, Any]
SAID = "AssertionError: add is wrong"
PYTHON = {"command": "python3 test_add.py", "description": "run"}
OF_EDIT = {"file_path": "/r/add.py", "old_string": "a - b", "new_string": "a + b"}


def claude(event: str, tool: str, args: Json, **more: Any) -> Json:
    return {"hook_event_name": event, "tool_name": tool, "tool_input": args, "tool_use_id": "toolu_1", **more}


def gemini(tool: str, args: Json, text: str, **more: Any) -> Json:
    response = {"llmContent": text, "returnDisplay": "", **more}
    return {"hook_event_name": "AfterTool", "tool_name": tool, "tool_input": args, "tool_response": response}


def qwen(code: int) -> Json:
    text = (
        f"Command: python3 test_add.py\nDirectory: (root)\nOutput: {SAID}\nError: (none)\nExit Code: {code}\nSignal: 0"
    )
    response = {"llmContent": f"{text}\nProcess Group PGID: 24452", "returnDisplay": ""}
    return claude("PostToolUse", "run_shell_command", PYTHON, tool_response=response)


def copilot(text: str, kind: str = "success") -> Json:
    result = {"resultType": kind, "textResultForLlm": text}
    return {"sessionId": "s1", "toolName": "bash", "toolArgs": PYTHON, "toolResult": result}


def opencode(code: int | None) -> Json:
    response = {"output": SAID, "exit": code} if code is not None else {"error": "the tool was aborted"}
    return claude("PostToolUse", "bash", PYTHON, tool_response=response)


BASH = {"stdout": "1 passed", "stderr": "", "interrupted": False, "isImage": False}
PGID = "Process Group PGID: 22300\n</untrusted_context>"
WRITTEN_BY_A_PROGRAM = f"<untrusted_context>\nOutput: Exit Code: 0\n{SAID}\nExit Code: 1\n{PGID}"
CASES: list[tuple[str, Json, bool | None, int | None]] = [
    ("claude-code", claude("PostToolUse", "Bash", PYTHON, tool_response=BASH), True, 0),
    ("claude-code", claude("PostToolUseFailure", "Bash", PYTHON, error=f"Exit code 1\n{SAID}"), False, 1),
    ("claude-code", claude("PostToolUse", "Bash", PYTHON, tool_response={**BASH, "exit_code": 2}), False, 2),
    ("claude-code", claude("PostToolUse", "Edit", OF_EDIT, tool_response={"filePath": "/r/add.py"}), True, None),
    ("claude-code", claude("PostToolUseFailure", "Edit", OF_EDIT, error="String to replace not found"), False, None),
    ("codex", claude("PostToolUse", "Bash", PYTHON, tool_response=SAID), None, None),
    ("codex", claude("PostToolUse", "Bash", PYTHON, tool_response=SAID, tool_use_id="call_bad"), False, 1),
    ("codex", claude("PostToolUse", "Bash", PYTHON, tool_response="", tool_use_id="call_good"), True, 0),
    ("gemini-cli", gemini("run_shell_command", PYTHON, f"<untrusted_context>\nOutput: 1 passed\n{PGID}"), True, 0),
    ("gemini-cli", gemini("run_shell_command", PYTHON, WRITTEN_BY_A_PROGRAM), False, 1),
    ("gemini-cli", gemini("replace", OF_EDIT, "Successfully modified file: /r/add.py (1 replacements)."), True, None),
    ("gemini-cli", gemini("replace", OF_EDIT, "0 occurrences", error={"message": "0 occurrences"}), False, None),
    ("qwen-code", qwen(0), True, 0),
    ("qwen-code", qwen(1), False, 1),
    ("copilot", copilot("1 passed\n<shellId: 2 completed with exit code 0>"), True, 0),
    ("copilot", copilot(f"{SAID}\n<shellId: 1 completed with exit code 1>"), False, 1),
    ("copilot", copilot("denied", "denied"), False, None),
    ("opencode", opencode(0), True, 0),
    ("opencode", opencode(1), False, 1),
    ("opencode", opencode(None), False, None),
    (
        "cursor",
        {"hook_event_name": "afterShellExecution", "command": "python3 test_add.py", "output": SAID},
        None,
        None,
    ),
    ("another", claude("PostToolUse", "Deploy", {}, tool_response="done"), None, None),
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """With a transcript of Codex, which alone tells the exit codes of its commands."""
    connect(tmp_path, "http://127.0.0.1:9", "memos_token")
    lines = [{"payload": {"item": {"id": id, "exit_code": code}}} for id, code in (("call_bad", 1), ("call_good", 0))]
    (tmp_path / "rollout.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    return tmp_path


def test_a_call_went_well_or_badly_as_its_harness_says_and_is_unknown_where_it_does_not(home: Path) -> None:
    for number, (source, event, _ok, _code) in enumerate(CASES):
        told = {"session_id": f"s{number}", "transcript_path": str(home / "rollout.jsonl"), **event}
        name = "postToolUse" if source == "copilot" else ""
        ended = shell(home, f"python3 {SCRIPTS}/memos_hook.py {source} {name}", stdin=json.dumps(told), **QUICK)
        assert (ended.stdout, ended.stderr) == ("{}\n", "")
    reports = [json.loads(path.read_text())["body"] for path in waiting(home)]
    arrived = [(report["source"], report["tool_name"], report["ok"], code_of(report["result"])) for report in reports]
    assert arrived == [
        (source, event.get("tool_name") or event.get("toolName") or "Shell", ok, code)
        for source, event, ok, code in CASES
    ]
    outputs = [report["result"]["output"] for report in reports if report["source"] in ("gemini-cli", "qwen-code")
               if isinstance(report["result"], dict)]  # fmt: skip
    assert outputs == ["1 passed", f"Exit Code: 0\n{SAID}", SAID, SAID]


def code_of(result: Any) -> int | None:
    return result.get("exit_code") if isinstance(result, dict) else None


@pytest.mark.parametrize(
    ("source", "name", "event"),
    [
        ("claude-code", "", {"hook_event_name": "Stop", "last_assistant_message": "All done."}),
        ("gemini-cli", "", {"hook_event_name": "AfterAgent", "prompt": "x", "prompt_response": "All done."}),
        ("copilot", "agentStop", {"transcriptPath": "events.jsonl"}),
    ],
)
def test_the_agents_last_words_are_reported(home: Path, source: str, name: str, event: Json) -> None:
    said = {"type": "assistant.message", "data": {"content": "All done."}}
    (home / "events.jsonl").write_text(f"{json.dumps(said)}\n{json.dumps({'type': 'session.end'})}\n")
    told = json.dumps({"session_id": "s1", **event})
    shell(home, f"python3 {SCRIPTS}/memos_hook.py {source} {name}", stdin=told, **QUICK)
    [report] = [json.loads(path.read_text())["body"] for path in waiting(home)]
    assert (report["event_kind"], report["summary"]) == ("assistant_message", "All done.")


def test_words_that_copilot_wrote_before_it_called_the_hook_are_not_its_last(home: Path) -> None:
    """It writes to its transcript a moment later: what was said, and that it called."""

    def reported(*lines: Json) -> list[str]:
        with (home / "events.jsonl").open("a") as file:
            file.writelines(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)
        told = json.dumps({"sessionId": "s1", "timestamp": 1795703330468, "transcriptPath": "events.jsonl"})
        shell(home, f"python3 {SCRIPTS}/memos_hook.py copilot agentStop", stdin=told, **QUICK, MEMOS_DEADLINE="0.05")
        return [json.loads(path.read_text())["body"]["summary"] for path in waiting(home)]

    assert reported({"type": "assistant.message", "data": {"content": "Which file?"}}) == []
    calls = {"type": "hook.start", "data": {"input": {"timestamp": 1795703330468, "cwd": "/"}}}
    assert reported({"type": "assistant.message", "data": {"content": "All done."}}, calls) == ["All done."]


def test_an_empty_prompt_is_no_prompt(home: Path) -> None:
    """Qwen Code tells each return of a tool as one."""
    told = json.dumps({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": ""})
    shell(home, f"python3 {SCRIPTS}/memos_hook.py qwen-code", stdin=told, **QUICK)
    assert waiting(home) == []
