"""Clients that begin a request and never finish it, against a server on this machine."""

import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

HALF_A_HEADER = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: "
POST = b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
UNFINISHED = {
    "silent": b"",
    "half a header": HALF_A_HEADER,
    "half a body": POST + b"Content-Length: 1000\r\n\r\nusername=",
    "half a chunk": POST + b"Transfer-Encoding: chunked\r\n\r\n3e8\r\nusername=",
}


@contextmanager
def unfinished_requests(port: int, count: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """`count` connections that have sent only `sent`, open until the end of the block unless the server closes them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, count + 1_000)), hard))
    opened: list[socket.socket] = []
    try:
        for _ in range(count):
            opened.append(socket.create_connection(("127.0.0.1", port), timeout=60))
            opened[-1].sendall(sent)
        yield opened
    finally:
        for connection in opened:
            connection.close()


def still_open(connections: list[socket.socket]) -> int:
    """How many the server has not closed."""
    return sum(_is_open(connection) for connection in connections)


def _is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    with suppress(BlockingIOError):
        try:
            return connection.recv(1, socket.MSG_PEEK) != b""
        except ConnectionError:
            return False
    return True
