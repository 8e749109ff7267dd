"""HTTP as bytes, for what no client library sends."""

import json
import socket
from typing import Any
from urllib.parse import urlsplit


def connect(url: str, sent: bytes) -> socket.socket:
    where = urlsplit(url)
    connection = socket.create_connection((where.hostname, where.port), timeout=60)
    connection.sendall(sent)
    return connection


def exchange(url: str, sent: bytes) -> tuple[int, dict[str, str], bytes]:
    """Sends it, and reads until the server closes: status, headers with small letters, body."""
    with connect(url, sent) as connection:
        answer = b""
        while data := connection.recv(65_536):
            answer += data
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return int(first.split()[1]), headers, body


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))


def head(line: str, *headers: str) -> bytes:
    return "\r\n".join([line, "Host: 127.0.0.1", *headers, "", ""]).encode("latin-1")


def problem(body: bytes) -> dict[str, Any]:
    return dict(json.loads(body))
