"""The web server under `serve`: unfinished requests, chunked bodies, and its own errors."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.clusters import copied, migrated_cluster
from tests.journeys.installation import Installation, call
from tests.memos_site.processes import children
from tests.memos_site.raw_http import chunked, connect, exchange, head, problem
from tests.memos_site.site import Site
from tests.slow_sockets import UNFINISHED, still_open, unfinished_requests

JSON = "Content-Type: application/json"
CLOSE = "Connection: close"
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with TemporaryDirectory(prefix="memos-test-") as path:
        site = Site(copied(migrated_cluster(tmp_path_factory), Path(path)), "serve", "--port", "0").up()
        yield site
        site.stop()


@pytest.fixture(scope="module")
def token(site: Site) -> str:
    told = Installation(site.data_dir).run(
        "create_agent", "web", "--json", "--permission", "read", "--permission", "ingest", "--permission", "review"
    )
    return str(json.loads(told[told.index("{") :])["token"])


def port(site: Site) -> int:
    return int(site.url.rsplit(":", 1)[1])


@pytest.mark.parametrize("kind", UNFINISHED)
def test_six_hundred_unfinished_requests_keep_nobody_from_an_answer(site: Site, token: str, kind: str) -> None:
    with unfinished_requests(port(site), 600, UNFINISHED[kind]) as opened:
        assert [call(port(site), "GET", "/api/v1/me", token=token)[0] for _ in range(10)] == [200] * 10
        assert still_open(opened) > 300


def test_a_chunked_body_is_read_like_any_other(site: Site, token: str) -> None:
    stored = {"key": "terms", "category": "fact", "content": "Acme pays on net-30 terms", "source": "web"}
    text = json.dumps(stored).encode()
    authorized = (f"Authorization: Bearer {token}", JSON, CLOSE, "Transfer-Encoding: chunked")
    body = chunked(text[:7], text[7:])
    status, _, answer = exchange(site.url, head("POST /api/v1/memories HTTP/1.1", *authorized) + body)
    memory = json.loads(answer)["memory"]
    assert (status, memory["content"], memory["status"]) == (201, "Acme pays on net-30 terms", "candidate")
    path = f"/api/v1/memories/{memory['id']}/promote"
    body = chunked(b'{"to": ', b'"applied"}')
    status, _, answer = exchange(site.url, head(f"POST {path} HTTP/1.1", *authorized) + body)
    assert (status, json.loads(answer)["status"]) == (200, "applied")


def test_a_chunked_body_is_bounded(site: Site) -> None:
    start = head("POST /api/v1/memories HTTP/1.1", JSON, "Transfer-Encoding: chunked")
    status, _, answer = exchange(site.url, start + chunked(*[b" " * MIB] * 24))
    assert (status, problem(answer)["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"GET /api/v1/me HTTP/1.1\r\nno colon\r\n\r\n", 400, "malformed"),
        (b"get /api/v1/me HTTP/1.1\r\n\r\n", 400, "malformed"),
        (head("POST /api/v1/memories HTTP/1.1", "Content-Length: many"), 400, "malformed"),
        (head("POST /api/v1/memories HTTP/1.1", "Transfer-Encoding: chunked") + b"xyz\r\n", 400, "malformed"),
        (head("POST /api/v1/memories HTTP/1.1", "Transfer-Encoding: chunked") + b"1;" + b"x" * 9_000, 400, "malformed"),
        (head("POST /api/v1/memories HTTP/1.0", "Transfer-Encoding: chunked") + chunked(b"{}"), 411, "length_required"),
        (head("POST /api/v1/memories HTTP/1.1", f"Content-Length: {22 * MIB}"), 413, "too_large"),
        (b"GET /api/v1/memories?q=" + b"x" * 9_000, 414, "address_too_long"),
        (head("GET /api/v1/me HTTP/1.1", "Expect: tea"), 417, "expectation_failed"),
        (b"GET /api/v1/me HTTP/1.1\r\nX-Long: " + b"x" * 70_000, 431, "header_too_large"),
        (head("POST /api/v1/memories HTTP/1.1", "Transfer-Encoding: gzip"), 501, "not_implemented"),
    ],
)
def test_what_the_server_itself_refuses_is_a_problem_under_api(site: Site, sent: bytes, status: int, code: str) -> None:
    found, headers, body = exchange(site.url, sent)
    told = problem(body)
    assert (found, headers["content-type"]) == (status, "application/problem+json")
    assert (told["status"], told["code"]) == (status, code)
    assert told["instance"].startswith("/api/v1/m")
    assert "?" not in told["instance"]
    assert told["request_id"] == headers["x-request-id"] != ""
    assert told["request_id"] in site.said


def test_what_the_server_itself_refuses_elsewhere_is_a_line_of_text(site: Site) -> None:
    found, headers, body = exchange(site.url, b"GET /memories/ HTTP/1.1\r\nno colon\r\n\r\n")
    assert (found, headers["content-type"]) == (400, "text/plain; charset=utf-8")
    assert body == b"the request cannot be read\n"


def test_a_client_that_still_sends_reads_why_it_is_refused(site: Site) -> None:
    sent = head("POST /api/v1/memories HTTP/1.1", f"Content-Length: {30 * MIB}") + b" " * 30 * MIB
    assert exchange(site.url, sent)[0] == 413


def test_a_client_that_asks_before_it_sends_too_much_is_not_told_to_continue(site: Site) -> None:
    told = ("Expect: 100-continue", f"Content-Length: {22 * MIB}")
    assert exchange(site.url, head("POST /api/v1/memories HTTP/1.1", *told))[0] == 413


@pytest.mark.parametrize("address", ["/health/live", "/api/v1/me", "/login/"])
def test_a_head_is_answered_without_a_body_and_the_connection_goes_on(site: Site, address: str) -> None:
    asked = head(f"HEAD {address} HTTP/1.1") + head("GET /health/live HTTP/1.1", "Connection: close")
    status, headers, rest = exchange(site.url, asked)
    assert status in (200, 401)
    assert int(headers["content-length"]) > 0
    assert rest.startswith(b"HTTP/1.1 200")
    assert rest.endswith(b'{"status": "ok"}')


def test_a_connection_that_is_only_kept_does_not_delay_the_end(migrated: Path) -> None:
    site = Site(migrated, "serve", "--port", "0").up()
    with connect(site.url, head("HEAD /health/live HTTP/1.1")) as kept:  # whose answer ends with its headers
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += kept.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 200")
        site.stop()
        assert kept.recv(1) == b""


def test_a_web_process_that_is_replaced_leaves_no_client_without_an_answer(migrated: Path) -> None:
    site = Site(migrated, "serve", "--port", "0", "--workers", "1").up()
    [web] = [pid for pid in children(site.process.pid) if not children(pid)]
    whole = head("GET /health/live HTTP/1.1", CLOSE)
    with connect(site.url, b"") as silent, connect(site.url, whole[:9]) as begun:
        assert site.health("/health/live") == {"status": "ok"}  # so the two before it were accepted
        os.kill(web, signal.SIGTERM)
        with connect(site.url, whole) as later:  # waits for the next process
            silent.sendall(whole)
            begun.sendall(whole[9:])
            assert [answered(line) for line in (silent, begun, later)] == [b"HTTP/1.1 200"] * 3
    assert web not in children(site.process.pid)
    site.stop()


def answered(line: socket.socket) -> bytes:
    """The beginning of what comes until the end of the connection."""
    answer = b""
    while more := line.recv(65_536):
        answer += more
    return answer[:12]
