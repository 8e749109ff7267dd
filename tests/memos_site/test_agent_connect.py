"""One command connects an agent: its own configuration is merged and kept, a round trip is played, and it is undone."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memories.models import Episode
from tests.make import make_agent, make_skill
from tests.memos_site.harness import SCRIPTS, shell

pytestmark = pytest.mark.django_db(transaction=True)
AGENTS = ["claude", "codex", "gemini", "qwen", "cursor", "copilot", "opencode"]
OWN = {"theme": "dark", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}


def command(home: Path, words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return shell(home, f"python3 {SCRIPTS}/memos_connect.py {words}", MEMOS_DEADLINE="30", **environment)


def files(home: Path) -> dict[str, str]:
    """What lies in a home beside ~/.memos, and beside what was kept."""
    found = (path for path in home.rglob("*") if path.is_file() and ".memos" not in path.parts)
    return {str(path.relative_to(home)): path.read_text() for path in found if not path.name.endswith(".before-memos")}


def test_each_agent_is_connected_with_one_command_and_disconnected_with_another(
    tmp_path: Path, live_server: Any
) -> None:
    make_skill()
    token = make_agent()[1]
    for agent in AGENTS:
        home = tmp_path / agent
        home.mkdir()
        told = command(home, f"connect {agent} --url {live_server.url}", MEMOS_TOKEN=token)
        lines = [line for line in told.stdout.splitlines() if not line.startswith("ok  ")]
        assert (told.returncode, told.stderr) == (0, ""), (agent, told.stdout)
        assert [line for line in lines if line.startswith("NOT ")] == []
        assert "a prompt and a call through the hook: " in told.stdout
        assert "MCP lists " in told.stdout
        written = files(home)
        assert any(name.endswith("skills/book-flight/SKILL.md") for name in written)
        assert [name for name, text in written.items() if token in text] == []  # it lies in one file alone
        config = home / ".memos" / "config.json"
        assert (json.loads(config.read_text())["token"], config.stat().st_mode & 0o777) == (token, 0o600)
        assert command(home, f"connect {agent}").returncode == 0
        assert files(home) == written  # again changes nothing
        assert command(home, f"disconnect {agent}").returncode == 0
        assert [name for name, text in files(home).items() if "memos_" in text] == []
    assert not Episode.objects.exists()  # round trips are forgotten


def test_the_command_may_be_saved_anywhere_on_a_computer_without_memos(tmp_path: Path, live_server: Any) -> None:
    saved = tmp_path / "connect.py"
    saved.write_bytes((SCRIPTS / "memos_connect.py").read_bytes())
    told = shell(tmp_path, f"python3 {saved} connect claude --url {live_server.url} --token {make_agent()[1]}")
    assert (told.returncode, told.stderr) == (0, "")


def test_what_stands_in_the_configuration_stays_and_is_kept(tmp_path: Path, live_server: Any) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    toml = tmp_path / ".codex" / "config.toml"
    for path, text in (
        (settings, json.dumps(OWN)),
        (toml, 'model = "gpt-5.4"\n\n[mcp_servers.other]\ncommand = "x"\n'),
    ):
        path.parent.mkdir()
        path.write_text(text)
    own = {path: path.read_text() for path in (settings, toml)}
    for agent in ("claude", "codex"):
        assert command(tmp_path, f"connect {agent} --url {live_server.url} --token {make_agent()[1]}").returncode == 0
    told = json.loads(settings.read_text())
    assert (told["theme"], len(told["hooks"]["Stop"])) == ("dark", 2)
    assert toml.read_text().startswith(own[toml])
    assert "[mcp_servers.memos]" in toml.read_text()
    for agent, path in (("claude", settings), ("codex", toml)):
        assert path.with_name(f"{path.name}.before-memos").read_text() == own[path]
        assert command(tmp_path, f"disconnect {agent}").returncode == 0
    assert json.loads(settings.read_text()) == OWN
    assert toml.read_text().strip() == own[toml].strip()


@pytest.mark.parametrize(
    ("agent", "file", "text", "says"),
    [
        ("claude", ".claude/settings.json", '{"theme": ', "is not valid JSON"),
        ("gemini", ".gemini/settings.json", "// mine\n{}", "is not valid JSON"),
        ("cursor", ".cursor/mcp.json", "[]", "holds no JSON object"),
        ("codex", ".codex/config.toml", "model = \n", "is not valid TOML"),
    ],
)
def test_a_file_that_is_not_valid_is_left_alone_and_told(
    tmp_path: Path, live_server: Any, agent: str, file: str, text: str, says: str
) -> None:
    path = tmp_path / file
    path.parent.mkdir()
    path.write_text(text)
    told = command(tmp_path, f"connect {agent} --url {live_server.url} --token {make_agent()[1]}")
    assert (told.returncode, path.read_text()) == (1, text)
    assert says in told.stdout


def test_a_project_is_connected_in_its_own_folder(tmp_path: Path, live_server: Any) -> None:
    make_agent()
    line = f"connect claude --project --url {live_server.url} --token {make_agent()[1]}"
    folder = tmp_path / "project"
    folder.mkdir()
    ended = shell(tmp_path, f"cd project && python3 {SCRIPTS}/memos_connect.py {line}", MEMOS_DEADLINE="30")
    assert ended.returncode == 0, ended.stdout
    assert {".claude/settings.json", ".mcp.json"} <= set(files(folder))


@pytest.mark.parametrize(("url", "token"), [("http://127.0.0.1:9", "memos_x"), ("", "memos_x")])
def test_without_a_server_or_with_a_wrong_token_it_says_what_is_wrong(
    tmp_path: Path, live_server: Any, url: str, token: str
) -> None:
    told = command(tmp_path, f"connect claude --url {url or live_server.url} --token {token}")
    assert told.returncode == 1
    assert "NOT the server at " in told.stdout
    assert command(tmp_path, "doctor claude").returncode == 1


def test_who_is_not_connected_is_told_how(tmp_path: Path) -> None:
    told = command(tmp_path, "doctor")
    assert (told.returncode, told.stdout.startswith("NOT no agent of this computer is connected")) == (1, True)
