#!/usr/bin/env python3
"""Memos in the hooks of a coding agent: Claude Code, Codex, Gemini CLI, Cursor, opencode, Qwen Code, Copilot CLI.

Before a prompt it adds the context that fits; before a tool that changes something it says when similar runs ended
badly with that call, and which command does not start; after a tool it reports the call, at the end of a turn the
agent's last words. Python 3.9 or newer, nothing else.

    memos_hook.py SOURCE [EVENT] < the hook's JSON      EVENT where the JSON does not name it (Copilot CLI)
    memos_hook.py --send                                deliver what waits, and say what could not be delivered

It never blocks. Reports are written to a spool in ~/.memos and delivered in order by a process that stays behind, also
when the server was away meanwhile; at most MOST_WAITING wait, at most LONGEST_WAIT seconds. Only the questions have a
deadline (MEMOS_DEADLINE, seconds): when it is missed the agent goes on without, and the episode says so.
`ok` of a call is what the harness says; where it does not say, it is unknown and sent as null.

Where: ~/.memos/config.json {"url", "token", "scope"} ("token_command" in place of "token" where it lies in the system's
keyring), or MEMOS_URL, MEMOS_TOKEN, MEMOS_SCOPE. MEMOS_OUTCOME (success,
failure or partial) says how the session ended; without it the server reads it from the last checks that ran.
MEMOS_CHECK_END=1 asks at the end of a turn whether such runs fail: a high risk stops the agent once, with the reasons.
The token is sent to that address only: a redirect is not followed but told on stderr. What lies in ~/.memos only its
owner may read.
"""

from __future__ import annotations

import json  # what is slow to import is imported where it is needed: a call takes 60 ms of CPU at most
import os
import re
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]


def set_seconds(name: str, default: str) -> float:
    """The number in the environment variable, else the default."""
    try:
        return float(os.environ.get(name, default))
    except ValueError:
        return float(default)


BEGUN = time.monotonic()
DEADLINE = set_seconds("MEMOS_DEADLINE", "0.5")  # seconds from the start of a call to the end of its question
OF_THE_END = 4 * DEADLINE  # of the question at the end, which waits until all reports are delivered
LONGEST = 20_000  # characters of a prompt, of arguments, of a result
MOST_WAITING, LONGEST_WAIT = 1_000, 7 * 86_400  # reports, seconds
OLD_STATE = 30 * 86_400
KEEP_TRYING = set_seconds("MEMOS_KEEP_TRYING", "600")  # seconds that a sender stays when nothing is taken
PATIENCE = 30.0  # seconds of one delivery
FOLDER = os.path.join(os.path.expanduser("~"), ".memos")
CLOCK = hasattr(signal, "setitimer")  # not on Windows, where only the waits for the server are timed
KINDS = {
    **dict.fromkeys(("UserPromptSubmit", "BeforeAgent", "beforeSubmitPrompt", "userPromptSubmitted"), "prompt"),
    **dict.fromkeys(("SessionStart", "sessionStart"), "start"),
    **dict.fromkeys(("PreToolUse", "BeforeTool", "preToolUse", "beforeShellExecution", "beforeMCPExecution"), "before"),
    **dict.fromkeys(("PostToolUse", "PostToolUseFailure", "AfterTool", "postToolUse", "postToolUseFailure"), "after"),
    **dict.fromkeys(("afterShellExecution", "afterMCPExecution", "afterFileEdit"), "after"),
    **dict.fromkeys(("Stop", "AfterAgent", "stop", "agentStop"), "turn"),
    **dict.fromkeys(("SessionEnd", "sessionEnd"), "end"),
}
COMMANDS = {"Bash", "bash", "Shell", "shell", "local_shell", "exec_command", "run_shell_command"}
TELLS_FAILURE = {"claude-code", "gemini-cli", "qwen-code", "opencode"}  # a call that is not told as failed went well
PLUGINS = {  # what makes a plugin of the folder around this script, and where `memos connect` writes
    "claude-code": (".claude-plugin/plugin.json", ".claude/settings.json"),
    "gemini-cli": ("gemini-extension.json", ".gemini/settings.json"),
}
# What Claude Code tells as a prompt when an agent in the background has ended: nobody typed it.
NOTIFICATION = re.compile(r"\s*<task-notification>.*</task-notification>\s*", re.DOTALL)
NO_SESSION_END = {"cursor", "opencode", "qwen-code"}  # the end of a turn is all that these tell
CODE = re.compile(r"^(?:Exit Code|Exit code|exit code):? (\d+)\s*$", re.MULTILINE)
COPILOT_CODE = re.compile(r"(?:completed|exited) with exit code (-?\d+)>?\s*$")
TAIL_OF_GEMINI = re.compile(
    r"(?:^|\n)(?:Error: .*\n)?(?:Exit Code: (\d+)\n?)?(?:Signal: (\S+)\n?)?(?:Background PIDs: .*\n?)?"
    r"(?:Process Group PGID: \d+)\s*(?:</untrusted_context>)?\s*$"
)


