"""The real agents: how each is pointed at a fake model, what it calls its tools, and one session of it."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.agents.model import fake_model
from tests.agents.protocols import Call, Json
from tests.memos_site.harness import SCRIPTS

QUESTION = {"task": "Fix add for Acme"}
LIST, TEST = "ls -la", "python3 test_add.py"
WRONG, MENDED, STILL_WRONG = "a - b", "a + b", "a * b"
LONGEST = 900  # seconds of a session; a bound for what hangs


def _edit(path: str, old: str, new: str, **more: str) -> Callable[[str, str], Json]:
    return lambda file, wanted: {path: file, old: WRONG, new: wanted, **more}


@dataclass(frozen=True)
class Agent:
    """`run`, `edit`, `query`: the names of its tools. `sessions`: its command lines, of which later ones resume."""

    name: str
    source: str
    sessions: tuple[tuple[str, ...], ...]
    run: str
    edit: str
    edit_arguments: Callable[[str, str], Json]  # of a file, and what it is to say
    query: str
    prepare: Callable[[Path, str], dict[str, str]]
    run_arguments: Mapping[str, Any] = field(default_factory=lambda: {"description": "run"})
    command: str = "command"
    namespace: str = ""
    read: tuple[str, str] = ("", "")  # its tool that reads a file, and the name of that argument, where edits want it

    def script(self, file: str, wanted: str) -> list[Call]:
        """A failing test, a look, an edit, the test again, a question by MCP, and a list of files at the end."""

        def ran(line: str) -> Call:
            return Call(self.run, {self.command: line, **self.run_arguments})

        tool, argument = self.read
        look = [Call(tool, {argument: file})] if tool else []
        edit = Call(self.edit, self.edit_arguments(file, wanted))
        return [ran(TEST), *look, edit, ran(TEST), Call(self.query, QUESTION, namespace=self.namespace), ran(LIST)]


def _claude(_home: Path, url: str) -> dict[str, str]:
    quiet = {"IS_SANDBOX": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "x", **quiet}


def _codex(home: Path, url: str) -> dict[str, str]:
    provider = (
        f'[model_providers.fake]\nname = "fake"\nbase_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "KEY"\n'
    )
    _write(home / ".codex" / "config.toml", f'model = "gpt-5.4"\nmodel_provider = "fake"\n{provider}')
    return {"KEY": "x"}


def _gemini(home: Path, url: str) -> dict[str, str]:
    _write(home / ".gemini" / "settings.json", json.dumps(_quiet("gemini-api-key")))
    known = {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "x", "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    return {**known, "GEMINI_CLI_NO_RELAUNCH": "true"}  # with more memory, for which it would load itself a second time


def _qwen(home: Path, url: str) -> dict[str, str]:
    _write(home / ".qwen" / "settings.json", json.dumps(_quiet("openai")))
    known = {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "x", "OPENAI_MODEL": "m"}
    return {**known, "QWEN_CODE_NO_RELAUNCH": "true"}  # as Gemini CLI


def _quiet(kind: str) -> Json:
    quiet = {"telemetry": {"enabled": False}, "privacy": {"usageStatisticsEnabled": False}}
    return {"security": {"auth": {"selectedType": kind}}, "general": {"disableAutoUpdate": True}, **quiet}


def _opencode(home: Path, url: str) -> dict[str, str]:
    options = {"baseURL": f"{url}/v1", "apiKey": "x"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": options, "models": {"m": {"name": "m"}}}
    settings = {"provider": {"fake": provider}, "model": "fake/m", "autoupdate": False, "share": "disabled"}
    folder = home / ".config" / "opencode"
    _write(folder / "opencode.json", json.dumps(settings))
    _with_plugin_package(folder)
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}


def _with_plugin_package(folder: Path) -> None:
    """What opencode would else fetch from npm into each new home, with all that it depends on; ours imports none of it.

    It looks whether the folder is there and the lock file names the package.
    """
    wanted = {"dependencies": {"@opencode-ai/plugin": "*"}}
    (folder / "node_modules").mkdir()
    _write(folder / "package.json", json.dumps(wanted))
    _write(folder / "package-lock.json", json.dumps({"lockfileVersion": 3, "packages": {"": wanted}}))


def _copilot(_home: Path, url: str) -> dict[str, str]:
    provider = {"BASE_URL": f"{url}/v1", "TYPE": "openai", "API_KEY": "x"}
    named = {f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()}
    return {**named, "COPILOT_MODEL": "m", "COPILOT_OFFLINE": "true"}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


PROMPT = "Fix add for Acme"
_CLAUDE = ("claude", "--dangerously-skip-permissions", "-p")
_CODEX = ("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
AGENTS = [
    Agent(
        "claude", "claude-code", ((*_CLAUDE, PROMPT), (*_CLAUDE, "Thanks", "-c")), "Bash", "Edit",
        _edit("file_path", "old_string", "new_string"), "mcp__memos__context", _claude,
        read=("Read", "file_path"),
    ),
    Agent(
        "codex", "codex", ((*_CODEX, PROMPT), (*_CODEX, "resume", "--last", "Thanks")), "exec_command", "exec_command",
        lambda _file, wanted: {"cmd": f"sed -i 's/{WRONG}/{wanted}/' add.py"},
        "context", _codex, {}, "cmd", "mcp__memos",
    ),
    Agent(
        "gemini", "gemini-cli", (("gemini", "-y", "-p", PROMPT),), "run_shell_command", "replace",
        _edit("file_path", "old_string", "new_string", instruction="fix"), "mcp_memos_context", _gemini,
    ),
    Agent(
        "qwen", "qwen-code", (("qwen", "-y", "-p", PROMPT),), "run_shell_command", "edit",
        _edit("file_path", "old_string", "new_string"), "mcp__memos__context", _qwen,
        {"description": "run", "is_background": False}, read=("read_file", "file_path"),
    ),
    Agent(
        "opencode", "opencode", (("opencode", "run", PROMPT),), "bash", "edit",
        _edit("filePath", "oldString", "newString"), "memos_context", _opencode,
        read=("read", "filePath"),
    ),
    Agent(
        "copilot", "copilot", (("copilot", "-p", PROMPT, "--allow-all-tools"),), "bash", "edit",
        _edit("path", "old_str", "new_str"), "memos-context", _copilot,
    ),
]  # fmt: skip


@dataclass
class Session:
    """What came of the sessions of one agent: what was said, and what it sent to the model."""

    agent: Agent
    connected: str
    printed: str
    returned: list[int]
    requests: list[tuple[str, Json]]
    offered: set[str]
    wanted: str  # what the edit was to write
    file: str


def environment(home: Path, programs: Path, **more: str) -> dict[str, str]:
    node = Path(shutil.which("node") or "/usr/bin/node").parent
    path = f"{programs}:{Path(sys.executable).parent}:{node}:/usr/bin:/bin"
    return {"HOME": str(home), "PATH": path, "TERM": "dumb", "LANG": "C.UTF-8", "MEMOS_KEEP_TRYING": "20", **more}


def repository(home: Path) -> Path:
    folder = home / "repo"
    folder.mkdir(parents=True)
    (folder / "add.py").write_text("def add(a, b):\n    return a - b\n")
    (folder / "test_add.py").write_text(
        'from add import add\nassert add(2, 3) == 5, "add is wrong"\nprint("1 passed")\n'
    )
    (folder / "README.md").write_text("# add\n")
    who = "-c user.email=a@example.com -c user.name=a"
    subprocess.run(f"git init -q . && git add -A && git {who} commit -qm x", shell=True, cwd=folder, check=True)
    return folder


Connect = Callable[[Path, dict[str, str]], subprocess.CompletedProcess[str]]


def play(
    agent: Agent,
    home: Path,
    programs: Path,
    url: str,
    token: str,
    *,
    by: Connect | None = None,
    wanted: str = MENDED,
    **more: str,
) -> Session:
    """Connect the agent, `by` what is told its folder and its environment, else by `memos connect`; then let it work
    in a repository. `more` is environment of the sessions."""
    folder = repository(home)
    with fake_model(agent.script(str(folder / "add.py"), wanted)) as model:
        known = {**environment(home, programs), **agent.prepare(home, model.url)}
        connect = [sys.executable, str(SCRIPTS / "memos_connect.py"), "connect", agent.name, "--url", url, "--trust"]
        with_token = {
            **known,
            "MEMOS_TOKEN": token,
            "MEMOS_DEADLINE": "30",
        }  # its round trip counts what comes too late
        connected = by(folder, with_token) if by else run(connect, folder, with_token)
        ended = [run(list(line), folder, {**known, **more}) for line in agent.sessions]
    run([sys.executable, str(SCRIPTS / "memos_hook.py"), "--send"], folder, known)
    printed = "\n".join(f"{one.stdout}\n{one.stderr}" for one in ended)
    codes = [one.returncode for one in ended]
    file = (folder / "add.py").read_text()
    told = connected.stdout + connected.stderr
    return Session(agent, told, printed, codes, model.requests, model.offered, wanted, file)


def run(line: list[str], folder: Path, known: dict[str, str]) -> subprocess.CompletedProcess[str]:
    options: Json = {"cwd": folder, "env": known, "stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
    return subprocess.run(line, check=False, timeout=LONGEST, **options)


UNPACKED_BY = {"@anthropic-ai/claude-code": "install.cjs", "opencode-ai": "postinstall.mjs"}


def folder_of_programs() -> Path:
    """Where they are installed: a folder for each lock file."""
    lock = (Path(__file__).parent / "package-lock.json").read_bytes()
    return Path(tempfile.gettempdir()) / f"memos-agents-{hashlib.sha256(lock).hexdigest()[:16]}"


def install() -> str:
    """Install the agents as the lock file pins them, one process for all; "" when that is done, else why it is not."""
    if not shutil.which("npm") or not shutil.which("node"):
        return "npm is missing"
    folder = folder_of_programs()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return "" if (folder / "installed").exists() else _installed(folder)


def _installed(folder: Path) -> str:
    here = Path(__file__).parent
    for name in ("package.json", "package-lock.json"):
        shutil.copy(here / name, folder)
    line = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    ended = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False, env=dict(os.environ))
    if ended.returncode:
        return f"the registry of npm did not give the agents: {ended.stderr.strip()[-300:]}"
    for package, script in UNPACKED_BY.items():  # npm asks before it runs them
        subprocess.run(["node", script], cwd=folder / "node_modules" / package, capture_output=True, check=True)
    (folder / "installed").touch()
    return ""


if __name__ == "__main__":
    print(install(), end="")
