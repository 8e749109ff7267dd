#!/usr/bin/env python3
"""Connect a coding agent of this computer with Memos, disconnect it, or say what arrives. Python 3.9+, nothing else.

    MEMOS_TOKEN=... memos_connect.py connect claude --url http://127.0.0.1:8000     [--project] [--scope S] [--trust]
    memos_connect.py disconnect claude [--project]
    memos_connect.py doctor [claude]

Agents: claude, codex, gemini, cursor, opencode, qwen, copilot. Their own configuration files get hooks and an MCP
server; what else stands there stays, the file as it was is kept beside it (`.before-memos`), and one that is not valid
is left alone and told. With --project it is the configuration of this folder. The token lies in ~/.memos/config.json
alone, which only its owner reads: hooks and the MCP server take it from there. Codex runs no hook that nobody has
trusted: --trust says so on your behalf, else it asks you at its next start.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Callable, NamedTuple

Json = dict[str, Any]
HOME = Path.home()
MEMOS = HOME / ".memos"
SCRIPTS = ("memos_hook.py", "memos_mcp.py", "memos_sync.py", "memos_opencode.js", "memos_connect.py")
BEGIN, END = "# >>> memos: written by `memos connect`", "# <<< memos"
SECONDS = 10  # that a hook may take at most; it keeps its own, shorter deadline
PYTHON = "python3" if shutil.which("python3") else sys.executable


class Left(Exception):
    """A file is left as it is: why."""


class Harness(NamedTuple):
    """`hooks`: event -> matcher ("" for none). Paths are relative to the home, or with --project to the folder."""

    source: str
    program: str
    settings: str
    mcp: str
    skills: str
    hooks: dict[str, str]
    form: str = "claude"  # of the hooks: claude, cursor, copilot, plugin
    unit: int = 1  # of timeouts: 1,000 where they are in milliseconds
    project_settings: str = ""
    project_mcp: str = ""
    project_skills: str = ""


OF_CLAUDE = dict.fromkeys(
    ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"), ""
)
HARNESSES = {
    "claude": Harness(
        "claude-code", "claude", ".claude/settings.json", ".claude.json", ".claude/skills",
        {**OF_CLAUDE, "PreToolUse": "Bash|Edit|Write|NotebookEdit|mcp__.*"},
        project_mcp=".mcp.json",
    ),
    "codex": Harness(
        "codex", "codex", ".codex/hooks.json", ".codex/config.toml", ".agents/skills",
        {name: "" for name in (*OF_CLAUDE, "PreToolUse") if name != "PostToolUseFailure"},
    ),
    "gemini": Harness(
        "gemini-cli", "gemini", ".gemini/settings.json", ".gemini/settings.json", ".gemini/skills",
        {**dict.fromkeys(("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"), ""),
         "BeforeTool": "run_shell_command|write_file|replace|mcp_.*"},
        unit=1_000,
    ),
    "qwen": Harness(
        "qwen-code", "qwen", ".qwen/settings.json", ".qwen/settings.json", ".qwen/skills",
        {**OF_CLAUDE, "PreToolUse": "run_shell_command|write_file|edit|mcp__.*"},
        unit=1_000,
    ),
    "cursor": Harness(
        "cursor", "cursor-agent", ".cursor/hooks.json", ".cursor/mcp.json", ".cursor/skills",
        dict.fromkeys(
            ("sessionStart", "beforeSubmitPrompt", "beforeShellExecution", "beforeMCPExecution", "afterShellExecution",
             "afterMCPExecution", "afterFileEdit", "stop"), ""),
        form="cursor",
    ),
    "copilot": Harness(
        "copilot", "copilot", ".copilot/hooks/memos.json", ".copilot/mcp-config.json", ".copilot/skills",
        dict.fromkeys(("sessionStart", "userPromptSubmitted", "postToolUse", "agentStop", "sessionEnd"), ""),
        form="copilot", project_settings=".github/hooks/memos.json", project_mcp=".mcp.json",
        project_skills=".github/skills",
    ),
    "opencode": Harness(
        "opencode", "opencode", ".config/opencode/plugin/memos.js", ".config/opencode/opencode.json",
        ".config/opencode/skills", {}, form="plugin",
        project_settings=".opencode/plugin/memos.js", project_mcp="opencode.json", project_skills=".opencode/skills",
    ),
}  # fmt: skip


class Place(NamedTuple):
    """Where the files of a harness lie."""

    name: str
    harness: Harness
    project: bool

    def _path(self, ours: str, of_project: str) -> Path:
        return Path.cwd() / (of_project or ours) if self.project else HOME / ours

    @property
    def settings(self) -> Path:
        return self._path(self.harness.settings, self.harness.project_settings)

    @property
    def mcp(self) -> Path:
        return self._path(self.harness.mcp, self.harness.project_mcp)

    @property
    def skills(self) -> Path:
        return self._path(self.harness.skills, self.harness.project_skills)


def script(name: str, *words: str) -> str:
    return " ".join([shlex.quote(PYTHON), shlex.quote(str(MEMOS / name)), *words])


# -- Files ------------------------------------------------------------------------------------------------------------


def read_settings(path: Path) -> Json:
    """Left: the file is there and is no JSON object."""
    if not path.exists() or not path.read_text().strip():
        return {}
    try:
        found = json.loads(path.read_text())
    except ValueError as error:
        raise Left(f"{path} is not valid JSON ({error}): it is left as it is. Mend it, and connect again") from None
    if not isinstance(found, dict):
        raise Left(f"{path} holds no JSON object: it is left as it is")
    return found


def write(path: Path, text: str) -> None:
    """Write it in one piece, with the rights that it had; keep the file as it was before the first time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    backup = path.with_name(f"{path.name}.before-memos")
    if path.exists() and not backup.exists():
        shutil.copy2(path, backup)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(text)
    if path.exists():
        shutil.copymode(path, fresh)
    fresh.replace(path)