class Late(Exception):
    """The deadline of a question has passed."""


class Redirected(Exception):
    """The server answered with another address, to which the token is not sent."""


class Refused(Exception):
    """The server answered with an error: its HTTP status, and what it says."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status} {text[:300]}")
        self.status, self.text = status, text

    @property
    def unknown_fields(self) -> set[str]:
        """Fields of the body that the server does not know: it is older than this script."""
        try:
            errors = json.loads(self.text)["errors"] if self.status in (400, 422) else []
            return {error["pointer"].lstrip("/") for error in errors if error["code"] == "extra_forbidden"}
        except (ValueError, KeyError, TypeError, AttributeError):
            return set()


def late(*_signal: object) -> None:
    raise Late


def close_to_others(path: str) -> str:
    """Remove the rights of group and others on a path, if it has any; returns the path."""
    try:
        mode = os.stat(path).st_mode
        if mode & 0o077:
            os.chmod(path, mode & 0o700)
    except OSError:
        pass  # not there, or somebody else's and then theirs to close
    return path


def read_json(path: str) -> Json:
    try:
        with open(path, encoding="utf-8") as file:
            return dict(json.load(file))
    except (OSError, ValueError, TypeError):
        return {}


def write(path: str, text: str) -> None:
    """Write the file in one piece, so that nobody reads a half of it."""
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    for directory in (FOLDER, folder):
        close_to_others(directory)
    draft = f"{path}.{os.getpid()}.new"
    with open(draft, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(draft, path)


def digest(text: str, length: int = 32) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:length]


def output_of(line: object) -> str:
    """What the command says: `memos connect` wrote it where the token lies in the system's keyring."""
    if not line or not isinstance(line, list):
        return ""
    import subprocess

    try:
        result = subprocess.run(line, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout.strip()


def absolute(path: str) -> str:
    return path if path.startswith("/") else f"/api/v1/{path}"


# -- The server -------------------------------------------------------------------------------------------------------


class Server:
    """Where Memos is, as the file or the environment says. Plain HTTP/1.0: urllib takes 50 ms to import."""

    def __init__(self) -> None:
        close_to_others(FOLDER)
        config = read_json(close_to_others(os.path.join(FOLDER, "config.json")))
        self.url = str(os.environ.get("MEMOS_URL") or config.get("url", "http://127.0.0.1:8000")).rstrip("/")
        self.token = str(os.environ.get("MEMOS_TOKEN") or config.get("token") or output_of(config.get("token_command")))
        scope = os.environ.get("MEMOS_SCOPE", config.get("scope"))
        self.place: Json = {} if scope is None else {"scope": scope}
        self.skills: Json = config.get("skills") or {}

    def ask(self, path: str, body: Json | None = None, *, within: float, key: str = "") -> Json:
        """The answer to a GET, or with a body to a POST. Refused, Redirected, Late or an OSError.

        Fields that an older server does not know are left out, and the rest is sent once more.
        """
        until = time.monotonic() + within
        try:
            return self._ask(path, body, until, key)
        except Refused as refusal:
            known_fields = {name: value for name, value in (body or {}).items() if name not in refusal.unknown_fields}
            if not body or len(known_fields) == len(body):
                raise
        return self._ask(path, known_fields, until, key)

    def _ask(self, path: str, body: Json | None, until: float, key: str) -> Json:
        parts = re.fullmatch(r"(https?)://(\[[^\]]+\]|[^/:]+)(?::(\d+))?(/.*)?", self.url)
        if parts is None:
            raise OSError(f"{self.url} is no address of a server")
        scheme, host, port, prefix = parts[1], parts[2], parts[3], parts[4] or ""
        content = b"" if body is None else json.dumps(body).encode()
        head = [f"{'GET' if body is None else 'POST'} {prefix}{absolute(path)} HTTP/1.0"]
        head += [f"Host: {host}{':' + port if port else ''}", f"Authorization: Bearer {self.token}"]
        head += ["Content-Type: application/json", f"Content-Length: {len(content)}", "Connection: close"]
        head += [f"Idempotency-Key: {key}"] if key else []
        raw = self._exchange(
            scheme, host.strip("[]"), int(port or 0), "\r\n".join([*head, "", ""]).encode() + content, until
        )
        return self._read(raw, path)

    @staticmethod
    def _exchange(scheme: str, host: str, port: int, request: bytes, until: float) -> bytes:
        import socket

        def remaining_seconds() -> float:
            seconds = until - time.monotonic()
            if seconds <= 0:
                raise Late
            return seconds

        secure = scheme == "https"
        try:
            connection = socket.create_connection((host, port or (443 if secure else 80)), timeout=remaining_seconds())
            if secure:
                import ssl

                connection = ssl.create_default_context().wrap_socket(connection, server_hostname=host)
            with connection:
                connection.sendall(request)
                pieces: list[bytes] = []
                while True:
                    connection.settimeout(remaining_seconds())
                    piece = connection.recv(65_536)
                    if not piece:
                        return b"".join(pieces)
                    pieces.append(piece)
        except socket.timeout:
            raise Late from None

    def _read(self, raw: bytes, path: str) -> Json:
        head, _, content = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin1").split("\r\n")
        words = lines[0].split(" ", 2)
        if len(words) < 2 or not words[1].isdigit():
            raise OSError("the answer is no HTTP")
        status = int(words[1])
        if 300 <= status < 400:
            other = next((line[9:].strip() for line in lines if line.lower().startswith("location:")), "")
            address = f"{self.url}{absolute(path)}"
            raise Redirected(f"{address} leads to {other[:200]!r}, which is not followed: correct the address of Memos")
        if status >= 400:
            raise Refused(status, content.decode("utf-8", "replace"))
        answer = json.loads(content) if content.strip() else {}
        return answer if isinstance(answer, dict) else {}


# -- The spool --------------------------------------------------------------------------------------------------------


class Spool:
    """Reports that wait, one file each, named by the moment and their key; those of each address and token apart."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.folder = os.path.join(FOLDER, "spool", digest(f"{server.url} {server.token}", 16))

    def waiting(self) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self.folder) if name.endswith(".json"))
        except OSError:
            return []

    def add(self, thread: str, path: str, body: Json, find: str = "") -> None:
        """`find`: a question whose first result is what the report is about."""
        if len(self.waiting()) >= MOST_WAITING:
            return count("dropped", f"more than {MOST_WAITING} reports wait")
        key = os.urandom(16).hex()
        item = {"thread": thread, "path": path, "body": body, "find": find, "key": key}
        write(os.path.join(self.folder, f"{time.time_ns():020d}-{key}.json"), json.dumps(item))
        return None

    def lock(self, *, wait: bool = False) -> Any:
        """The open file that holds the lock, which a child inherits. None: another process delivers."""
        os.makedirs(self.folder, exist_ok=True)
        file = open(os.path.join(self.folder, "lock"), "a")  # noqa: SIM115  # it is kept open
        try:
            if os.name == "nt":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            return file
        except OSError:
            file.close()
            return None

    def send(self, lock: Any, *, keep_trying: float) -> None:
        """Deliver in order until nothing waits, or nothing was taken for so many seconds."""
        clean()
        pause, given_up = 0.5, time.monotonic() + keep_trying
        while lock is not None:
            try:
                for name in self.waiting():
                    self._deliver(os.path.join(self.folder, name), name)
                    pause, given_up = 0.5, time.monotonic() + keep_trying
                lock.close()
                lock = self.lock() if self.waiting() else None  # what came while the lock was held
            except (OSError, Late, Refused, Redirected) as error:
                note(error)
                if time.monotonic() >= given_up:
                    return
                time.sleep(pause)
                pause = min(2 * pause, 60.0)

    def _deliver(self, path: str, name: str) -> None:
        """Deliver one report, and forget it. Raises where it should be tried again."""
        item = read_json(path)
        age = time.time() - int(name.split("-", maxsplit=1)[0]) / 1e9
        if not item.get("path") or age > LONGEST_WAIT:
            count("dropped", "a report that cannot be read" if not item.get("path") else "a report waited for too long")
        else:
            try:
                self._post(item)
            except Refused as refusal:
                if refusal.status in (401, 403, 408, 425, 429) or refusal.status >= 500:
                    raise
                count("dropped", f"{item['path']}: {refusal}")
        os.unlink(path)

    def _post(self, item: Json) -> None:
        if item["find"]:
            records = self.server.ask(item["find"], within=PATIENCE).get("results") or []
            if not records:
                return
            item["body"]["target_record_id"] = records[0]["id"]
        self.server.ask(item["path"], item["body"], within=PATIENCE, key=item["key"])


def count(name: str, reason: str = "") -> None:
    """Count one more: a byte each, so that processes do not take each other's counts."""
    path = os.path.join(FOLDER, "counts", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a", encoding="ascii") as file:
        file.write(".")
    if reason:
        write(os.path.join(FOLDER, "counts", f"{name}.why"), reason)


def counted(name: str) -> int:
    try:
        return os.stat(os.path.join(FOLDER, "counts", name)).st_size
    except OSError:
        return 0


def note(error: BaseException) -> None:
    """Keep why the last delivery failed, for `memos doctor`; on stderr for who looks for a fault."""
    text = str(error) or type(error).__name__
    write(os.path.join(FOLDER, "counts", "error"), json.dumps({"at": time.time(), "error": text}))
    if os.environ.get("MEMOS_DEBUG") or isinstance(error, Redirected):
        os.write(2, f"memos: {text}\n".encode())


def clean() -> None:
    """Remove the state of sessions that nobody goes on with, and reports for former tokens; close what is open."""
    for folder, _folders, names in os.walk(FOLDER):
        for path_to_close in (folder, *(os.path.join(folder, name) for name in names)):
            close_to_others(path_to_close)
        oldest = {"sessions": OLD_STATE}.get(os.path.basename(folder), LONGEST_WAIT if "spool" in folder else 0)
        for name in names if oldest else []:
            path = os.path.join(folder, name)
            try:
                if name != "lock" and time.time() - os.stat(path).st_mtime > oldest:
                    os.unlink(path)
                    count("dropped", "a report waited for too long") if "spool" in folder else None
            except OSError:
                continue


def start_apart(*line: str) -> None:
    """Run a script in a process that neither this one nor the harness waits for."""
    import subprocess

    apart: Json = {"start_new_session": True} if hasattr(os, "fork") else {"creationflags": 0x00000008}
    nothing = subprocess.DEVNULL
    subprocess.Popen([sys.executable, *line], stdin=nothing, stdout=nothing, stderr=nothing, **apart)


def leave_sender(spool: Spool) -> None:
    """Let a child of this process deliver, unless one does; the harness does not wait for it."""
    lock = spool.lock() if spool.waiting() else None
    if lock is None:
        return None
    if not hasattr(os, "fork"):
        lock.close()
        return start_apart(__file__, "--send")
    if os.fork():
        return None
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        spool.send(lock, keep_trying=KEEP_TRYING)
    finally:
        os._exit(0)


# -- What the harness tells -------------------------------------------------------------------------------------------


class Hook:
    """One event of a session: what the harness told, and what is remembered between its hooks."""

    def __init__(self, event: Json, source: str, name: str = "") -> None:
        self.event = {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower(): value for key, value in event.items()}
        self.source, self.name = source, str(event.get("hook_event_name") or name)
        self.thread = str(self.event.get("session_id") or self.event.get("conversation_id") or "")
        self.server = Server()
        self.spool = Spool(self.server)
        self.file = os.path.join(FOLDER, "sessions", digest(f"{source}/{self.thread}"))
        self.state: Json = read_json(self.file)
        self.asks = ""

    def ask(self, path: str, body: Json, within: float = DEADLINE) -> Json:
        """The answer of the server. Late: it did not come within so many seconds from the start of this call."""
        self.asks = path
        seconds = BEGUN + within - time.monotonic()
        if seconds <= 0:
            raise Late
        if CLOCK:  # names that are not found and handshakes take their time, too
            signal.signal(signal.SIGALRM, late)
            signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return self.server.ask(path, body, within=seconds)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0) if CLOCK else None

    def remember(self, **state: Any) -> None:
        self.state.update(state)
        write(self.file, json.dumps(self.state))

    def report(self, path: str, **fields: Any) -> None:
        now = time.time()
        at = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}.{int(now % 1 * 1e6):06d}Z"
        thread = {"source": self.source, "thread_id": self.thread, "timestamp": at}
        self.spool.add(self.thread, path, {**thread, **self.server.place, **fields})

    def report_missed(self) -> None:
        """Count and report a question that was not answered in time: the agent went on without."""
        count("missed", f"{self.asks}: not done within {DEADLINE:g} seconds")
        sentence = f"Memos did not answer {self.asks} within {DEADLINE:g} seconds; the agent went on without."
        self.report("events", event_kind="memos_missed", ref=f"missed-{time.time_ns()}", summary=sentence)

    @property
    def is_doubled(self) -> bool:
        """Whether this is the script of a plugin, and the person's own settings run one as well: that one reports."""
        manifest, settings = PLUGINS.get(self.source, ("", ""))
        is_plugin = manifest and os.path.exists(os.path.join(os.path.dirname(os.path.abspath(__file__)), manifest))
        settings_path = os.path.join(os.path.expanduser("~"), settings)
        return bool(is_plugin) and "memos_hook.py" in end_of(settings_path, 1_000_000)

    @property
    def repository(self) -> str:
        """`owner/name` of the repository in which the session works, else the name of its folder; '' for none."""
        roots = self.event.get("workspace_roots") or [""]
        return repository_at(str(self.event.get("cwd") or roots[0] or os.getcwd()))

    @property
    def call(self) -> Json:
        """The tool and its arguments, however the harness names them."""
        event = self.event
        if "tool_name" in event:
            tool, args = str(event["tool_name"]), as_json(event.get("tool_input", event.get("tool_args")))
        elif "command" in event:
            tool, args = "Shell", {"command": event["command"]}
        else:
            tool, args = "Edit", {"file_path": event.get("file_path"), "edits": event.get("edits")}
        return {"tool": tool, "arguments": cut_to_fit(args)}

    @property
    def tool_answer(self) -> Any:
        names = ("tool_response", "tool_result", "tool_output", "result_json", "output", "error", "error_message")
        return next((as_json(self.event[name]) for name in names if self.event.get(name) is not None), None)


