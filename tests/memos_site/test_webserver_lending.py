"""Which connection to the database a request has. The loop of the server is turned by hand."""

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from django.db import connection

from memos_site.platform.postgres.lending import close_expired
from tests.memos_site.processes import PATIENCE
from tests.memos_site.raw_http import head
from tests.memos_site.test_webserver_limits import Turned, status

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 3
together = threading.Barrier(AT_ONCE, timeout=PATIENCE)


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers with the process id of the database's side; under /together once AT_ONCE requests are asked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        answer = str(cursor.fetchone()[0]).encode()
    if environ["PATH_INFO"] == "/together":
        together.wait()
    if environ["PATH_INFO"] == "/failing":
        raise ValueError
    start_response("200 OK", [("Content-Length", str(len(answer)))])
    return [answer]


@pytest.fixture
def turned() -> Iterator[Turned]:
    turned = Turned(application)
    yield turned
    turned.close()
    close_expired(math.inf)


def ask(turned: Turned, *paths: str) -> list[int]:
    """Ask for the paths at once; the process ids of the answers, once the server is done with them."""
    clients = [turned.connect(head(f"GET {path} HTTP/1.1", "Connection: close")) for path in paths]
    return [int(turned.read(client).rpartition(b"\r\n\r\n")[2]) for client in clients]


def open_connections(pids: Iterable[int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = ANY(%s)", [list(pids)])
        return int(cursor.fetchone()[0])


def test_requests_one_after_another_have_one_connection_and_those_at_once_have_their_own(turned: Turned) -> None:
    assert len({ask(turned, "/")[0] for _ in range(10)}) == 1
    assert len(set(ask(turned, *["/together"] * AT_ONCE))) == AT_ONCE
    assert len({ask(turned, "/")[0] for _ in range(10)}) == 1


def test_a_request_that_fails_gives_its_connection_back(turned: Turned) -> None:
    before = ask(turned, "/")
    assert status(turned.read(turned.connect(head("GET /failing HTTP/1.1")))) == 500
    assert ask(turned, "/") == before


def test_idle_connections_are_closed_when_their_age_is_over(turned: Turned) -> None:
    pids = set(ask(turned, *["/together"] * AT_ONCE))
    turned.later(0)
    assert open_connections(pids) == AT_ONCE
    close_expired(time.monotonic() + 61)
    deadline = time.monotonic() + PATIENCE
    while open_connections(pids):
        assert time.monotonic() < deadline
    assert not pids & set(ask(turned, "/"))