def change(path: Path, work: Callable[[Json], None]) -> None:
    settings = read_settings(path)
    before = json.dumps(settings, sort_keys=True)
    work(settings)
    if json.dumps(settings, sort_keys=True) != before:
        write(path, json.dumps(settings, indent=2, ensure_ascii=False) + "\n")


def change_toml(path: Path, block: str) -> None:
    """Put the block between our marks, or with '' remove it. Left: the file is no TOML, or would be none."""
    text = path.read_text() if path.exists() else ""
    without = re.sub(rf"\n*{re.escape(BEGIN)}.*?{re.escape(END)}\n?", "\n", text, flags=re.DOTALL)
    whole = f"{without.rstrip()}\n\n{BEGIN}\n{block.strip()}\n{END}\n".lstrip() if block else without
    try:
        import tomllib  # from Python 3.11 on; before, the marks alone keep the file whole
    except ImportError:
        tomllib = None  # type: ignore[assignment]
    for part in (text, whole) if tomllib else ():
        try:
            tomllib.loads(part)
        except ValueError as error:
            raise Left(f"{path} is not valid TOML ({error}): it is left as it is. Mend it, and connect again") from None
    if whole != text:
        write(path, whole)


# -- Hooks and MCP ----------------------------------------------------------------------------------------------------


def without_ours(settings: Json) -> None:
    """Take our hooks out of the settings, and what is empty then."""
    hooks = settings.get("hooks")
    if not isinstance(hooks, dict):
        return
    for event in list(hooks):
        kept = []
        for group in hooks[event] if isinstance(hooks[event], list) else []:
            if "memos_hook.py" not in json.dumps(group):
                kept.append(group)
            elif inner := [one for one in group.get("hooks", []) if "memos_hook.py" not in json.dumps(one)]:
                kept.append({**group, "hooks": inner})
        hooks[event] = kept
        if not kept:
            del hooks[event]
    if not hooks:
        del settings["hooks"]


