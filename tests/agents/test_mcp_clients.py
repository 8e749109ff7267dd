"""The official programs of MCP against /mcp: the TypeScript client, the Inspector, and the conformance suite."""

import http.client
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.agents.faults import KNOWN

pytestmark = [pytest.mark.agents, pytest.mark.django_db(transaction=True)]
SHORT_TABLE = {"context", "memory_query", "memory_store", "check_before_write", "check_before_end"}
SHORT_TABLE |= {"skill_search", "skill_get"}
# Those of the suite that need no tool, resource or prompt of its own, and nothing that this server does not declare
# (completion, logging, subscriptions, streams of the server's own).
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
)


def run(*line: str | Path) -> str:
    """What it prints on standard output, when it ends well."""
    ended = subprocess.run([str(word) for word in line], capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_typescript_client_lists_calls_and_reads(live_server: Any, programs: Path, token: str) -> None:
    script = programs.parent.parent / "typescript_client.mjs"  # beside the packages that it imports
    shutil.copy(Path(__file__).parent / script.name, script)
    seen = json.loads(run("node", script, f"{live_server.url}/mcp", token))
    assert set(seen["tools"]) == SHORT_TABLE
    assert KNOWN in seen["answer"]
    assert not seen["isError"]
    assert "book-flight" in seen["skill"]
    assert "book-flight" in seen["prompt"]


def test_the_inspector_lists_and_calls(live_server: Any, programs: Path, token: str) -> None:
    program = (programs / "mcp-inspector", "--cli", f"{live_server.url}/mcp", "--transport", "http")
    line = (*program, "--header", f"Authorization: Bearer {token}")
    assert {tool["name"] for tool in json.loads(run(*line, "--method", "tools/list"))["tools"]} == SHORT_TABLE
    asked = ("--tool-name", "memory_query", "--tool-arg", "text=tests of this repository")
    assert KNOWN in json.loads(run(*line, "--method", "tools/call", *asked))["content"][0]["text"]


def test_the_conformance_suite_finds_nothing_wrong(live_server: Any, programs: Path, token: str) -> None:
    """It sends no header, so that something between gives the token."""

    def played(scenario: str) -> str:
        line = [str(programs / "conformance"), "server", "--url", f"{url}/mcp", "--scenario", scenario]
        ended = subprocess.run(line, capture_output=True, text=True, check=False, timeout=300, env=dict(os.environ))
        well = ended.returncode == 0 and "SUCCESS" in ended.stdout and "FAILURE" not in ended.stdout
        return "" if well else ended.stdout + ended.stderr

    with authorizing(live_server.url, token) as url, ThreadPoolExecutor(2) as pool:
        assert dict(zip(SCENARIOS, pool.map(played, SCENARIOS), strict=True)) == dict.fromkeys(SCENARIOS, "")


@contextmanager
def authorizing(url: str, token: str) -> Iterator[str]:
    """The address of a server that passes each request on as it is, with the token."""
    place = urlsplit(url).netloc

    class Passing(BaseHTTPRequestHandler):
        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
            with closing(http.client.HTTPConnection(place, timeout=60)) as asked:
                asked.request(self.command, self.path, body, {**told, "Authorization": f"Bearer {token}"})
                answer = asked.getresponse()
                content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = _pass  # noqa: N815  # names of http.server

        def log_message(self, format: str, *_args: Any) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, _request: Any, _client_address: Any) -> None:
            """A client that goes before its answer is no error."""

    server = Server(("127.0.0.1", 0), Passing)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
