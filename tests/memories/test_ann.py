"""The index over vectors: built where there is too much to compare everything, and only there."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.test.utils import CaptureQueriesContext

from memories.indexing import ann_index
from memories.models import EmbeddingModel, Lease
from memories.search import candidates, run
from memories.search.plan import SearchPlan
from memories.values.choices import ActorKind, Sensitivity
from memories.values.trust import Actor, Trust
from tests.memories.searched import find, known, said
from tests.memories.vector_indexes import count_rows, forgotten_afterwards, indexes, only_by_index
from tests.memos_site.processes import until

pytestmark = pytest.mark.django_db(transaction=True)
NAME = ann_index.index_name("static-256")


@pytest.fixture(autouse=True)
def figures_of_this_test() -> Iterator[None]:
    with forgotten_afterwards():
        yield


def test_where_there_is_little_no_index_is_built() -> None:
    known("The physician prescribed some medicine")
    count_rows()
    assert ann_index.ensure() == "too few for an index"
    assert indexes() == set()


def test_above_the_setting_it_is_built_once_and_searches_use_it(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ANN_FROM_PASSAGES = 0
    for text in ("The physician prescribed some medicine", "Invoices are paid on Fridays", "Our logo is green"):
        known(text)
    count_rows()
    assert [ann_index.ensure(), ann_index.ensure()] == ["built", "it is there"]
    assert indexes() == {NAME}
    used, pool = [], candidates.pool

    def watched(plan: SearchPlan) -> object:
        used.append(plan.index is not None)
        return pool(plan)

    monkeypatch.setattr(run, "pool", watched)
    assert said(find("doctor gave drugs"))[0] == "The physician prescribed some medicine"
    assert said(find("doctor gave drugs", types=["episodic"])) == []
    assert used == [True, True]


def test_what_the_caller_may_not_see_does_not_empty_what_the_index_finds(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ANN_FROM_PASSAGES = 0
    monkeypatch.setattr(ann_index, "NEAREST", 5)
    monkeypatch.setattr(ann_index, "EFFORT", 5)
    for n in range(30):
        known(f"The physician prescribed medicine {n}", sensitivity=Sensitivity.HYPER)
    known("Nurses hand out pills", sensitivity=Sensitivity.LOW)
    count_rows()
    assert ann_index.ensure() == "built"
    reader = Trust(Actor(ActorKind.AGENT, "ada", "ada"), Sensitivity.LOW)
    with only_by_index(), CaptureQueriesContext(connection) as asked:
        assert said(find("doctor gave drugs", by=reader)) == ["Nurses hand out pills"]
        [search] = [query["sql"] for query in asked if "best AS MATERIALIZED" in query["sql"]]
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {search}")
            assert f"Index Scan using {NAME}" in str(cursor.fetchall())


def test_the_index_of_a_model_that_does_not_serve_any_more_goes(settings: Any) -> None:
    settings.ANN_FROM_PASSAGES = 0
    known("Acme pays")
    count_rows()
    ann_index.ensure()
    EmbeddingModel.objects.create(name="other", dimensions=8, near_duplicate_threshold=0.8, active=True)
    assert ann_index.ensure() == "no index for 0 dimensions"
    assert indexes() == set()


def test_an_index_of_another_definition_is_built_anew(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ANN_FROM_PASSAGES = 0
    known("Acme pays")
    count_rows()
    ann_index.ensure()
    monkeypatch.setattr(ann_index, "GRAPH", {"m": 8, "ef_construction": 32})
    assert ann_index.ensure() == "built"
    assert indexes() == {ann_index.index_name("static-256")} != {NAME}


def test_what_an_interrupted_build_left_is_built_anew(settings: Any) -> None:
    settings.ANN_FROM_PASSAGES = 0
    known("Acme pays")
    count_rows()
    ann_index.ensure()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", [NAME])
    assert ann_index.ensure() == "built"


@pytest.mark.parametrize("direct", [True, False])
def test_the_memory_of_a_build_stays_with_its_session_and_is_not_set_behind_a_pooler(
    settings: Any, monkeypatch: pytest.MonkeyPatch, direct: bool
) -> None:
    settings.ANN_FROM_PASSAGES = 0
    known("Acme pays")
    count_rows()
    before, during, add_index = memory_of(connection), [], DatabaseSchemaEditor.add_index

    def watched(self: DatabaseSchemaEditor, *args: Any, **options: Any) -> None:
        during.extend([memory_of(connection), memory_of(self.connection)])
        add_index(self, *args, **options)

    monkeypatch.setattr(DatabaseSchemaEditor, "add_index", watched)
    monkeypatch.setattr(ann_index, "MOST_MEMORY", 77 << 10)
    monkeypatch.setattr(ann_index, "OF_A_ROW", 1 << 30)
    assert ann_index.is_direct(connection)  # a pooler tells clients another process than the one that answers
    monkeypatch.setattr(ann_index, "is_direct", lambda _: direct)
    assert ann_index.ensure() == "built"
    assert during == [before, "77MB" if direct else before]
    assert memory_of(connection) == before


def memory_of(session: BaseDatabaseWrapper) -> str:
    with session.cursor() as cursor:
        cursor.execute("SHOW maintenance_work_mem")
        [shown] = cursor.fetchone()
    return str(shown)


def test_two_at_once_build_one(settings: Any) -> None:
    settings.ANN_FROM_PASSAGES = 0
    Lease.objects.acquire(ann_index.LEASE, owner="another host", seconds=60)
    assert ann_index.ensure() == "another is at it"


def test_a_build_whose_process_has_died_goes_on_in_the_database_and_is_left_alone(settings: Any) -> None:
    settings.ANN_FROM_PASSAGES = 0
    known("Acme pays")
    count_rows()
    writer = connection.copy()  # a build waits for the end of every transaction that has written
    with ThreadPoolExecutor(1) as pool:
        try:
            writer.set_autocommit(False)
            with writer.cursor() as cursor:
                cursor.execute("UPDATE memories_vector SET scope = scope")
            build = pool.submit(ann_index_in_a_thread)
            until(being_built, seconds=20, what="the build")
            Lease.objects.all().delete()  # as if its process had died
            assert ann_index.ensure() == "another is at it"
        finally:
            writer.close()
    assert build.result() == "built"


def being_built() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_stat_progress_create_index WHERE relid = 'memories_vector'::regclass")
        return cursor.fetchone() is not None


def ann_index_in_a_thread() -> str:
    try:
        return ann_index.ensure()
    finally:
        connection.close()
