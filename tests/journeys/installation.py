"""A whole installation of its own: a data directory, the commands as processes, the server on a free port."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, Protocol

from tests.memos_site.processes import environment, until

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 240  # seconds that anything may take before the test says that it never came


class Begun(Protocol):
    """As much of `Popen` as it takes to wait for the end of a command."""

    @property
    def returncode(self) -> int: ...

    def communicate(self, input: None = None, timeout: float | None = None) -> tuple[str, str]: ...


@dataclass(frozen=True)
class Installation:
    data: Path

    @property
    def environment(self) -> dict[str, str]:
        return environment(self.data, PYTHONWARNINGS="ignore")

    def start(self, *arguments: str, **more: Any) -> subprocess.Popen[str]:
        """`manage.py ...` as a process of its own, with its output in pipes."""
        command = [sys.executable, str(ROOT / "manage.py"), *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **more}
        return subprocess.Popen(command, env=self.environment, cwd=ROOT, **pipes)

    def begin(self, *arguments: str) -> Begun:
        """`manage.py ...` as a process of its own, as cheap as there is one."""
        return self.start(*arguments)

    def run(self, *arguments: str, expect: int = 0) -> str:
        """What `manage.py ...` printed; the test fails unless it exits with `expect`."""
        process = self.begin(*arguments)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == expect, out + err
        return out + err

    def shell(self, code: str) -> str:
        """What a piece of Python prints inside the installation."""
        return self.run("shell", "-v0", "-c", code)

    @contextmanager
    def served(self) -> Iterator[int]:
        """The running server's port; stopped by SIGTERM at the end."""
        port = free_port()
        self.data.mkdir(parents=True, exist_ok=True)
        log = (self.data / "serve.log").open("w")
        process = self.start("serve", "--port", str(port), stdout=log, stderr=log)
        try:
            until(lambda: ready(port), seconds=PATIENCE, what="the server")
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=PATIENCE)
            log.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def ready(port: int) -> bool:
    try:
        return call(port, "GET", "/health/ready")[0] == 200
    except (OSError, HTTPException):
        return False


def call(port: int, method: str, path: str, *, token: str = "", body: Any = None) -> tuple[int, bytes]:
    """One HTTP request; the status and the body of the answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    content = None if body is None else json.dumps(body)
    connection.request(method, path, content, {**headers, "Content-Type": "application/json"})
    answer: HTTPResponse = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found