def repository_at(folder: str) -> str:
    """What Git calls the repository around a folder: of its remote `origin` no more than `owner/name`."""
    while not os.path.exists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return ""
    git = os.path.join(folder, ".git")
    if os.path.isfile(git):  # a work tree of the repository that it names
        git = end_of(git, 4_000).partition("gitdir:")[2].strip().partition("/worktrees/")[0]
        folder = os.path.dirname(git)
    origin = end_of(os.path.join(git, "config"), 100_000).partition('[remote "origin"]')[2]
    address = re.search(r"^\s*url\s*=\s*(\S+)", origin, re.MULTILINE)
    parts = re.split(r"[/:]", re.sub(r"(\.git)?/*$", "", address[1])) if address else [os.path.basename(folder)]
    local = not address or address[1].startswith(("/", ".", "~", "file:"))
    name = "/".join(parts[-1 if local else -2 :])
    return name if len(name) <= 80 and re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*)?", name, re.ASCII) else ""


def outcome_of(hook: Hook) -> tuple[bool | None, Any]:
    """Whether the call went well (None: the harness does not say) and its result; of a command with its exit code."""
    answer, is_failure = hook.tool_answer, "Failure" in hook.name
    text, code = text_of(answer), None
    if hook.call["tool"] in COMMANDS:
        text, code = command_result(hook, answer, text)
        result = {**answer} if isinstance(answer, dict) and "stdout" in answer else {"output": cut_to_fit(text)}
        result = result if code is None else {**result, "exit_code": code}
    else:
        result = cut_to_fit(text if isinstance(answer, dict) and "llmContent" in answer else answer)
    if is_failure or says_failure(answer):
        return False, result
    if code is not None:
        return code == 0, result
    if isinstance(answer, dict) and (answer.get("interrupted") or answer.get("backgroundTaskId")):
        return None, result
    if hook.source == "codex" and isinstance(answer, dict) and "content" in answer:
        return True, result  # of an MCP server, which says `isError`
    kind = answer.get("result_type", answer.get("resultType")) if isinstance(answer, dict) else None
    is_success = hook.source in TELLS_FAILURE or kind == "success" or hook.name in ("postToolUse", "afterFileEdit")
    return (True if is_success else None), result


