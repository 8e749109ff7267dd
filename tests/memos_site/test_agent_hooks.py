"""The hook script in a shell of its own against a live server, in the format of each harness; and without a server."""

import json
import re
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memories.models import Episode, Event
from tests.consolidation.experience import consolidated
from tests.consolidation.test_command_facts import nine_runs
from tests.consolidation.test_command_notes import NOTE
from tests.consolidation.test_guidance import WISH, learn
from tests.make import make_agent, make_memory
from tests.memos_site.harness import CLAUDE, QUICK, SCRIPTS, connect, deliver, hook, sessions, shell, waiting

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
PROMPT = "Cancel the reservation of Acme, please"
HARNESSES = ["claude-code", "codex", "gemini-cli", "cursor"]
ANSWERS = {"codex": [("assistant_message", "assistant", "Done")]}


@pytest.fixture
def home(tmp_path: Path, live_server: Any) -> Path:
    connect(tmp_path, live_server.url, make_agent()[1])
    return tmp_path


def runs_that_ended_badly_with(tool: str) -> None:
    """Three cases in which the wish was refused and all was well, two in which this call ended badly."""
    for number in range(3):
        learn(number)
    for number in (3, 4):
        learn(number, tool, outcome="failure")
    consolidated()


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_session_becomes_an_episode_with_its_prompt_its_call_and_its_outcome(home: Path, harness: str) -> None:
    for event in sessions(PROMPT, "cancel_reservation", {"id": 7}, {"cancelled": True})[harness]:
        hook(home, event, harness)
    episode = Episode.objects.get(source=harness, thread_id="s1")
    assert (episode.outcome, episode.closed_at) == (None, None)  # a resumed session goes on
    said, called, *last = Event.objects.filter(episode=episode).order_by("position")
    assert [(event.kind, event.role, event.text) for event in last] == ANSWERS.get(harness, [])
    assert (said.kind, said.role, said.text) == ("user_message", "user", PROMPT)
    known = {"codex": None, "cursor": None}.get(harness, True)  # these do not say of such a call whether it went well
    assert (called.tool, called.args, called.ok) == ("cancel_reservation", {"id": 7}, known)
    assert "cancelled" in json.dumps(called.result)


@pytest.mark.parametrize("harness", HARNESSES)
def test_what_is_known_stands_before_the_prompt(home: Path, harness: str) -> None:
    make_memory("Acme wants its cancellations by mail", status="confirmed", confidence=80, company_id="Acme")
    told = hook(home, sessions(PROMPT, "t", {}, {})[harness][0], harness)
    if harness == "cursor":  # whose prompts take no text: its agent asks the `context` tool
        assert told == {}
        return
    name = "BeforeAgent" if harness == "gemini-cli" else "UserPromptSubmit"
    assert told["hookSpecificOutput"]["hookEventName"] == name
    assert "cancellations by mail" in told["hookSpecificOutput"]["additionalContext"]


def test_a_new_session_of_cursor_begins_with_what_is_known(home: Path) -> None:
    make_memory("Cursor's user likes short answers", status="confirmed", confidence=80, source="cursor")
    started = hook(home, {"hook_event_name": "sessionStart", "conversation_id": "s1"}, "cursor")
    assert "short answers" in started["additional_context"]


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_call_that_went_badly_in_similar_runs_is_advised_against(home: Path, harness: str) -> None:
    runs_that_ended_badly_with("cancel_ticket")
    prompt, before, *_ = sessions(WISH.format(n="T9009"), "cancel_ticket", {"ticket": "T9009"}, {})[harness]
    hook(home, prompt, harness)
    told = hook(home, before, harness)
    places = {
        "cursor": lambda: told["agent_message"],
        "gemini-cli": lambda: told["systemMessage"],
    }
    text = places.get(harness, lambda: told["hookSpecificOutput"]["additionalContext"])()
    assert text.startswith("Memos: ")
    assert told.get("permission", "ask") == "ask"
    assert "permissionDecision" not in json.dumps(told)  # the harness asks whom it would have asked


