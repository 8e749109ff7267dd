"""Over a real connection: bodies too large, broken off, without a length, packages as bytes."""

import json
import socket
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

import pytest

from memories.api.json_bodies import LARGEST_BODY
from memories.models import Memory
from tests.make import make_agent, make_skill, run
from tests.memos_site.processes import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/api/v1/conversations"
MORE = 64 * 1024


class Wire:
    """A connection of its own for each request to the live server."""

    def __init__(self, url: str, token: str) -> None:
        self.place, self.token = urlsplit(url), token

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[HTTPResponse, bytes]:
        connection = HTTPConnection(self.place.hostname or "", self.place.port, timeout=PATIENCE)
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body=body, headers=sent)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content

    def broken_off(self, body: bytes, *, length: int) -> bytes:
        """Announces `length` bytes, sends `body`, and sends no more."""
        head = f"POST {PATH} HTTP/1.1\r\nHost: {self.place.netloc}\r\nAuthorization: Bearer {self.token}\r\n"
        head += f"Content-Type: application/json\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        with socket.create_connection((self.place.hostname or "", self.place.port or 0), timeout=PATIENCE) as wire:
            wire.sendall(head.encode() + body)
            wire.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: wire.recv(MORE), b""))


@pytest.fixture
def wire(live_server: Any) -> Wire:
    return Wire(live_server.url, make_agent()[1])


def test_a_conversation_comes_in_over_the_wire(wire: Wire) -> None:
    answer, content = wire("POST", PATH, json.dumps(run()))
    assert (answer.status, json.loads(content)["run"]) == (201, None)


def test_a_body_that_is_too_large_is_413_and_stores_nothing(wire: Wire) -> None:
    body = b'{"messages": [], "note": "' + b"x" * LARGEST_BODY + b'"}'
    answer, content = wire("POST", PATH, body)
    assert (answer.status, answer.headers["Content-Type"]) == (413, "application/problem+json")
    assert json.loads(content)["code"] == "too_large"


def test_a_large_body_within_the_limit_is_taken(wire: Wire) -> None:
    body = json.dumps(run(note="x" * (LARGEST_BODY - 2_000)))
    assert wire("POST", PATH, body)[0].status == 201


def test_a_body_that_breaks_off_is_400_and_stores_nothing(wire: Wire) -> None:
    body = json.dumps(run()).encode()
    answer = wire.broken_off(body[:-10], length=len(body))
    assert answer.startswith(b"HTTP/1.1 400")
    assert b'"code":"not_json"' in answer
    assert not Memory.objects.exists()


@pytest.mark.parametrize("length", ["-1", "nonsense", "0"])
def test_a_length_that_is_none_is_400(wire: Wire, length: str) -> None:
    answer, content = wire("POST", PATH, None, Content_Length=length)
    assert (answer.status, json.loads(content)["code"]) == (400, "invalid")


def test_a_package_arrives_byte_for_byte(wire: Wire) -> None:
    version = make_skill().published
    assert version is not None
    answer, content = wire("GET", "/api/v1/skills/book-flight/versions/1/content", Accept="application/zip")
    assert (answer.status, len(content), answer.headers["ETag"]) == (200, version.size, f'"{version.sha256}"')