def says_failure(answer: Any) -> bool:
    if not isinstance(answer, dict):
        return False
    kind = answer.get("result_type", answer.get("resultType", "success"))
    marks = (answer.get("is_error"), answer.get("isError"), answer.get("error"), kind != "success")
    return any(marks) or answer.get("success") is False


def command_result(hook: Hook, answer: Any, text: str) -> tuple[str, int | None]:
    """The output of a command and its exit code (None: not told), as this harness tells them."""
    if isinstance(answer, dict):
        names = ("exit_code", "exitCode", "exit", "returncode")
        code = next((answer[name] for name in names if isinstance(answer.get(name), int)), None)
        if code is not None:
            return text, code
    if "Failure" in hook.name:
        match = CODE.search(text.split("\n", maxsplit=1)[0])
        return text, int(match[1]) if match else None
    if hook.source == "codex":
        return text, code_in_transcript(hook)
    if tail := TAIL_OF_GEMINI.search(text):  # Gemini CLI tells no code 0
        output = re.sub(
            r"^(?:<untrusted_context>\n)?(?:Command: .*\nDirectory: .*\n)?Output: ", "", text[: tail.start()]
        )
        return output, None if tail[2] not in (None, "0") else int(tail[1] or 0)
    if match := COPILOT_CODE.search(text):
        return text, int(match[1])
    return text, 0 if hook.source == "claude-code" and isinstance(answer, dict) and "stdout" in answer else None