def with_ours(settings: Json, harness: Harness) -> None:
    without_ours(settings)
    hooks = settings.setdefault("hooks", {})
    for event, matcher in harness.hooks.items():
        line = script("memos_hook.py", harness.source, *([event] if harness.form == "copilot" else []))
        if harness.form == "claude":
            one = {"type": "command", "command": line, "timeout": SECONDS * harness.unit}
            entry: Json = {**({"matcher": matcher} if matcher else {}), "hooks": [one]}
        elif harness.form == "copilot":
            entry = {"type": "command", "bash": line, "timeoutSec": SECONDS}
        else:
            entry = {"command": line}
        hooks.setdefault(event, []).append(entry)
    if harness.form != "claude":
        settings.setdefault("version", 1)


def write_hooks(place: Place) -> None:
    if place.harness.form == "plugin":
        write(place.settings, (MEMOS / "memos_opencode.js").read_text())
    else:
        change(place.settings, lambda settings: with_ours(settings, place.harness))


def write_mcp(place: Place) -> None:
    words = [PYTHON, str(MEMOS / "memos_mcp.py")]
    if place.name == "codex":
        change_toml(place.mcp, f"[mcp_servers.memos]\ncommand = {json.dumps(words[0])}\nargs = {json.dumps(words[1:])}")
        return
    key = "mcpServers"
    entry: Json = {"command": words[0], "args": words[1:]}
    if place.name == "opencode":
        key, entry = "mcp", {"type": "local", "command": words, "enabled": True}
    elif place.name == "copilot":
        entry = {"type": "local", **entry, "tools": ["*"]}
    change(place.mcp, lambda settings: settings.setdefault(key, {}).update(memos=entry))


def remove(place: Place) -> None:
    """Take out what `connect` wrote: hooks, the MCP server, files of our own."""
    if place.harness.form in ("plugin", "copilot"):
        place.settings.unlink(missing_ok=True)
    elif place.settings.exists():
        change(place.settings, without_ours)
    if place.name == "codex":
        change_toml(place.mcp, "") if place.mcp.exists() else None
        return

    def without(settings: Json) -> None:
        for key in ("mcpServers", "mcp"):
            if (
                isinstance(settings.get(key), dict)
                and settings[key].pop("memos", None) is not None
                and not settings[key]
            ):
                del settings[key]

    if place.mcp.exists():
        change(place.mcp, without)


# -- Codex: what it has to trust --------------------------------------------------------------------------------------


def codex_hooks() -> list[Json]:
    """Our hooks as Codex lists them, with `trustStatus`; [] where there is no Codex to be asked."""
    if not shutil.which("codex"):
        return []
    asked = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "memos", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(Path.cwd())]}},
    ]
    pipes: Json = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(["codex", "app-server"], **pipes) as server:
        assert server.stdin and server.stdout
        try:
            server.stdin.write("".join(f"{json.dumps(one)}\n" for one in asked))
            server.stdin.flush()
            for line in server.stdout:
                answer = json.loads(line)
                if answer.get("id") == 2:
                    found = (answer.get("result") or {}).get("data") or []
                    return [
                        hook for one in found for hook in one["hooks"] if "memos_hook.py" in hook.get("command", "")
                    ]
        except (OSError, ValueError):
            pass
        finally:
            server.kill()
    return []


def trust_codex(place: Place) -> None:
    """Write that these very hooks are trusted, as Codex does when a person says so."""
    words = [PYTHON, str(MEMOS / "memos_mcp.py")]
    lines = ["[mcp_servers.memos]", f"command = {json.dumps(words[0])}", f"args = {json.dumps(words[1:])}"]
    for hook in codex_hooks():
        lines += ["", f"[hooks.state.{json.dumps(hook['key'])}]", f"trusted_hash = {json.dumps(hook['currentHash'])}"]
    change_toml(place.mcp, "\n".join(lines))


# -- The server -------------------------------------------------------------------------------------------------------


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        return bytes(answer.read())


