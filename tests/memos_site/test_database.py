"""The embedded database does what the application asks of it."""

from typing import Any

import dj_database_url
import pytest
from django.db import connection, connections

import manage
from memories.models import bulk_rows
from memos_site.platform.postgres.remote.base import DatabaseWrapper
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


@pytest.mark.parametrize(
    ("statement", "parameters", "answer"),
    [
        ("SELECT %s::int, '%%', %s::text", [1, "a"], (1, "%", "a")),
        ("SELECT %(b)s::int, '%%', %(a)s::text, %(b)s::int", {"a": "a", "b": 2}, (2, "%", "a", 2)),
        ("SELECT '%s'", None, ("%s",)),
    ],
)
@pytest.mark.django_db
def test_a_prepared_statement_takes_parameters_by_place_and_by_name(
    statement: str, parameters: Any, answer: Any
) -> None:
    with bulk_rows.prepared() as cursor:
        for _ in range(3):  # the server has prepared it by the third time
            cursor.execute(statement, parameters)
            assert cursor.fetchone() == answer


@pytest.mark.django_db
def test_a_command_before_the_migrations_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing_table(_: object) -> None:
        connection.cursor().execute("SELECT 1 FROM memories_none")

    monkeypatch.setattr("django.core.management.execute_from_command_line", missing_table)
    with pytest.raises(SystemExit, match=r"^CommandError: the database has not the tables .*memories_none"):
        manage.main()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "reason"),
    [("postgres://u:secret@127.0.0.1:1/x", "Connection refused"), ("postgres://u@127.0.0.1:1/x?foo=1", 'option "foo"')],
)
def test_a_command_without_a_database_is_a_sentence(address: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = DatabaseWrapper(connections.settings["default"] | dict(dj_database_url.parse(address)), "other")
    monkeypatch.setattr("django.core.management.execute_from_command_line", lambda _: other.ensure_connection())
    with pytest.raises(SystemExit, match=f"^CommandError: the database: .*{reason}") as ended:
        manage.main()
    assert "secret" not in str(ended.value)


def test_ctrl_c_ends_a_command_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("django.core.management.execute_from_command_line", interrupted)
    with pytest.raises(SystemExit) as ended:
        manage.main()
    assert ended.value.code == 130
