"""The database away, silent, full or read-only: told as what it is, and when to come again."""

import errno
import json
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.db import InternalError, connection
from psycopg import InterfaceError

from memories.intake import episodes
from memos_site.platform.outages import outage
from memos_site.platform.postgres import driver
from memos_site.web import inbox
from tests.journeys.installation import call
from tests.make import caller, run
from tests.memos_site.processes import PATIENCE, children, postmaster, until
from tests.memos_site.site import Site
from tests.pages import signed_in

pytestmark = pytest.mark.slow

IMPATIENT = """
import django; django.setup()
from memos_site.platform.supervision import web; web.STATEMENT_SECONDS = 2
from django.core.management import call_command; call_command("serve", port=0)
"""


def raising(code: str) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        connection.cursor().execute(f"DO $$ BEGIN RAISE EXCEPTION 'secret detail' USING ERRCODE = '{code}'; END $$")

    return fail


def too_slow(*_: object, **__: object) -> None:
    connection.cursor().execute("SET LOCAL statement_timeout = '5ms'; SELECT pg_sleep(5)")


def no_space(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def no_writes(*_: object, **__: object) -> None:
    raise OSError(errno.EROFS, "Read-only file system")


OUTAGES = [
    (raising("53100"), "disk_full", "the disk is full"),
    (no_space, "disk_full", "the disk is full"),
    (no_writes, "read_only", "read-only"),
    (too_slow, "unavailable", "does not answer in time"),
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("fail", "code", "said"), OUTAGES)
def test_an_outage_is_told_to_an_agent_and_not_tried_again(
    fail: Callable[..., None], code: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def failing(*_: object, **__: object) -> None:
        tried.append(1)
        fail()

    monkeypatch.setattr(episodes, "conversation", failing)
    answer = caller().post("/api/v1/conversations", run(), format="json")
    told = answer.json()
    assert (answer.status_code, told["code"], told["memory_status"]) == (503, code, "unavailable")
    assert said in told["detail"]
    assert "secret" not in told["detail"]
    assert int(answer["Retry-After"]) > 0
    assert len(tried) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(("fail", "_code", "said"), OUTAGES)
def test_an_outage_is_told_to_a_person(
    fail: Callable[..., None], _code: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in()
    client.raise_request_exception = False
    monkeypatch.setattr(inbox, "render", fail)
    answer = client.get("/")
    assert answer.status_code == 503
    assert said in answer.content.decode().lower()
    assert int(answer["Retry-After"]) > 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("embedded", "code"), [(True, "disk_full"), (False, "read_only")])
def test_a_database_that_takes_no_writes_is_full_where_it_is_ours(embedded: bool, code: str, settings: Any) -> None:
    settings.EMBEDDED = embedded
    try:
        raising("25006")()
    except InternalError as error:
        broken = outage(error)
    assert broken and broken.code == code


@pytest.mark.django_db
def test_another_fault_is_no_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in()
    client.raise_request_exception = False
    monkeypatch.setattr(inbox, "render", raising("23505"))
    assert client.get("/").status_code == 500


@pytest.mark.django_db
def test_what_is_not_allowed_leaves_one_line_in_the_log_and_a_fault_its_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "django.request"):
        assert signed_in(group="viewer").get("/memories/teach/").status_code == 403
        assert [record.exc_info for record in caplog.records] == [None]
        assert "Forbidden" in caplog.text
        client = signed_in("berta")
        client.raise_request_exception = False
        monkeypatch.setattr(inbox, "render", raising("23505"))
        client.get("/")
        assert caplog.records[-1].exc_info


@pytest.fixture
def silent_server(tmp_path: Path) -> Iterator[Path]:
    """Takes connections and never says a word."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / ".s.PGSQL.5432"))
        listener.listen()
        yield tmp_path
    driver._silences.clear()


def test_a_silent_server_is_given_up_and_whoever_comes_next_waits_less(silent_server: Path) -> None:
    assert driver.effective_timeout(30) == 30
    told = {"host": str(silent_server), "port": "5432", "user": "memos", "dbname": "memos", "connect_timeout": 2}
    with pytest.raises(driver.NoAnswer):
        driver.connect(answer_within=11, **told)
    assert driver.effective_timeout(30) == driver.SHORT_WAIT


@pytest.mark.django_db
def test_a_server_that_answers_is_given_all_the_time_again() -> None:
    driver.record_silence()
    connection.cursor().execute("SELECT 1")
    assert driver.effective_timeout(30) == 30


@pytest.mark.django_db(transaction=True)
def test_a_connection_whose_server_was_silent_is_not_used_again() -> None:
    connection.ensure_connection()
    inner: Any = connection.connection
    inner.answer_within = 0.05
    with pytest.raises(driver.NoAnswer):
        inner.execute("SELECT pg_sleep(1)")
    with pytest.raises((driver.OperationalError, InterfaceError)):
        inner.execute("SELECT 1")
    driver._silences.clear()
    connection.close()


def frozen(site: Site) -> list[int]:
    """Stops every process of the database where it is; first the one that starts the others and buries them."""
    os.kill(server := postmaster(site.data_dir), signal.SIGSTOP)
    others = children(server)
    for pid in others:
        os.kill(pid, signal.SIGSTOP)
    return [server, *others]


def asked(url: str, **headers: str) -> tuple[int, bool]:
    """The status, and whether it is said when to come again."""
    try:
        with urlopen(Request(url, headers=headers), timeout=PATIENCE) as answer:
            return int(answer.status), False
    except HTTPError as refusal:
        with refusal:
            return refusal.code, "Retry-After" in refusal.headers


def test_a_hung_database_is_a_503_for_all_who_ask_and_works_again_afterwards(migrated: Path) -> None:
    site = Site(migrated, "shell", "-v", "0", "-c", IMPATIENT).up()
    token, port = site.token, int(site.url.rsplit(":", 1)[1])
    for _ in range(20):  # connections of both web processes
        until(lambda: call(port, "GET", "/api/v1/me", token=token)[0] == 200, what=site.said)
    pids = frozen(site)
    try:
        for _ in range(3):
            status, body = call(port, "GET", "/api/v1/me", token=token)
            assert (status, json.loads(body)["code"]) == (503, "unavailable")
        assert asked(f"{site.url}/health/live")[0] == 200
        assert asked(f"{site.url}/health/ready")[0] == 503
        assert asked(f"{site.url}/", Cookie=f"sessionid={'x' * 32}") == (503, True)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    until(lambda: call(port, "GET", "/api/v1/me", token=token)[0] == 200, what=site.said)
    assert "Traceback" not in site.said
    site.stop()