def code_in_transcript(hook: Hook) -> int | None:
    """The exit code of this call in the transcript of Codex, whose hooks do not tell it."""
    call = str(hook.event.get("tool_use_id") or "")
    lines = end_of(str(hook.event.get("transcript_path") or ""), 400_000).split("\n") if call else []
    for line in [line for line in reversed(lines) if f'"{call}"' in line]:
        if match := re.search(r'"exit_code":\s*(-?\d+)', line) or re.search(r"Process exited with code (-?\d+)", line):
            return int(match[1])
    return None


def text_of(answer: Any) -> str:
    if isinstance(answer, dict):
        names = ("llmContent", "text_result_for_llm", "textResultForLlm", "output", "stdout")
        text = next((answer[name] for name in names if isinstance(answer.get(name), str)), None)
        return text if text is not None else json.dumps(answer)
    return answer if isinstance(answer, str) else json.dumps(answer)


def transcript(hook: Hook) -> str:
    """The end of the transcript. Copilot CLI writes to it a moment after it called this hook, which then stands in it:
    '' where it does not in time, as the words that stand there were said before."""
    path, own_mark = str(hook.event.get("transcript_path") or ""), f'"timestamp":{hook.event.get("timestamp")},'
    lags = hook.source == "copilot" and "timestamp" in hook.event
    while own_mark not in (text := end_of(path, 200_000)) and lags:
        if time.monotonic() > BEGUN + OF_THE_END:
            return ""
        time.sleep(0.01)
    return text