def test_a_command_that_does_not_start_here_is_told_with_what_does(home: Path) -> None:
    nine_runs()
    prompt, before, after, _ = sessions(PROMPT, "Bash", {"command": "pytest sympy/core"}, {})["claude-code"]
    hook(home, prompt)
    assert hook(home, before)["hookSpecificOutput"]["additionalContext"] == f"Memos: {NOTE}."
    hook(home, {**after, "tool_response": {"stdout": "12 passed in 0.3s", "exit_code": 0}})
    assert hook(home, before) == {}  # it has started in this session


def cloned(folder: Path, origin: str | None) -> Path:
    """A repository of Git with this remote, and a folder within it."""
    (folder / ".git").mkdir(parents=True)
    remote = f'[remote "origin"]\n\turl = {origin}\n' if origin else ""
    (folder / ".git" / "config").write_text(f"[core]\n\tbare = false\n{remote}")
    (folder / "src").mkdir()
    return folder / "src"


def test_a_session_in_a_repository_gets_its_commands_and_says_where_it_works(home: Path) -> None:
    nine_runs(repository="sympy/sympy")
    prompt = sessions(PROMPT, "Bash", {}, {})["claude-code"][0]
    there = cloned(home / "here", "https://bot:secret@github.com/sympy/sympy.git")
    told = hook(home, {**prompt, "cwd": str(there)})["hookSpecificOutput"]["additionalContext"]
    assert "## Commands in sympy/sympy\n- `bin/test` starts (5 of 5 runs)" in told
    assert Episode.objects.get(source="claude-code").environment == {"repository": "sympy/sympy"}


def test_a_call_that_nothing_speaks_against_is_not_commented(home: Path) -> None:
    prompt, before, *_ = sessions(PROMPT, "cancel_reservation", {"id": 7}, {})["claude-code"]
    assert hook(home, prompt) == {}
    assert hook(home, before) == {}


def test_who_knows_better_says_the_outcome(home: Path) -> None:
    _, _, after, end = sessions(PROMPT, "Edit", {}, "done")["claude-code"]
    hook(home, after)
    hook(home, end, MEMOS_OUTCOME="partial")
    episode = Episode.objects.get()
    assert (episode.outcome, episode.closed_at is not None) == ("partial", True)


def test_a_resumed_session_goes_on_in_its_episode(home: Path) -> None:
    events = sessions(PROMPT, "Edit", {}, "done")["claude-code"]
    for event in [*events, *events]:
        hook(home, event)
    assert Event.objects.filter(episode=Episode.objects.get()).count() == 4


@pytest.mark.parametrize("tool", ["mcp__memos__memory_query", "mcp__plugin_memos_memos__memory_query"])
def test_the_tools_of_memos_itself_are_not_reported(home: Path, tool: str) -> None:
    _, before, after, _ = sessions(PROMPT, tool, {"text": "Acme"}, {})["claude-code"]
    assert (hook(home, before), hook(home, after)) == ({}, {})
    assert not Episode.objects.exists()


def test_a_long_result_is_cut(home: Path) -> None:
    hook(home, sessions(PROMPT, "Read", {}, "x" * 100_000)["claude-code"][2])
    assert Event.objects.get().result == "x" * 20_000


@pytest.fixture
def silent_server() -> Iterator[str]:
    """Takes connections and never says a word, until the test is over."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def dripping_server() -> Iterator[str]:
    """Says one byte at a time, so that no read takes long and the answer never ends."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            with suppress(OSError):  # closed, also while nobody has come
                connection, _ = server.accept()
                with connection:
                    while not over.wait(0.1):
                        connection.sendall(b"H")

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        over.set()


@pytest.mark.parametrize("server", ["gone", "silent_server", "dripping_server"])
@pytest.mark.parametrize("event", [0, 3])
def test_without_a_server_the_agent_goes_on(
    tmp_path: Path, request: pytest.FixtureRequest, server: str, event: int
) -> None:
    url = "http://127.0.0.1:9" if server == "gone" else request.getfixturevalue(server)
    connect(tmp_path, url, "memos_token")
    asked = json.dumps(sessions(PROMPT, "Bash", {}, {})["claude-code"][event])
    line = f"python3 {SCRIPTS}/memos_hook.py claude-code"
    ended = shell(tmp_path, line, stdin=asked, MEMOS_DEADLINE="0.5", **QUICK)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "{}\n", "")


