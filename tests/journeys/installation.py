"""A whole installation of its own: a data directory, the commands as processes, the server on a free port."""

import fcntl
import json
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Protocol

from tests.memos_site.processes import PATIENCE, environment, until

ROOT = Path(__file__).resolve().parents[2]
PORTS = range(15_000, 30_000)
_kept = set[int]()


class Begun(Protocol):
    """As much of `Popen` as it takes to wait for the end of a command."""

    @property
    def returncode(self) -> int: ...

    def communicate(self, input: None = None, timeout: float | None = None) -> tuple[str, str]: ...


@dataclass(frozen=True)
class Installation:
    """`settings`: what its environment sets besides."""

    data: Path
    settings: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    @property
    def environment(self) -> dict[str, str]:
        return environment(self.data, PYTHONWARNINGS="ignore", **self.settings)

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
            until(lambda: ready(port), what="the server")
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=PATIENCE)
            log.close()


def free_port() -> int:
    """A port on which nobody listens, kept for this process until it ends.

    Not one of those that the kernel gives to whoever asks for any: a connection could have it before the server does.
    """
    ports = (port for port in iter(lambda: random.choice(PORTS), None) if port not in _kept)
    return next(port for port in ports if _keep(port))


def _keep(port: int) -> bool:
    """Whether no other test process has it: each locks its ports' bytes in a file."""
    try:
        fcntl.lockf(_locks(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
        with socket.create_server(("127.0.0.1", port)):
            _kept.add(port)
    except OSError:
        return False
    return True


@cache
def _locks() -> int:
    """Open until the end of the process: to close it would give the locks back."""
    return os.open(Path(gettempdir()) / f"memos-test-ports-{os.geteuid()}", os.O_RDWR | os.O_CREAT, 0o600)


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