def end_of(path: str, most: int) -> str:
    """The last so many bytes of a file; '' where there is none."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - most))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def last_words(hook: Hook) -> str:
    """What the agent said last, as the hook or the end of the transcript tells it."""
    for name in ("last_assistant_message", "prompt_response"):
        if hook.event.get(name):
            return str(hook.event[name])
    for line in reversed(transcript(hook).split("\n")):
        entry = as_json(line)
        if isinstance(entry, dict) and "assistant" in str(entry.get("type")):
            data = entry.get("data") or entry.get("message") or {}
            if isinstance(data, dict) and isinstance(data.get("content"), str) and data["content"]:
                return str(data["content"])
    return ""


# -- What is done at each event ---------------------------------------------------------------------------------------


def before_prompt(hook: Hook) -> Json:
    """The block for the prompt; the prompt itself is the first event of the episode."""
    raw_prompt = str(hook.event.get("prompt") or "")
    prompt = raw_prompt[:LONGEST]
    if not prompt.strip():
        return {}  # Qwen Code tells each return of a tool as an empty prompt
    if NOTIFICATION.fullmatch(raw_prompt):
        hook.report("events", event_kind="task_notification", ref=f"told-{time.time_ns():x}", summary=prompt)
        return {}
    turn = f"{digest(prompt, 12)}-{time.time_ns():x}"
    hook.remember(task=prompt, turn=turn, stopped=False)
    place = {"repository": hook.repository} if hook.repository else {}
    hook.report("events", event_kind="user_message", ref=f"prompt-{turn}", summary=prompt, **place)
    return context_for(hook, prompt)


def at_start(hook: Hook) -> Json:
    """Bring the folder of skills up to date. Cursor, which takes no text before a prompt, gets what is known."""
    folder, sync = hook.server.skills.get(hook.source), os.path.join(FOLDER, "memos_sync.py")
    if folder and os.path.exists(sync):
        start_apart(sync, folder)
    return context_for(hook) if hook.source == "cursor" else {}


def context_for(hook: Hook, task: str = "") -> Json:
    """The context for the task, or for this source and scope without one, in the form that the harness takes."""
    where = {"repository": hook.repository} if hook.repository else {}
    request = {"task": task, "source": hook.source, "thread_id": hook.thread, **where, **hook.server.place}
    return as_context(hook, str(hook.ask("context", request).get("block") or ""))


def before_tool(hook: Hook) -> Json:
    """Warn of a call without which alone similar runs ended well, and of arguments unlike those that worked."""
    if "task" not in hook.state:
        return {}
    place = hook.server.place
    scopes = [place["scope"]] if place.get("scope") else []
    run = {"source": hook.source, "thread_id": hook.thread}  # the server knows what was reported of it so far
    request = {"task": hook.state["task"], "about_to": hook.call, "scopes": scopes, **run}
    check = hook.ask("guidance", request).get("check") or {}
    warnings = [str(check["text"])] if check.get("verdict") == "advised_against" else []
    warnings += [f"{argument['note']}." for argument in check.get("arguments", [])]
    return as_context(hook, f"Memos: {' '.join(warnings)}") if warnings else {}


def after_tool(hook: Hook) -> Json:
    ok, result = outcome_of(hook)
    call = hook.call
    hook.report("tool-outputs", tool_name=call["tool"], args=call["arguments"], result=result, ok=ok)
    return {}


def at_turn(hook: Hook) -> Json:
    """Report the agent's last words, and ask once whether such runs fail, where that is wanted."""
    words = last_words(hook)[:LONGEST]
    if words:
        turn = hook.state.get("turn") or digest(words, 12)
        hook.report("events", event_kind="assistant_message", ref=f"reply-{turn}-{digest(words, 6)}", summary=words)
    if hook.source in NO_SESSION_END:
        at_end(hook)
    is_requested = os.environ.get("MEMOS_CHECK_END") == "1" and "task" in hook.state
    goes_on = hook.event.get("stop_hook_active") is True and hook.source != "qwen-code"  # which always says so
    if not is_requested or goes_on or hook.state.get("stopped"):
        return {}
    while waits(hook) and time.monotonic() < BEGUN + OF_THE_END:
        leave_sender(hook.spool)  # once more where the one before was about to end
        time.sleep(0.01)  # it is asked about what was delivered
    scopes = [hook.server.place["scope"]] if hook.server.place.get("scope") else []
    verdict = hook.ask("verdict", {"source": hook.source, "thread_id": hook.thread, "scopes": scopes}, OF_THE_END)
    reasons = " ".join(str(sentence) for sentence in verdict.get("said") or [])
    if verdict.get("level") != "high" or not reasons:
        return {}
    hook.remember(stopped=True)
    return as_refusal(hook, f"Memos: {reasons}")


