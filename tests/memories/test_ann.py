"""The index over vectors: built where there is too much to compare everything, and only there.

Lists over vectors: the index of a store that is too large to compare everything and too small for the graph.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.test.utils import CaptureQueriesContext

from memories import embedding
from memories.indexing import ann_index
from memories.indexing.ann_index import Kind
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


LISTS, GRAPH = (ann_index.index_name("static-256", kind) for kind in (Kind.LISTS, Kind.GRAPH))


@pytest.fixture(autouse=True)
def small_numbers(settings: Any) -> Iterator[None]:
    """Lists from 3 passages on, the graph from 13."""
    settings.ANN_FROM_PASSAGES = 2 * ann_index.LISTS_SHARE
    with forgotten_afterwards():
        yield


def stored(first: int, last: int, **facts: Any) -> None:
    for n in range(first, last):
        known(f"The physician prescribed medicine {n}", **facts)
    count_rows()


def plan_of(query: str, **asked: Any) -> tuple[list[str], str]:
    """What a search finds, and how the database did it."""
    with only_by_index(), CaptureQueriesContext(connection) as queries:
        found = said(find(query, **asked))
        [search] = [query["sql"] for query in queries if "best AS MATERIALIZED" in query["sql"]]
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {search}")
            return found, str(cursor.fetchall())


def test_above_a_share_of_the_setting_there_are_lists_and_searches_of_everything_read_them() -> None:
    stored(0, 2)
    assert ann_index.ensure() == "too few for an index"
    stored(2, 5)
    known("Debts are paid on Fridays", scope="acme")
    count_rows()
    assert [ann_index.ensure(), ann_index.ensure()] == ["built", "it is there"]
    assert indexes() == {LISTS}
    count_rows()
    found, plan = plan_of("when do we pay what we owe")
    assert found[0] == "Debts are paid on Fridays"
    assert f"Index Scan using {LISTS}" in plan


def test_where_a_scope_is_asked_all_of_it_and_all_that_is_shared_are_compared() -> None:
    stored(0, 5, scope="acme")
    assert ann_index.ensure() == "built"
    count_rows()
    assert LISTS in plan_of("doctor gave drugs")[1]
    assert LISTS not in plan_of("doctor gave drugs", scopes=["acme"])[1]


def test_what_the_caller_may_not_see_does_not_empty_the_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ann_index, "NEAREST_OF_LISTS", 5)
    monkeypatch.setattr(ann_index, "PROBES", 1)
    stored(0, 10, sensitivity=Sensitivity.HYPER)
    known("Nurses hand out pills", sensitivity=Sensitivity.LOW)
    count_rows()
    assert ann_index.ensure() == "built"
    count_rows()
    found, plan = plan_of("doctor gave drugs", by=Trust(Actor(ActorKind.AGENT, "ada", "ada"), Sensitivity.LOW))
    assert found == ["Nurses hand out pills"]
    assert f"Index Scan using {LISTS}" in plan


def test_a_store_that_grows_gets_the_graph_and_one_that_shrinks_keeps_what_it_has(settings: Any) -> None:
    stored(0, 4)
    assert ann_index.ensure() == "built"
    stored(4, 14)
    assert ann_index.ensure() == "built"
    assert indexes() == {GRAPH}
    settings.ANN_FROM_PASSAGES = 20
    assert ann_index.ensure() == "it is there"
    assert indexes() == {GRAPH}


def test_a_question_without_a_vector_is_searched_by_its_words_where_there_is_an_index() -> None:
    question = "包裹退款"
    assert embedding.built_in().embed([question]) == [None]
    known("退款在包裹到达仓库之后")
    stored(0, 12)
    assert ann_index.ensure() == "built"
    assert said(find(question)) == ["退款在包裹到达仓库之后"]
