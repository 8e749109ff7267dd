#!/usr/bin/env python3
"""Connect a coding agent of this computer with Memos, disconnect it, or say what arrives. Python 3.9+, nothing else.

    MEMOS_TOKEN=... memos_connect.py connect claude --url http://127.0.0.1:8000     [--project] [--scope S] [--trust]
    memos_connect.py disconnect claude [--project]
    memos_connect.py doctor [claude]

Agents: claude, codex, gemini, cursor, opencode, qwen, copilot. Their own configuration files get hooks and an MCP
server; what else stands there stays, the file as it was is kept beside it (`.before-memos`), and one that is not valid
is left alone and told. With --project it is the configuration of this folder. The token lies in one place: the system's
keyring where Python's `keyring` is installed and gives it back, else ~/.memos/config.json, which only its owner reads;
hooks and the MCP server take it from there. Codex runs no hook that nobody has trusted: --trust says so on your behalf,
else it asks you at its next start.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memos_harnesses import Place

Json = dict[str, Any]
MEMOS = Path.home() / ".memos"
SCRIPTS = (
    "memos_hook.py",
    "memos_mcp.py",
    "memos_sync.py",
    "memos_opencode.js",
    "memos_harnesses.py",
    "memos_connect.py",
)
AGENTS = ("claude", "codex", "copilot", "cursor", "gemini", "opencode", "qwen")
SECONDS = 10  # of one request
SERVICE = "memos"  # as which the keyring knows the token, with the address as the name
sys.path[:0] = [str(Path(__file__).resolve().parent), str(MEMOS)]  # memos_harnesses: beside this file, else as fetched


# -- The server -------------------------------------------------------------------------------------------------------


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        return bytes(answer.read())


def read_config() -> Json:
    """What was written by an earlier `connect`. SystemExit: it is no JSON object."""
    path = MEMOS / "config.json"
    try:
        return dict(json.loads(path.read_text())) if path.exists() else {}
    except (ValueError, TypeError) as error:
        raise SystemExit(f"{path} is not valid JSON ({error}): mend or delete it") from None


def token_of(config: Json) -> str:
    """The token that an earlier `connect` put into the keyring or the file; "" for none."""
    return str(config.get("token") or "") or output_of(config.get("token_command") or [])


def output_of(line: list[str]) -> str:
    if not line:
        return ""
    try:
        result = subprocess.run(line, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout.strip()


def put_into_keyring(url: str, token: str) -> list[str]:
    """The command that tells the token again, which hooks run; []: no keyring here, or none that gives it back."""
    try:
        import keyring

        keyring.set_password(SERVICE, url, token)
    except Exception:  # not installed, no keyring of this system, or one that is locked
        return []
    for line in (
        ["security", "find-generic-password", "-s", SERVICE, "-a", url, "-w"],
        ["secret-tool", "lookup", "service", SERVICE, "username", url],
        [sys.executable, "-m", "keyring", "get", SERVICE, url],  # slower: a Python for each call of a hook
    ):
        if output_of(line) == token:
            return line
    return []


def store_config(url: str, token: str, scope: str | None, place: Place) -> str:
    """Where the token lies now."""
    config = MEMOS / "config.json"
    former = {name: value for name, value in read_config().items() if name not in ("token", "token_command")}
    skills: Json = {**(former.get("skills") or {}), place.harness.source: str(place.skills)}
    command = put_into_keyring(url, token)
    entry: Json = {"token_command": command} if command else {"token": token}
    values: Json = {**former, "url": url, **entry, "skills": skills, **({} if scope is None else {"scope": scope})}
    draft = MEMOS / f".config.{os.getpid()}"
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(values, indent=2))
    draft.replace(config)
    return "the keyring of this system" if command else str(config)


def fetch_scripts(url: str) -> None:
    contents = {name: get(f"{url}/static/agents/{name}") for name in SCRIPTS}
    MEMOS.mkdir(mode=0o700, exist_ok=True)
    MEMOS.chmod(0o700)
    for name, content in contents.items():
        (MEMOS / name).write_bytes(content)
    importlib.invalidate_caches()  # Python remembers of a folder in its path that it was not there


class Checks:
    """Lines of a verdict; `failed` counts those that are not well."""

    def __init__(self) -> None:
        self.failed = 0

    def line(self, well: bool | None, text: str) -> None:
        """None: neither well nor wrong, but to be known."""
        self.failed += well is False
        print(f"{ {True: 'ok  ', False: 'NOT ', None: '    '}[well] }{text}", flush=True)


def play(checks: Checks, source: str) -> None:
    """Send a prompt and a call through the hook, and check that the server has stored both."""
    sys.path.insert(0, str(MEMOS))  # before what lies beside this file
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
    start = time.monotonic()
    line = [sys.executable, str(MEMOS / "memos_hook.py")]
    for event in events:
        subprocess.run([*line, source], input=json.dumps({"session_id": thread, **event}), text=True, check=False,
                       capture_output=True)  # fmt: skip
    subprocess.run([*line, "--send"], check=False, capture_output=True)
    episodes = server.ask(f"episodes?thread_id={thread}", within=SECONDS).get("results") or []
    seconds = time.monotonic() - start
    count = episodes[0]["payload"]["event_count"] if episodes and "payload" in episodes[0] else len(episodes) and 2
    checks.line(bool(episodes), f"a prompt and a call through the hook: {count} events arrived, in {seconds:.1f} s")
    for episode in episodes:
        forget(server.url, server.token, episode["id"])
    waiting_count = len(Spool(server).waiting())
    checks.line(waiting_count == 0, f"{waiting_count} reports wait, {counted('dropped')} were dropped, "
                f"{counted('missed')} questions came back too late, all told")  # fmt: skip
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    bridge = subprocess.run([sys.executable, str(MEMOS / "memos_mcp.py")], input=f"{json.dumps(request)}\n", text=True,
                            check=False, capture_output=True)  # fmt: skip
    mcp_tools = json.loads(bridge.stdout or "{}").get("result", {}).get("tools", [])
    checks.line(bool(mcp_tools), f"MCP lists {len(mcp_tools)} tools: {', '.join(tool['name'] for tool in mcp_tools)}")


def forget(url: str, token: str, id: str) -> None:
    request = urllib.request.Request(f"{url}/api/v1/memories/{id}", method="DELETE")
    request.add_unredirected_header("Authorization", f"Bearer {token}")
    try:
        urllib.request.urlopen(request, timeout=SECONDS).close()
    except urllib.error.URLError:
        pass  # a token that may not: the episode stays, named after what it is


# -- Commands ---------------------------------------------------------------------------------------------------------


def connect(options: argparse.Namespace) -> int:
    checks, config = Checks(), read_config()
    url = (options.url or os.environ.get("MEMOS_URL") or config.get("url") or "http://127.0.0.1:8000").rstrip("/")
    token = options.token or os.environ.get("MEMOS_TOKEN") or token_of(config)
    if not token:
        checks.line(False, f"no token: make one at {url}/agents/, and give it as MEMOS_TOKEN")
        return 1
    try:
        fetch_scripts(url)
    except OSError as error:
        checks.line(False, f"the server at {url}: {error}. Nothing was changed")
        return 1
    from memos_harnesses import UnusableFile, trust_codex, write_hooks, write_mcp

    place = place_of(options)
    checks.line(True, f"the token lies in {store_config(url, token, options.scope, place)}")
    for part, path, work in (("hooks", place.settings, write_hooks), ("MCP", place.mcp, write_mcp)):
        try:
            work(place)
            checks.line(True, f"{part}: {path}")
        except UnusableFile as error:
            checks.line(False, str(error))
    if place.name == "codex" and options.trust and not checks.failed:
        trust_codex(place)
    sync = subprocess.run([sys.executable, str(MEMOS / "memos_sync.py"), str(place.skills)], check=False,
                          capture_output=True, text=True)  # fmt: skip
    checks.line(sync.returncode == 0, f"skills: {place.skills}" + (f" ({sync.stderr.strip()})" if sync.stderr else ""))
    return doctor(place, checks)


def doctor(place: Place | None, checks: Checks | None = None) -> int:
    """Say line by line what works, from the harness to the server."""
    checks = checks or Checks()
    if not os.environ.get("MEMOS_TOKEN") and not token_of(read_config()):
        checks.line(False, "no agent of this computer is connected: `memos connect claude` (or another) does it")
        return 1
    play(checks, place.harness.source if place else "memos-doctor")
    if place is not None:
        is_hooked = place.settings.exists() and ("memos" in place.settings.read_text())
        checks.line(is_hooked, f"{place.settings} {'runs' if is_hooked else 'does not run'} the hook")
        if not shutil.which(place.harness.program):
            checks.line(None, f"there is no `{place.harness.program}` on the PATH: nothing said whether it reads this")
    if place is not None and place.name == "codex":
        _say_trust(checks)
    try:
        error = json.loads((MEMOS / "counts" / "error").read_text())
        time_of_error = time.strftime("%Y-%m-%d %H:%M", time.localtime(error["at"]))
        checks.line(None, f"the last delivery that failed, {time_of_error}: {error['error']}")
    except (OSError, ValueError, KeyError):
        pass
    return min(checks.failed, 1)


def _say_trust(checks: Checks) -> None:
    from memos_harnesses import codex_hooks

    if hooks := codex_hooks():
        count = sum(hook["trustStatus"] in ("trusted", "managed") for hook in hooks)
        hint = (
            ""
            if count == len(hooks)
            else ": start `codex` and trust them, or connect with --trust; till then none runs"
        )
        checks.line(count == len(hooks), f"Codex trusts {count} of its {len(hooks)} hooks{hint}")


def disconnect(place: Place) -> int:
    from memos_harnesses import UnusableFile, remove

    try:
        remove(place)
    except UnusableFile as error:
        print(error)
        return 1
    print(f"{place.name} is disconnected. {MEMOS} keeps the token and what waits: delete it when no agent uses it")
    return 0


def place_of(options: argparse.Namespace) -> Place:
    """SystemExit: this file lies alone and nothing was fetched yet."""
    try:
        from memos_harnesses import HARNESSES, Place
    except ImportError:
        raise SystemExit("no agent of this computer is connected: nothing to do") from None
    return Place(options.agent, HARNESSES[options.agent], options.project)


def main() -> int:
    os.umask(0o077)
    parser = argparse.ArgumentParser(prog="memos", description=(__doc__ or "").split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("connect", "disconnect", "doctor"):
        command = commands.add_parser(name)
        command.add_argument("agent", choices=AGENTS, nargs="?" if name == "doctor" else None)
        command.add_argument("--project", action="store_true", help="the configuration of this folder")
        if name == "connect":
            command.add_argument("--url", help="of the server")
            command.add_argument("--token", help="better given as MEMOS_TOKEN: others see arguments")
            command.add_argument("--scope", help="of what it reports and asks")
            command.add_argument("--trust", action="store_true", help="let Codex trust these hooks")
    options = parser.parse_args()
    if options.command == "doctor":
        return doctor(place_of(options) if options.agent else None)
    return connect(options) if options.command == "connect" else disconnect(place_of(options))


if __name__ == "__main__":
    sys.exit(main())
