"""After a start of the database what searches read is brought into its memory, within a limit of time."""

import math
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_q.models import OrmQ

from consolidation import schedules
from memories import tasks
from memories.indexing import ann_index
from memories.search import table_statistics, warming
from memories.search.warming import Warmed
from tests.make import AT
from tests.memories.searched import known
from tests.plans import plan_of_sql

FILES_AND_TABLES = ("passage_search", "memories_vector_pkey", "memories_passage", "memories_vector", "memories_memory")


@pytest.fixture(autouse=True)
def statistics_of_this_test() -> Iterator[None]:
    table_statistics.cache.drop()
    yield
    table_statistics.cache.drop()


@pytest.fixture
def just_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "FRESH", timedelta(days=365))


def warm(seconds: float = 60.0) -> Warmed | None:
    return warming.warm(at=AT, until=time.monotonic() + seconds)


def sizes(*relations: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(pg_relation_size(name::regclass)) FROM unnest(%s::text[]) AS name", [list(relations)]
        )
        return int(cursor.fetchone()[0])


@pytest.mark.django_db
@pytest.mark.usefixtures("just_started")
def test_indexes_and_tables_of_a_search_are_read_whole_and_a_scope_is_searched() -> None:
    known("Invoices are paid on Fridays", scope="project:shop")
    with CaptureQueriesContext(connection) as queries:
        warmed = warm()
    assert warmed is not None
    assert warmed.read >= sizes(*FILES_AND_TABLES)
    assert (warmed.searches, warmed.complete) == (1, True)
    assert any("project:shop" in query["sql"] and "best AS" in query["sql"] for query in queries.captured_queries)


@pytest.mark.django_db
@pytest.mark.usefixtures("just_started")
def test_a_start_reads_the_files_and_no_rows() -> None:
    known("Invoices are paid on Fridays")
    read = warming.read_first(until=math.inf)
    assert read is not None
    assert read.read >= sizes(*FILES_AND_TABLES)
    assert (read.searches, read.complete) == (0, True)
    assert warming.read_first(until=0.0) == Warmed(0, 0, complete=False)


@pytest.mark.django_db
@pytest.mark.usefixtures("just_started")
def test_where_not_all_files_have_room_indexes_are_read() -> None:
    for number in range(60):
        known(f"Invoice {number} is paid on Fridays")
    with connection.cursor() as cursor:
        server = warming._server(cursor)
        cursor.execute(warming.FILES, {"tables": list(warming.TABLES)})
        files = list(map(warming.File._make, cursor.fetchall()))
        indexes = [file for file in files if not file.is_table]
        little = server._replace(cache=sum(file.size for file in indexes))
        read = [step.args[1] for step in warming._files(cursor, little)]  # type: ignore[attr-defined]
    assert len(files) == len(indexes) + len(warming.TABLES)
    assert read == [file.path for file in indexes]


@pytest.mark.django_db
def test_a_start_reads_nothing_where_nobody_can_or_needs_to(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = "has_function_privilege('pg_read_binary_file(text, bigint, bigint, boolean)', 'EXECUTE')"
    for name, value in (
        ("FRESH", timedelta()),
        ("TABLES", (*warming.TABLES, "memories_of_no_migration")),
        ("FACTS", warming.FACTS.replace(allowed, "false")),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(warming, "FRESH", timedelta(days=365))
            changed.setattr(warming, name, value)
            assert warming.read_first(until=math.inf) is None, name


@pytest.mark.django_db
@pytest.mark.usefixtures("just_started")
def test_rows_are_read_by_their_places_so_that_they_stay_in_the_buffers() -> None:
    known("Invoices are paid on Fridays")
    with CaptureQueriesContext(connection) as queries:
        warm()
    places = [query["sql"] for query in queries.captured_queries if "ctid" in query["sql"]]
    assert [any(table in sql for sql in places) for table in warming.TABLES] == [True, True, True]
    for sql in places:
        assert "Tid Range Scan" in plan_of_sql(sql)


@pytest.mark.django_db
@pytest.mark.usefixtures("just_started")
def test_a_table_larger_than_the_buffers_is_read_from_its_newest_rows_on(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(60):
        known(f"Invoice {number} is paid on Fridays")
    block = 8192
    monkeypatch.setattr(warming, "CHUNK", block)
    with connection.cursor() as cursor:
        server = warming.Server(timedelta(), 0, block, 1 << 30, 1 << 30, may_read_files=False)
        [newest, before] = [step.args[1:4] for step in warming._rows(cursor, server, room=2 * block)]  # type: ignore[attr-defined]
    last = sizes("memories_vector") // block
    assert [newest, before] == [("memories_vector", last - 1, last), ("memories_vector", last - 2, last - 1)]


@pytest.mark.django_db
@pytest.mark.usefixtures("just_started")
def test_a_database_that_lets_nobody_read_files_reads_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    known("Invoices are paid on Fridays")
    allowed = "has_function_privilege('pg_read_binary_file(text, bigint, bigint, boolean)', 'EXECUTE')"
    assert allowed in warming.FACTS
    monkeypatch.setattr(warming, "FACTS", warming.FACTS.replace(allowed, "false"))
    warmed = warm()
    assert warmed is not None
    assert warmed.read == sizes(*warming.TABLES)


@pytest.mark.django_db
@pytest.mark.usefixtures("just_started")
def test_when_the_time_is_over_the_rest_is_left() -> None:
    known("Invoices are paid on Fridays")
    assert warm(seconds=0.0) == Warmed(0, 0, complete=False)


@pytest.mark.django_db
def test_a_database_that_has_run_for_a_while_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "FRESH", timedelta())
    assert warm() is None
    assert tasks.warm_search() == "the database has run for a while"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("just_started")
def test_the_graph_over_vectors_is_walked_from_vectors_of_the_whole_store(settings: Any) -> None:
    settings.ANN_FROM_PASSAGES = 0
    for number in range(5):
        known(f"Invoice {number} is paid on Fridays")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_passage, memories_vector")
    assert ann_index.ensure() == "built"
    try:
        warmed, first = warm(), warming.read_first(until=math.inf)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_relation_filepath(%s)", [ann_index.index_name("static-256")])
            [index] = cursor.fetchone()
            paths = [step.args[1] for step in warming._files(cursor, warming._server(cursor))]  # type: ignore[attr-defined]
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f'DROP INDEX "{ann_index.index_name("static-256")}"')
    assert warmed is not None
    assert warmed.searches > 5
    assert first is not None
    assert 0 < first.searches < warmed.searches, "a start walks it too, for less long"
    assert [paths.index(index), paths.count(index)] == [len(paths) - 1, 1], "read last: a search in a scope needs none"


@pytest.mark.django_db
def test_it_is_queued_when_an_installation_starts() -> None:
    schedules.enqueue_first()
    queued = {row.task["func"] for row in OrmQ.objects.all()}
    of_memories = {f"memories.tasks.{name}" for name in ("tend_tables", "count_metrics", "warm_search")}
    assert queued == of_memories | {"consolidation.tasks.queued", "skills.tasks.scan_again"}
    schedules.load()
