"""The scripts of agents keep the token to themselves: no redirect is followed; only the owner reads what they write."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.make import make_agent, make_skill
from tests.memos_site.harness import QUICK, SCRIPTS, connect, deliver, sessions, shell

TOKEN = "memos_secret"
OPEN = "umask 000"
PROMPT, BEFORE, AFTER, _END = sessions("Cancel the order", "Edit", {}, "done")["claude-code"]


@contextmanager
def answering(status: int, location: str) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A server that answers everything with a redirect (or with nothing, 200): its address, and what it was sent."""
    received: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            received.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(status)
            self.send_header("Location", location)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def modes(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mode & 0o777 for path in folder.rglob("*")}


def run_hook(home: Path, event: dict[str, Any], before: str = OPEN) -> Any:
    """What the hook says, and what is said where its report is delivered."""
    line = f"{before}; python3 {SCRIPTS}/memos_hook.py claude-code && python3 {SCRIPTS}/memos_hook.py --send"
    return shell(home, line, stdin=json.dumps(event), MEMOS_DEADLINE="30", **QUICK)


@pytest.mark.parametrize("status", [302, 307, 308])
@pytest.mark.parametrize("event", [PROMPT, AFTER], ids=["prompt", "after"])
def test_the_hook_follows_no_redirect_and_says_so(tmp_path: Path, status: int, event: dict[str, Any]) -> None:
    with answering(200, "") as (other, stolen), answering(status, f"{other}/x") as (url, _received):
        connect(tmp_path, url, TOKEN)
        ended = run_hook(tmp_path, event)
        assert stolen == []
    assert ended.stdout == "{}\n"  # the agent goes on
    assert f"leads to '{other}/x', which is not followed: correct the address of Memos" in ended.stderr


@pytest.mark.parametrize("status", [302, 307, 308])
def test_the_sync_follows_no_redirect_of_the_list(tmp_path: Path, status: int) -> None:
    with answering(200, "") as (other, stolen), answering(status, f"{other}/x") as (url, _received):
        connect(tmp_path, url, TOKEN)
        ended = shell(tmp_path, f"python3 {SCRIPTS}/memos_sync.py .")
        assert stolen == []
    assert ended.returncode == 1
    assert f"leads to '{other}/x', which is not followed: correct the address of Memos" in ended.stderr


def test_the_client_follows_no_redirect_and_says_so(tmp_path: Path) -> None:
    with answering(200, "") as (other, stolen), answering(307, f"{other}/x") as (url, _received):
        ended = shell(tmp_path, f"python3 {SCRIPTS}/memos_client.py", MEMOS_URL=url, MEMOS_TOKEN=TOKEN)
        assert stolen == []
    assert "ValueError: memory_store: a redirect: not followed" in ended.stderr


def test_the_sync_sends_the_token_only_to_the_address_that_is_configured(tmp_path: Path) -> None:
    """Whatever host the links of the list name, such as that behind a proxy."""
    with answering(200, "") as (other, stolen), answering(200, "") as (url, received):
        connect(tmp_path, url, TOKEN)
        line = f"from memos_sync import get; get('{other}/api/v1/skills?cursor=x')"
        ended = shell(tmp_path, f'cp {SCRIPTS}/memos_sync.py . && python3 -c "{line}"')
        assert (ended.returncode, ended.stderr) == (0, "")
        assert (len(received), stolen) == (1, [])


def test_what_the_hook_writes_only_its_owner_reads(tmp_path: Path) -> None:
    with answering(200, "") as (url, _received):
        environment = {"MEMOS_URL": url, "MEMOS_TOKEN": TOKEN, "MEMOS_DEADLINE": "30", **QUICK}
        line = f"{OPEN}; python3 {SCRIPTS}/memos_hook.py claude-code"
        ended = shell(tmp_path, line, stdin=json.dumps(PROMPT), **environment)
        deliver(tmp_path, **environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    folder = tmp_path / ".memos"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {name for name, mode in modes(folder).items() if mode & 0o077} == set()
    assert {name.split("/")[0] for name in modes(folder)} == {"sessions", "spool"}


def test_what_was_left_open_is_closed(tmp_path: Path) -> None:
    with answering(200, "") as (url, _received):
        connect(tmp_path, url, TOKEN)
        folder = tmp_path / ".memos"
        assert run_hook(tmp_path, PROMPT).returncode == 0
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o644)
        assert run_hook(tmp_path, AFTER).returncode == 0
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {name for name, mode in modes(folder).items() if mode & 0o077} == set()


@pytest.mark.django_db(transaction=True)
def test_synced_skills_only_their_owner_reads(tmp_path: Path, live_server: Any) -> None:
    make_skill()
    connect(tmp_path, live_server.url, make_agent()[1])
    line = f"{OPEN}; mkdir skills && python3 {SCRIPTS}/memos_sync.py skills"
    ended = shell(tmp_path, line)
    assert ended.returncode == 0, ended.stderr
    written = {path: mode for path, mode in modes(tmp_path / "skills").items() if mode & 0o077}
    assert (tmp_path / "skills" / "book-flight" / "SKILL.md").exists()
    assert written == {}
