"""What hooks report is delivered in order and once, whatever the server does meanwhile; what is dropped is told."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.memos_site.harness import QUICK, SCRIPTS, connect, deliver, shell, waiting

Json = dict[str, Any]


class Recorder(ThreadingHTTPServer):
    """Answers with the statuses that it was given, then with 201; keeps what it took, by Idempotency-Key."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.statuses: list[int] = []
        self.taken: list[tuple[str, Json]] = []
        self.asked: list[Json] = []
        self.verdict: Json = {"level": "unknown", "said": []}
        self.unknown: set[str] = set()  # fields that it refuses, as a server older than the script

    @property
    def names(self) -> list[str]:
        return [body["tool_name"] for _key, body in self.taken]


class _Handler(BaseHTTPRequestHandler):
    server: Recorder

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Idempotency-Key")
        status = (self.server.statuses.pop(0) if self.server.statuses else 201) if key else 200
        errors = [{"pointer": f"/{name}", "code": "extra_forbidden"} for name in body if name in self.server.unknown]
        status = 400 if errors else status
        if key and status == 201:
            self.server.taken.append((key, body))
        elif not key and status == 200:
            self.server.asked.append(body)
        answer = self.server.verdict if self.path.endswith("verdict") else {"detail": "no", "errors": errors}
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    server = Recorder()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def home(tmp_path: Path, recorder: Recorder) -> Path:
    connect(tmp_path, f"http://127.0.0.1:{recorder.server_port}", "memos_token")
    return tmp_path


def call(name: str, **more: Any) -> str:
    event = {"hook_event_name": "PostToolUse", "tool_name": name, "tool_input": {}, "tool_response": "done"}
    return json.dumps({"session_id": "s1", **event, **more})


def report(home: Path, *names: str, url: str = "") -> None:
    """Calls of these tools, told by the hook; with `url` to another server."""
    environment = {"MEMOS_URL": url} if url else {}
    for name in names:
        shell(home, f"python3 {SCRIPTS}/memos_hook.py claude-code", stdin=call(name), **QUICK, **environment)


def move_spool(home: Path) -> None:
    """What waited for a server that was away waits for the one that is there."""
    away, here = sorted((home / ".memos" / "spool").iterdir(), key=lambda folder: len(list(folder.iterdir())))[::-1]
    for path in away.glob("*.json"):
        path.rename(here / path.name)


def test_what_was_reported_while_the_server_was_away_comes_in_order(home: Path, recorder: Recorder) -> None:
    recorder.statuses = [503]
    report(home, "a", "b", "c")
    deliver(home)
    deliver(home)
    assert recorder.names == ["a", "b", "c"]
    assert waiting(home) == []


def test_a_report_that_the_server_refuses_is_dropped_counted_and_told_once(home: Path, recorder: Recorder) -> None:
    recorder.statuses = [422]
    report(home, "bad", "good")
    deliver(home)
    assert (recorder.names, waiting(home)) == (["good"], [])
    prompt = json.dumps({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "Go on"})
    told = [
        json.loads(
            shell(home, f"python3 {SCRIPTS}/memos_hook.py claude-code", stdin=prompt, MEMOS_DEADLINE="30").stdout
        )
        for _ in range(2)
    ]
    assert told[0]["systemMessage"].startswith("Memos: 1 reports of this computer were dropped (tool-outputs: 422")
    assert "systemMessage" not in told[1]


def test_fields_that_an_older_server_does_not_know_are_left_out(home: Path, recorder: Recorder) -> None:
    recorder.unknown = {"repository"}
    (home / "shop" / ".git").mkdir(parents=True)
    prompt = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "Go on", "cwd": f"{home}/shop"}
    line = f"python3 {SCRIPTS}/memos_hook.py claude-code"
    shell(home, line, stdin=json.dumps(prompt), MEMOS_DEADLINE="30", **QUICK)
    deliver(home)
    [(_key, body)], [question] = recorder.taken, recorder.asked
    assert (body["summary"], question["task"]) == ("Go on", "Go on")
    assert not (home / ".memos" / "counts" / "dropped").exists()