def store_config(url: str, token: str, scope: str | None, place: Place) -> None:
    MEMOS.mkdir(mode=0o700, exist_ok=True)
    MEMOS.chmod(0o700)
    config = MEMOS / "config.json"
    known = read_settings(config)
    skills: Json = {**(known.get("skills") or {}), place.harness.source: str(place.skills)}
    told: Json = {**known, "url": url, "token": token, "skills": skills, **({} if scope is None else {"scope": scope})}
    fresh = MEMOS / f".config.{os.getpid()}"
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps(told, indent=2))
    fresh.replace(config)


def fetch_scripts(url: str) -> None:
    for name in SCRIPTS:
        (MEMOS / name).write_bytes(get(f"{url}/static/agents/{name}"))


class Checks:
    """Lines of a verdict; `failed` counts those that are not well."""

    def __init__(self) -> None:
        self.failed = 0

    def line(self, well: bool | None, text: str) -> None:
        """None: neither well nor wrong, but to be known."""
        self.failed += well is False
        print(f"{ {True: 'ok  ', False: 'NOT ', None: '    '}[well] }{text}", flush=True)


def play(checks: Checks, source: str) -> None:
    """A prompt and a call through the hook and back: what the server knows of them then."""
    sys.path.insert(0, str(MEMOS))
    from memos_hook import Refused, Server, Spool, counted  # what was fetched from this server

    server = Server()
    try:
        tools = server.ask("tools", within=SECONDS).get("results") or []
        checks.line(True, f"the server answers at {server.url} and takes the token ({len(tools)} tools)")
    except (Exception, Refused) as error:
        checks.line(False, f"the server at {server.url}: {str(error) or type(error).__name__}")
        return
    thread = f"memos-connect-{os.urandom(6).hex()}"
    events: list[Json] = [
        {"hook_event_name": "UserPromptSubmit", "prompt": "A round trip of memos connect"},
        {"hook_event_name": "PostToolUse", "tool_name": "ls", "tool_input": {}, "tool_response": "done"},
    ]
    begun = time.monotonic()
    line = [sys.executable, str(MEMOS / "memos_hook.py")]
    for event in events:
        subprocess.run([*line, source], input=json.dumps({"session_id": thread, **event}), text=True, check=False,
                       capture_output=True)  # fmt: skip
    subprocess.run([*line, "--send"], check=False, capture_output=True)
    found = server.ask(f"episodes?thread_id={thread}", within=SECONDS).get("results") or []
    seconds = time.monotonic() - begun
    arrived = found[0]["payload"]["event_count"] if found and "payload" in found[0] else len(found) and 2
    checks.line(bool(found), f"a prompt and a call through the hook: {arrived} events arrived, in {seconds:.1f} s")
    for episode in found:
        forget(server.url, server.token, episode["id"])
    waiting = len(Spool(server).waiting())
    checks.line(waiting == 0, f"{waiting} reports wait, {counted('dropped')} were dropped, "
                f"{counted('missed')} questions came back too late, all told")  # fmt: skip
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    bridge = subprocess.run([sys.executable, str(MEMOS / "memos_mcp.py")], input=f"{json.dumps(asked)}\n", text=True,
                            check=False, capture_output=True)  # fmt: skip
    listed = json.loads(bridge.stdout or "{}").get("result", {}).get("tools", [])
    checks.line(bool(listed), f"MCP lists {len(listed)} tools: {', '.join(tool['name'] for tool in listed)}")


def forget(url: str, token: str, id: str) -> None:
    request = urllib.request.Request(f"{url}/api/v1/memories/{id}", method="DELETE")
    request.add_unredirected_header("Authorization", f"Bearer {token}")
    try:
        urllib.request.urlopen(request, timeout=SECONDS).close()
    except urllib.error.URLError:
        pass  # a token that may not: the episode stays, named after what it is


# -- Commands ---------------------------------------------------------------------------------------------------------