def test_a_missed_deadline_is_told_on_stderr_and_in_the_episode(tmp_path: Path, silent_server: str) -> None:
    connect(tmp_path, silent_server, "memos_token")
    event = json.dumps(sessions(PROMPT, "Bash", {}, {})["claude-code"][0])
    line = f"python3 {SCRIPTS}/memos_hook.py claude-code"
    ended = shell(tmp_path, line, stdin=event, MEMOS_DEBUG="1", **QUICK)
    assert (ended.stdout, ended.stderr) == ("{}\n", "memos: not done within 0.5 seconds\n")
    kinds = [json.loads(report.read_text())["body"]["event_kind"] for report in waiting(tmp_path)]
    assert kinds == ["user_message", "memos_missed"]


def test_the_deadline_leaves_room_for_python_to_start_within_a_second() -> None:
    [deadline] = re.findall(r'"MEMOS_DEADLINE", "([0-9.]+)"', (SCRIPTS / "memos_hook.py").read_text())
    assert float(deadline) <= 0.5


@pytest.mark.parametrize("stdin", ["", "nonsense", "[]", "{}", '{"hook_event_name": "PreCompact", "session_id": "s"}'])
def test_what_is_not_understood_is_no_harm(home: Path, stdin: str) -> None:
    ended = shell(home, f"python3 {SCRIPTS}/memos_hook.py claude-code", stdin=stdin)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "{}\n", "")


def test_what_an_agent_in_the_background_reports_is_no_prompt(home: Path) -> None:
    prompt, *_ = sessions(PROMPT, "Edit", {}, "done")["claude-code"]
    hook(home, prompt)
    told = "<task-notification>\n<status>completed</status>\n<result>That did not work.</result>\n</task-notification>"
    assert hook(home, {**prompt, "prompt": told}) == {}
    hook(home, {**prompt, "prompt": f"Look at this: {told}"})
    events = Event.objects.order_by("position").values_list("kind", "role")
    assert list(events) == [("user_message", "user"), ("task_notification", ""), ("user_message", "user")]
    [state] = [json.loads(path.read_text()) for path in (home / ".memos" / "sessions").iterdir()]
    assert state["task"].startswith("Look at this")


@pytest.mark.parametrize(("settings", "reports"), [("python3 ~/.memos/memos_hook.py claude-code", 0), ("lint.sh", 1)])
def test_the_hook_of_a_plugin_is_silent_beside_that_of_the_persons_own_settings(
    home: Path, settings: str, reports: int
) -> None:
    plugin = home / "plugin"
    (plugin / ".claude-plugin").mkdir(parents=True)
    (plugin / ".claude-plugin" / "plugin.json").write_text("{}")
    shutil.copy(SCRIPTS / "memos_hook.py", plugin)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"Stop": [{"command": settings}]}}))
    prompt, *_ = sessions(PROMPT, "Edit", {}, "done")["claude-code"]
    shell(home, f"python3 {plugin}/memos_hook.py claude-code", stdin=json.dumps(prompt), **QUICK)
    deliver(home)
    assert Event.objects.count() == reports
    hook(home, prompt)  # of another place
    assert Event.objects.count() == reports + 1


def test_a_scope_is_told_and_asked(tmp_path: Path, live_server: Any) -> None:
    connect(tmp_path, live_server.url, make_agent(scopes=["project:a", "project:b"])[1], scope="project:b")
    for event in sessions(PROMPT, "Edit", {}, "done")["claude-code"]:
        hook(tmp_path, event)
    assert Episode.objects.get().scope == "project:b"


def test_nothing_is_written_but_what_is_remembered_of_the_session(home: Path) -> None:
    hook(home, {"session_id": "s2", "hook_event_name": "UserPromptSubmit", "prompt": PROMPT, **CLAUDE})
    assert {path.name for path in home.iterdir()} == {".memos"}
    assert {path.name for path in (home / ".memos").iterdir()} == {"config.json", "sessions", "spool"}
    assert waiting(home) == []