@pytest.mark.parametrize("status", [401, 429, 500, 503])
def test_a_report_that_the_server_cannot_take_now_waits(home: Path, recorder: Recorder, status: int) -> None:
    recorder.statuses = [status] * 50
    report(home, "a")
    ended = deliver(home)
    assert (ended.returncode, ended.stderr, len(waiting(home))) == (1, "1 reports wait\n", 1)


def test_a_spool_that_is_full_or_broken_loses_only_what_it_counts(home: Path, recorder: Recorder) -> None:
    recorder.statuses = [503] * 50
    report(home, "a")
    folder = waiting(home)[0].parent
    (folder / f"{time.time_ns():020d}-broken.json").write_text('{"path": "tool-ou')
    old = time.time_ns() - 8 * 86_400 * 10**9
    (folder / f"{old:020d}-old.json").write_text(waiting(home)[0].read_text())
    for number in range(1_000 - len(waiting(home))):
        (folder / f"{time.time_ns():020d}-{number}.json").write_text("{}")
    report(home, "one too many")
    recorder.statuses = []
    deliver(home)
    assert (recorder.names, waiting(home)) == (["a"], [])
    assert (home / ".memos" / "counts" / "dropped").stat().st_size == 1_000  # all but `a`, with the one too many


def test_two_that_deliver_at_once_double_nothing(home: Path, recorder: Recorder) -> None:
    recorder.statuses = [503] * 10
    report(home, *"abcdefgh")
    recorder.statuses = []
    line = [sys.executable, str(SCRIPTS / "memos_hook.py"), "--send"]
    senders = [subprocess.Popen(line, env={"HOME": str(home)}) for _ in range(3)]
    assert [sender.wait(60) for sender in senders] == [0, 0, 0]
    assert recorder.names == list("abcdefgh")
    assert len({key for key, _body in recorder.taken}) == 8


def test_old_state_goes(home: Path) -> None:
    sessions = home / ".memos" / "sessions"
    sessions.mkdir(mode=0o700)
    for days in (29, 31):
        path = sessions / str(days)
        path.write_text("{}")
        moment = time.time() - days * 86_400
        subprocess.run(["touch", "-d", f"@{moment}", path], check=True)
    deliver(home)
    assert [path.name for path in sessions.iterdir()] == ["29"]


SURE = {"level": "high", "said": ["Nine of ten runs like this one also called `cancel_order`."]}
STOP = {"hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": "Done"}


@pytest.mark.parametrize(("verdict", "stops"), [(SURE, True), ({**SURE, "level": "medium"}, False)])
def test_a_high_risk_stops_the_agent_once(home: Path, recorder: Recorder, verdict: Json, stops: bool) -> None:
    recorder.verdict = verdict
    asks = {"MEMOS_CHECK_END": "1", "MEMOS_DEADLINE": "30", **QUICK}
    prompt = json.dumps({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "Close the account"})
    line = f"python3 {SCRIPTS}/memos_hook.py claude-code"
    shell(home, line, stdin=prompt, **asks)
    ends = [json.loads(shell(home, line, stdin=json.dumps({"session_id": "s1", **STOP}), **asks).stdout) for _ in "12"]
    deliver(home)
    stopped = {"decision": "block", "reason": f"Memos: {SURE['said'][0]}"}
    assert ends == [stopped if stops else {}, {}]
    assert {"source": "claude-code", "thread_id": "s1", "scopes": []} in recorder.asked
    assert len([body for _key, body in recorder.taken if body.get("event_kind") == "assistant_message"]) == 2


def test_where_nothing_can_be_written_and_no_number_is_set_the_agent_goes_on(home: Path) -> None:
    """As on a full disk: the folders of the state cannot be made."""
    for name in ("spool", "counts", "sessions"):
        (home / ".memos" / name).touch()
    event = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "Refund it"}
    line = f"{sys.executable} {SCRIPTS}/memos_hook.py claude-code"
    ended = shell(home, line, stdin=json.dumps(event), MEMOS_DEADLINE="half a second")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "{}\n", "")