def connect(place: Place, options: argparse.Namespace) -> int:
    checks = Checks()
    config = read_settings(MEMOS / "config.json")
    url = (options.url or os.environ.get("MEMOS_URL") or config.get("url") or "http://127.0.0.1:8000").rstrip("/")
    token = options.token or os.environ.get("MEMOS_TOKEN") or config.get("token")
    if not token:
        checks.line(False, f"no token: make one at {url}/agents/, and give it as MEMOS_TOKEN")
        return 1
    store_config(url, token, options.scope, place)
    try:
        fetch_scripts(url)
    except OSError as error:
        checks.line(False, f"the server at {url}: {error}. Nothing was changed")
        return 1
    for what, path, work in (("hooks", place.settings, write_hooks), ("MCP", place.mcp, write_mcp)):
        try:
            work(place)
            checks.line(True, f"{what}: {path}")
        except Left as error:
            checks.line(False, str(error))
    if place.name == "codex" and options.trust and not checks.failed:
        trust_codex(place)
    told = subprocess.run([sys.executable, str(MEMOS / "memos_sync.py"), str(place.skills)], check=False,
                          capture_output=True, text=True)  # fmt: skip
    checks.line(told.returncode == 0, f"skills: {place.skills}" + (f" ({told.stderr.strip()})" if told.stderr else ""))
    return doctor(place, checks)


def doctor(place: Place | None, checks: Checks | None = None) -> int:
    """Say line by line what works, from the harness to the server."""
    checks = checks or Checks()
    config = read_settings(MEMOS / "config.json")
    if not config.get("token") and not os.environ.get("MEMOS_TOKEN"):
        checks.line(False, "no agent of this computer is connected: `memos connect claude` (or another) does it")
        return 1
    play(checks, place.harness.source if place else "memos-doctor")
    if place is not None:
        hooked = place.settings.exists() and ("memos" in place.settings.read_text())
        checks.line(hooked, f"{place.settings} {'runs' if hooked else 'does not run'} the hook")
        if not shutil.which(place.harness.program):
            checks.line(None, f"there is no `{place.harness.program}` on the PATH: nothing said whether it reads this")
    if place is not None and place.name == "codex" and (hooks := codex_hooks()):
        trusted = sum(hook["trustStatus"] in ("trusted", "managed") for hook in hooks)
        how = (
            ""
            if trusted == len(hooks)
            else ": start `codex` and trust them, or connect with --trust; till then none runs"
        )
        checks.line(trusted == len(hooks), f"Codex trusts {trusted} of its {len(hooks)} hooks{how}")
    try:
        error = json.loads((MEMOS / "counts" / "error").read_text())
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(error["at"]))
        checks.line(None, f"the last delivery that failed, {when}: {error['error']}")
    except (OSError, ValueError, KeyError):
        pass
    return min(checks.failed, 1)


def disconnect(place: Place) -> int:
    try:
        remove(place)
    except Left as error:
        print(error)
        return 1
    print(f"{place.name} is disconnected. {MEMOS} keeps the token and what waits: delete it when no agent uses it")
    return 0


def main() -> int:
    os.umask(0o077)
    parser = argparse.ArgumentParser(prog="memos", description=(__doc__ or "").split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("connect", "disconnect", "doctor"):
        command = commands.add_parser(name)
        command.add_argument("agent", choices=sorted(HARNESSES), nargs="?" if name == "doctor" else None)
        command.add_argument("--project", action="store_true", help="the configuration of this folder")
        if name == "connect":
            command.add_argument("--url", help="of the server")
            command.add_argument("--token", help="better given as MEMOS_TOKEN: others see arguments")
            command.add_argument("--scope", help="of what it reports and asks")
            command.add_argument("--trust", action="store_true", help="let Codex trust these hooks")
    options = parser.parse_args()
    place = Place(options.agent, HARNESSES[options.agent], options.project) if options.agent else None
    if options.command == "doctor":
        return doctor(place)
    assert place is not None
    return connect(place, options) if options.command == "connect" else disconnect(place)


if __name__ == "__main__":
    sys.exit(main())