def waits(hook: Hook) -> bool:
    """Whether a report of this session is not delivered."""
    spool = hook.spool
    return any(read_json(os.path.join(spool.folder, name)).get("thread") == hook.thread for name in spool.waiting())


def at_end(hook: Hook) -> Json:
    """Close the episode with the outcome that the environment names; else it stays open for a resumed session."""
    outcome = os.environ.get("MEMOS_OUTCOME")
    if outcome:
        from urllib.parse import urlencode

        query = urlencode({"thread_id": hook.thread, "source": hook.source, "open": "true", "limit": 1})
        body = {"source": hook.source, "outcome_status": outcome}
        hook.spool.add(hook.thread, "outcomes", body, find=f"episodes?{query}")
    return {}


def as_context(hook: Hook, text: str) -> Json:
    """The text in the form in which this event of this harness takes it."""
    if not text:
        return {}
    if hook.source == "copilot":
        return {"additionalContext": text} if hook.name != "preToolUse" else {}
    if hook.name == "sessionStart":
        return {"additional_context": text}
    if hook.name == "beforeSubmitPrompt":
        return {}  # Cursor takes no text here: its agent asks the `context` tool
    if hook.name in ("preToolUse", "beforeShellExecution", "beforeMCPExecution"):
        return {"permission": "ask", "user_message": text, "agent_message": text}
    if hook.name == "BeforeTool":
        return {"systemMessage": text}
    return {"hookSpecificOutput": {"hookEventName": hook.name, "additionalContext": text}}


