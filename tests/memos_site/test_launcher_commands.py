"""The daily verbs of the command `memos`: what they print, where they find the token, what they refuse."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from memories.models import Episode
from memos_site.launcher import commands
from memos_site.launcher.client import Memos
from tests.make import make_agent, make_skill
from tests.memos_site.harness import SCRIPTS, shell

pytestmark = pytest.mark.django_db(transaction=True)
KEYRING = """
import json, pathlib
from keyring.backend import KeyringBackend

class Keyring(KeyringBackend):
    priority = 1
    file = pathlib.Path(__file__).with_suffix(".json")
    def set_password(self, service, name, password):
        self.file.write_text(json.dumps({f"{service} {name}": password}))
    def get_password(self, service, name):
        return json.loads(self.file.read_text()).get(f"{service} {name}") if self.file.exists() else None
"""


@pytest.fixture
def home(tmp_path: Path, live_server: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of nobody's; the environment says where the server is."""
    for name, value in {"HOME": tmp_path, "MEMOS_URL": live_server.url, "MEMOS_TOKEN": make_agent()[1]}.items():
        monkeypatch.setenv(name, str(value))
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Its errors are its own lines: the server of the tests may tell there of a client that went away."""
    code = commands.run(words, scripts=SCRIPTS)
    printed = capsys.readouterr()
    own = (line for line in printed.err.splitlines(keepends=True) if line.startswith("memos: "))
    return code, printed.out, "".join(own)


def test_a_statement_is_stored_found_and_stands_in_the_context(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, stored, _none = told(capsys, "store", "acme-terms", "Acme pays on net-30 terms", "--source", "ci")
    assert (code, stored.split()[0], stored.split()[2]) == (0, "stored:", "candidate")
    assert told(capsys, "search", "When does Acme pay?")[1] == ""  # nobody has confirmed it
    _code, found, _none = told(capsys, "search", "When does Acme pay?", "--candidates")
    assert found.rstrip().endswith(f"{stored.split()[1]}  Acme pays on net-30 terms")
    whole = json.loads(told(capsys, "context", "Write to Acme", "--json")[1])
    assert (whole["memory_status"], told(capsys, "context", "Write to Acme")[:2]) == ("ok", (0, ""))


def test_a_keyring_that_is_gone_is_told_in_a_line(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".memos").mkdir()
    gone = {"url": os.environ["MEMOS_URL"], "token_command": [str(home / "gone")]}
    (home / ".memos" / "config.json").write_text(json.dumps(gone))
    monkeypatch.delenv("MEMOS_TOKEN")
    code, _out, error = told(capsys, "context", "Write to Acme")
    assert code == 1 and error.startswith("memos: the keyring does not tell the token: ")


def test_a_long_text_comes_on_standard_input(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Acme pays on net-60 terms\n"))
    answer = json.loads(told(capsys, "store", "acme-terms", "-", "--json", "--category", "fact")[1])
    assert answer["memory"]["content"] == "Acme pays on net-60 terms"


def test_an_outcome_is_said_of_an_episode_or_of_a_thread(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for thread in ("a", "b"):
        event = {"source": "ci", "thread_id": thread, "event_kind": "user_message", "ref": thread, "summary": "Go"}
        with Memos() as client:
            client.call("events", event)
    first, second = Episode.objects.order_by("thread_id")
    assert told(capsys, "outcome", str(first.pk), "failure", "--note", "red")[0] == 0
    assert told(capsys, "outcome", "--thread", "b", "success")[0] == 0
    assert list(Episode.objects.order_by("thread_id").values_list("outcome", flat=True)) == ["failure", "success"]
    code, _none, said = told(capsys, "outcome", "--thread", "c", "success")
    assert (code, said) == (1, "memos: no episode of the thread 'c'\n")
    assert second.thread_id == "b"


def test_skills_are_synced_into_a_folder_or_into_those_of_connected_agents(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_skill()
    assert told(capsys, "skills", "sync")[::2] == (
        1,
        "memos: name a folder, such as ~/.claude/skills, or `memos connect` an agent\n",
    )
    assert told(capsys, "skills", "sync", "~/skills")[:2] == (0, "book-flight: version 1\n")
    assert (home / "skills" / "book-flight" / "SKILL.md").exists()
    (home / ".memos").mkdir()
    (home / ".memos" / "config.json").write_text(json.dumps({"skills": {"claude-code": str(home / "of-claude")}}))
    assert told(capsys, "skills", "sync")[0] == 0
    assert (home / "of-claude" / "book-flight" / "SKILL.md").exists()


def test_a_folder_that_cannot_be_written_is_told_in_a_line_and_synced_once_it_can(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_skill()
    (home / "file").write_text("no folder")
    code, _none, said = told(capsys, "skills", "sync", "~/file")
    assert (code, said) == (1, f"memos: [Errno 17] File exists: '{home}/file'\n")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", full)
        assert told(capsys, "skills", "sync", "~/skills")[::2] == (1, "memos: [Errno 28] No space left on device\n")
    assert told(capsys, "skills", "sync", "~/skills")[:2] == (0, "book-flight: version 1\n")


def test_what_is_refused_and_a_server_that_is_away_are_said_in_one_line(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _none, said = told(capsys, "store", "k", "")
    assert (code, said.startswith("memos: 400 invalid: content"), said.count("\n")) == (1, True, 1)
    monkeypatch.setattr("memos_site.launcher.client.TRIES", 1)
    for address in ("http://127.0.0.1:9", "http://127.0.0.1:80O0"):
        code, _none, said = told(capsys, "search", "x", "--url", address)
        assert (code, said.count("\n")) == (1, 1)
    monkeypatch.delenv("MEMOS_TOKEN")
    assert told(capsys, "search", "x")[0] == 1
    (home / ".memos").mkdir()
    (home / ".memos" / "config.json").write_text("{")
    code, _none, said = told(capsys, "search", "x")
    assert (code, "config.json is not valid JSON" in said) == (1, True)


def test_what_connect_wrote_is_known_to_the_commands_but_for_its_own_address_alone(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, live_server: Any
) -> None:
    (home / ".memos").mkdir()
    told_by_connect = {"url": live_server.url, "token": make_agent("another")[1]}
    (home / ".memos" / "config.json").write_text(json.dumps(told_by_connect))
    for name in ("MEMOS_URL", "MEMOS_TOKEN"):
        monkeypatch.delenv(name)
    assert told(capsys, "search", "x")[0] == 0
    assert "no token for http://127.0.0.1:9" in told(capsys, "search", "x", "--url", "http://127.0.0.1:9")[2]


def test_a_token_in_the_keyring_lies_in_no_file_and_hooks_and_commands_find_it(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, live_server: Any
) -> None:
    make_skill()
    (home / "kept").mkdir()
    (home / "kept" / "kept_there.py").write_text(KEYRING)
    token = make_agent("keyring")[1]
    where = {"PYTHON_KEYRING_BACKEND": "kept_there.Keyring", "PYTHONPATH": str(home / "kept"), "MEMOS_DEADLINE": "30"}
    line = f"python3 {SCRIPTS}/memos_connect.py connect claude --url {live_server.url}"
    ended = shell(home, line, MEMOS_TOKEN=token, **where)
    assert (ended.returncode, "the token lies in the keyring" in ended.stdout) == (0, True), ended.stdout
    lines = shell(home, f"python3 {SCRIPTS}/memos_connect.py doctor claude", **where)  # hook and MCP server
    assert (lines.returncode, "takes the token" in lines.stdout, "MCP lists" in lines.stdout) == (0, True, True)
    holding = [path for path in home.rglob("*") if path.is_file() and token in path.read_text(errors="replace")]
    assert holding == [home / "kept" / "kept_there.json"]
    for name in ("MEMOS_URL", "MEMOS_TOKEN"):
        monkeypatch.delenv(name)
    for name, value in where.items():
        monkeypatch.setenv(name, value)
    assert told(capsys, "search", "x")[0] == 0
