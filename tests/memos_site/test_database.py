"""The embedded database does what the application asks of it."""

import pytest
from django.db import connection, connections

from memos_site.platform.supervision import web

IDLE = "idle_in_transaction_session_timeout"


@pytest.mark.django_db
def test_the_vector_extension_can_be_created() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
        cursor.execute("SELECT '[1,2,3]'::vector <=> '[1,2,3]'::vector, version()")
        distance, version = cursor.fetchone()
    assert distance == 0
    assert version.startswith("PostgreSQL 18")


@pytest.mark.django_db
def test_a_web_process_that_freezes_in_a_transaction_does_not_keep_its_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    told = connections.settings["default"]
    monkeypatch.setitem(told, "OPTIONS", dict(told["OPTIONS"]))
    web.limit_waits()
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout'), current_setting(%s)", [IDLE])
        assert cursor.fetchone() == ("10s", "1min")
    other.close()