def as_refusal(hook: Hook, text: str) -> Json:
    """The answer that makes the agent go on, with this text, instead of ending its turn."""
    if hook.source == "cursor":
        return {"followup_message": text}
    return {"decision": "deny" if hook.name == "AfterAgent" else "block", "reason": text}


def with_losses(answer: Json) -> Json:
    """The answer, with a message to the person where reports were dropped since the last one."""
    loss_count = counted("dropped") - counted("told")
    if loss_count <= 0:
        return answer
    for _ in range(loss_count):
        count("told")
    why = end_of(os.path.join(FOLDER, "counts", "dropped.why"), 400)
    text = f"Memos: {loss_count} reports of this computer were dropped ({why})."
    return {**answer, "systemMessage": " ".join(filter(None, (answer.get("systemMessage"), text)))}


def as_json(value: Any) -> Any:
    """The value, or what its text says when that is a JSON object."""
    try:
        parsed_value = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value
    return parsed_value if isinstance(parsed_value, dict) else value


def cut_to_fit(value: Any) -> Any:
    """The value, or the beginning of its text when it is long."""
    text = value if isinstance(value, str) else json.dumps(value)
    if len(text) <= LONGEST:
        return value
    return {"beginning": text[:LONGEST]} if isinstance(value, dict) else text[:LONGEST]


WORK = {
    **{"prompt": before_prompt, "start": at_start, "before": before_tool, "after": after_tool},
    **{"turn": at_turn, "end": at_end},
}


def answer_to(hook: Hook) -> Json:
    try:
        return WORK[KINDS[hook.name]](hook)
    except Late:
        if os.environ.get("MEMOS_DEBUG"):
            os.write(2, f"memos: not done within {DEADLINE:g} seconds\n".encode())
        hook.report_missed()
    except (OSError, ValueError, Refused, Redirected) as error:
        note(error)
    return {}


def main() -> None:
    os.umask(0o077)
    words = sys.argv[1:]
    if words[:1] == ["--send"]:
        spool = Spool(Server())
        spool.send(spool.lock(wait=True), keep_trying=0)
        sys.exit(f"{len(spool.waiting())} reports wait" if spool.waiting() else 0)
    answer: Json = {}
    hook = None
    try:
        hook = Hook(json.load(sys.stdin), *(words or ["coding-agent"])[:2])
        of_memos = re.match(
            r"mcp_+(plugin_memos_)?memos|mcp:memos|memos[-_]", str(hook.event.get("tool_name", "")), re.IGNORECASE
        )
        if not (hook.server.token and hook.thread and hook.name in KINDS) or of_memos or hook.is_doubled:
            hook = None
    except (ValueError, AttributeError, TypeError, OSError):
        hook = None
    if hook is not None:
        try:
            answer = answer_to(hook)
            if KINDS[hook.name] == "prompt":
                answer = with_losses(answer)
        except OSError:
            hook = None  # nothing can be written to ~/.memos, as on a full disk: the agent goes on without
    os.write(1, f"{json.dumps(answer)}\n".encode())
    if hook is not None:
        leave_sender(hook.spool)


if __name__ == "__main__":
    main()
