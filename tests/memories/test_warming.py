"""After a start of the database what searches read is brought into its memory."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_q.models import OrmQ

from consolidation import schedules
from memories.indexing import ann_index, upkeep
from tests.memories.searched import known

FILES_AND_TABLES = ("passage_search", "memories_vector_pkey", "memories_passage", "memories_vector", "memories_memory")


@pytest.fixture
def just_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "FRESH", timedelta(days=365))


def paths(*relations: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_filepath(name::regclass) FROM unnest(%s::text[]) AS name", [list(relations)])
        return [path for (path,) in cursor.fetchall()]


def read() -> tuple[list[str], list[str]]:
    """The paths that are read, and the statements by which."""
    with CaptureQueriesContext(connection) as queries:
        files = upkeep.read_first()
    return [file.path for file in files], [query["sql"] for query in queries.captured_queries]


@pytest.mark.django_db
@pytest.mark.usefixtures("just_started")
def test_a_start_reads_the_files_of_a_search_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    known("Invoices are paid on Fridays")
    monkeypatch.setattr(upkeep, "CHUNK", 8192)
    files, statements = read()
    assert set(paths(*FILES_AND_TABLES)) <= set(files)
    with connection.cursor() as cursor:
        blocks = sum(file.size for file in upkeep.files_to_read(cursor, 1 << 40)) // 8192
    assert sum("pg_read_binary_file('" in sql for sql in statements) == blocks
    assert not any("<#>" in sql for sql in statements), "there is no index over vectors"


@pytest.mark.django_db
def test_where_not_all_files_have_room_indexes_are_read() -> None:
    for number in range(60):
        known(f"Invoice {number} is paid on Fridays")
    with connection.cursor() as cursor:
        files = upkeep.files_to_read(cursor, 1 << 40)
        indexes = [file for file in files if not file.is_table]
        little = upkeep.files_to_read(cursor, sum(file.size for file in indexes))
    assert len(files) == len(indexes) + len(upkeep.TABLES)
    assert little == indexes


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FRESH", timedelta()),
        ("TABLES", (*upkeep.TABLES, "memories_of_no_migration")),
        ("FACTS", upkeep.FACTS.replace("has_function_privilege(", "false AND has_function_privilege(")),
    ],
)
def test_a_start_reads_nothing_where_nobody_can_or_needs_to(
    name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "FRESH", timedelta(days=365))
    monkeypatch.setattr(upkeep, name, value)
    assert read()[0] == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("just_started")
def test_the_graph_over_vectors_is_read_last_and_walked_from_vectors_of_the_whole_store(settings: Any) -> None:
    settings.ANN_FROM_PASSAGES = 0
    for number in range(5):
        known(f"Invoice {number} is paid on Fridays")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_passage, memories_vector")
    assert ann_index.ensure() == "built"
    index = ann_index.index_name("static-256")
    try:
        files, statements = read()
        [path] = paths(index)
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f'DROP INDEX "{index}"')
    assert files.index(path) == len(files) - 1, "a search in a scope needs none"
    assert len({sql for sql in statements if "<#>" in sql}) == 5


@pytest.mark.django_db
def test_jobs_that_are_queued_when_an_installation_starts() -> None:
    schedules.enqueue_first()
    queued = {row.task["func"] for row in OrmQ.objects.all()}
    of_memories = {f"memories.tasks.{name}" for name in ("tend_tables", "count_metrics")}
    assert queued == of_memories | {"consolidation.tasks.queued", "skills.tasks.scan_again"}
    schedules.load()
