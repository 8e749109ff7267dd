"""What an unfinished request may take of one web process: time, memory, a place. The loop is turned by hand."""

import errno
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from waitress import wasyncore
from waitress.buffers import TempfileBasedBuffer

from memos_site.platform.webserver import server as webserver
from memos_site.platform.webserver.requests import BODY_SECONDS, HEADER_SECONDS, MIN_BODY_RATE
from memos_site.platform.webserver.server import Server
from tests.memos_site.processes import PATIENCE
from tests.memos_site.raw_http import head, problem

Answer = tuple[int, bytes]
POST = head("POST /api/v1/events HTTP/1.1", "Content-Length: 1000000")


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]


class Turned:
    """A server whose loop this test turns, and its clients."""

    def __init__(self, application: Callable[..., Iterable[bytes]] = application) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.server = Server(application, self.listener)
        self.clients: list[socket.socket] = []
        self.accepted = set[Any]()  # addresses

    def connect(self, sent: bytes) -> socket.socket:
        client = socket.create_connection(self.listener.getsockname())
        self.clients.append(client)
        client.setblocking(False)
        self.send(client, sent)
        self.until(lambda: client.getsockname() in self.accepted)
        self.turn(5)
        return client

    def send(self, client: socket.socket, sent: bytes) -> None:
        view = memoryview(sent)
        while view:
            try:
                view = view[client.send(view) :]
            except BlockingIOError:
                self.turn()

    def turn(self, times: int = 1) -> None:
        for _ in range(times):
            wasyncore.loop(timeout=0.01, map=self.server._map, use_poll=True, count=1)
            self.accepted |= {connection.addr for connection in self.server.active_channels.values()}

    def until(self, seen: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not seen():
            assert time.monotonic() < deadline
            self.turn()

    def later(self, seconds: float) -> None:
        """The server looks at its connections as it would then."""
        self.server.maintenance(time.time() + seconds)
        self.turn(5)

    def read(self, client: socket.socket, *, whole: bool = True) -> bytes:
        """All until the server ends the connection; not whole: until something came."""
        found = b""

        def ended() -> bool:
            nonlocal found
            try:
                data = client.recv(65_536)
            except BlockingIOError:
                return False
            found += data
            return not data or not whole

        self.until(ended)
        return found

    def is_open(self, client: socket.socket) -> bool:
        try:
            return client.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except ConnectionError:
            return False

    def close(self) -> None:
        self.server.task_dispatcher.shutdown()
        for connection in list(self.server.active_channels.values()):
            connection.handle_close()
        wasyncore.close_all(self.server._map)
        for client in self.clients:
            client.close()


@pytest.fixture
def turned() -> Iterator[Turned]:
    turned = Turned()
    yield turned
    turned.close()


def status(answer: bytes) -> int:
    return int(answer.split()[1]) if answer else 0


def test_a_header_that_does_not_end_is_answered_408_however_often_something_comes(turned: Turned) -> None:
    client = turned.connect(b"GET /api/v1/me HTTP/1.1\r\nX-Half")
    turned.send(client, b"-more")
    turned.later(HEADER_SECONDS - 1)
    assert turned.is_open(client)
    turned.later(HEADER_SECONDS + 1)
    answer = turned.read(client)
    told = problem(answer.partition(b"\r\n\r\n")[2])
    assert (status(answer), told["code"], told["instance"]) == (408, "timeout", "/api/v1/me")
    assert b"Retry-After" in answer


def test_a_body_that_comes_slower_than_it_must_is_answered_408(turned: Turned) -> None:
    slow, quick = turned.connect(POST + b"x"), turned.connect(POST + b"x" * (MIN_BODY_RATE * 10))
    turned.until(
        lambda: sum(one.unfinished_bytes for one in turned.server.active_channels.values()) > MIN_BODY_RATE * 9
    )
    turned.later(BODY_SECONDS - 1)
    assert turned.is_open(slow)
    turned.later(BODY_SECONDS + 5)
    assert status(turned.read(slow)) == 408
    assert turned.is_open(quick)
    turned.later(BODY_SECONDS + 15)
    assert status(turned.read(quick)) == 408


def test_a_connection_that_asks_nothing_is_closed_in_silence(turned: Turned) -> None:
    silent, kept = turned.connect(b""), turned.connect(head("GET / HTTP/1.1"))
    assert turned.read(kept, whole=False).endswith(b"ok")
    turned.later(29)
    assert turned.is_open(silent)
    assert turned.is_open(kept)
    turned.later(31)
    assert turned.read(silent) == turned.read(kept) == b""


def test_where_no_place_is_left_the_longest_unfinished_make_room(turned: Turned) -> None:
    turned.server.max_connections = 20
    first, *others = [turned.connect(b"GET / HTTP/1.1\r\nX-Half") for _ in range(20)]
    asking = turned.connect(head("GET / HTTP/1.1"))
    assert turned.read(asking, whole=False).endswith(b"ok")
    assert not turned.is_open(first)
    assert all(turned.is_open(other) for other in others)


def test_unfinished_bodies_are_bounded_together(turned: Turned, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webserver, "MAX_UNFINISHED_BYTES", 250_000)
    first, second, third = [turned.connect(POST + b"x" * 100_000) for _ in range(3)]
    turned.until(lambda: sum(one.unfinished_bytes for one in turned.server.active_channels.values()) == 300_000)
    turned.later(0)
    assert [turned.is_open(client) for client in (first, second, third)] == [False, True, True]


def test_a_full_disk_under_a_large_body_is_said(turned: Turned, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_buffer: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(TempfileBasedBuffer, "newfile", full)
    answer = turned.read(turned.connect(POST + b"x" * 200_000))
    told = problem(answer.partition(b"\r\n\r\n")[2])
    assert (status(answer), told["code"]) == (503, "disk_full")
    assert "disk is full" in told["detail"]


def test_what_is_under_way_is_answered_before_the_server_stops() -> None:
    go, begun = threading.Event(), threading.Event()

    def slow(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        begun.set()
        go.wait(PATIENCE)
        return application(environ, start_response)

    turned = Turned(slow)
    client = turned.connect(head("GET / HTTP/1.1"))
    turned.until(begun.is_set)
    turned.server.stop()
    threading.Timer(0.2, go.set).start()
    turned.server.run()
    assert client.recv(65_536).endswith(b"ok")
    turned.close()


def test_a_server_that_stops_answers_what_has_begun_to_arrive_and_waits_for_nobody_else(turned: Turned) -> None:
    whole = head("GET / HTTP/1.1")
    kept = turned.connect(whole)
    turned.until(lambda: turned.server.active_channels and turned.is_open(kept) and turned.read(kept, whole=False))
    turned.server.stop()
    assert turned.server._is_over()
    turned.server.stops_at, turned.server.accepting = 0.0, True
    for sent in (b"", whole[:9]):
        client = turned.connect(sent)
        turned.server.stop()
        assert not turned.server._is_over()
        turned.send(client, whole[len(sent) :])
        answer = turned.read(client)  # after which the connection ends
        assert (status(answer), b"Connection: close" in answer) == (200, True)
        turned.until(turned.server._is_over)
        turned.server.stops_at, turned.server.accepting = 0.0, True
    silent = turned.connect(b"")
    turned.server.stop()
    turned.server.arrivals_until = 0.0  # as after a second
    assert turned.is_open(silent)
    assert turned.server._is_over()


def test_a_server_that_is_replaced_answers_those_who_keep_their_connection_once_more(turned: Turned) -> None:
    whole = head("GET / HTTP/1.1")
    kept = turned.connect(whole)
    assert b"Connection: close" not in turned.read(kept, whole=False)
    turned.server.stop(kept_seconds=60)
    assert not turned.server._is_over()
    turned.send(kept, whole)
    answer = turned.read(kept)
    assert (status(answer), b"Connection: close" in answer) == (200, True)
    turned.until(turned.server._is_over)
