"""What `memos connect` writes: for each coding agent where its hooks, its MCP server and its skills stand.

A table of harnesses and the files that it names; memos_connect.py has the commands. Python 3.9+, nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, NamedTuple

Json = dict[str, Any]
HOME = Path.home()
MEMOS = HOME / ".memos"
BEGIN, END = "# >>> memos: written by `memos connect`", "# <<< memos"
SECONDS = 10  # that a hook may take at most; it keeps its own, shorter deadline
PYTHON = "python3" if shutil.which("python3") else sys.executable


class UnusableFile(Exception):
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
    """UnusableFile: the file is there and is no JSON object."""
    if not path.exists() or not path.read_text().strip():
        return {}
    try:
        settings = json.loads(path.read_text())
    except ValueError as error:
        raise UnusableFile(
            f"{path} is not valid JSON ({error}): it is left as it is. Mend it, and connect again"
        ) from None
    if not isinstance(settings, dict):
        raise UnusableFile(f"{path} holds no JSON object: it is left as it is")
    return settings


def write(path: Path, text: str) -> None:
    """Write it in one piece, with the rights that it had; keep the file as it was before the first time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    backup = path.with_name(f"{path.name}.before-memos")
    if path.exists() and not backup.exists():
        shutil.copy2(path, backup)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text)
    if path.exists():
        shutil.copymode(path, draft)
    draft.replace(path)


def change(path: Path, work: Callable[[Json], None]) -> None:
    settings = read_settings(path)
    former_text = json.dumps(settings, sort_keys=True)
    work(settings)
    if json.dumps(settings, sort_keys=True) != former_text:
        write(path, json.dumps(settings, indent=2, ensure_ascii=False) + "\n")


def change_toml(path: Path, block: str) -> None:
    """Put the block between our marks, or with '' remove it. UnusableFile: the file is no TOML, or would be none."""
    text = path.read_text() if path.exists() else ""
    without = re.sub(rf"\n*{re.escape(BEGIN)}.*?{re.escape(END)}\n?", "\n", text, flags=re.DOTALL)
    new_text = f"{without.rstrip()}\n\n{BEGIN}\n{block.strip()}\n{END}\n".lstrip() if block else without
    try:
        import tomllib  # from Python 3.11 on; before, the marks alone keep the file whole
    except ImportError:
        tomllib = None  # type: ignore[assignment]
    for part in (text, new_text) if tomllib else ():
        try:
            tomllib.loads(part)
        except ValueError as error:
            raise UnusableFile(
                f"{path} is not valid TOML ({error}): it is left as it is. Mend it, and connect again"
            ) from None
    if new_text != text:
        write(path, new_text)


# -- Hooks and MCP ----------------------------------------------------------------------------------------------------


def remove_our_hooks(settings: Json) -> None:
    """Remove our hooks from the settings, and groups and events that are empty then."""
    hooks = settings.get("hooks")
    if not isinstance(hooks, dict):
        return
    for event in list(hooks):
        groups = []
        for group in hooks[event] if isinstance(hooks[event], list) else []:
            if "memos_hook.py" not in json.dumps(group):
                groups.append(group)
            elif inner := [hook for hook in group.get("hooks", []) if "memos_hook.py" not in json.dumps(hook)]:
                groups.append({**group, "hooks": inner})
        hooks[event] = groups
        if not groups:
            del hooks[event]
    if not hooks:
        del settings["hooks"]


def with_ours(settings: Json, harness: Harness, hook: str = "") -> None:
    """Add our hooks to the settings, in place of former ones. `hook`: the command of a plugin with its own script."""
    remove_our_hooks(settings)
    hooks = settings.setdefault("hooks", {})
    for event, matcher in harness.hooks.items():
        line = f"{hook or script('memos_hook.py')} {harness.source}{f' {event}' if harness.form == 'copilot' else ''}"
        if harness.form == "claude":
            command = {"type": "command", "command": line, "timeout": SECONDS * harness.unit}
            entry: Json = {**({"matcher": matcher} if matcher else {}), "hooks": [command]}
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
        change(place.settings, remove_our_hooks)
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
    requests = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "memos", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(Path.cwd())]}},
    ]
    pipes: Json = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(["codex", "app-server"], **pipes) as server:
        assert server.stdin and server.stdout
        try:
            server.stdin.write("".join(f"{json.dumps(message)}\n" for message in requests))
            server.stdin.flush()
            for line in server.stdout:
                answer = json.loads(line)
                if answer.get("id") == 2:
                    data = (answer.get("result") or {}).get("data") or []
                    return [
                        hook for entry in data for hook in entry["hooks"] if "memos_hook.py" in hook.get("command", "")
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
