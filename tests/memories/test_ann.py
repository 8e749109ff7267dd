"""The index over vectors: built where there is too much to compare everything, and only there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.indexing import ann_index
from memories.models import EmbeddingModel
from memories.search import candidates, run, table_statistics
from memories.search.plan import SearchPlan
from memories.values.choices import ActorKind, Sensitivity
from memories.values.trust import Actor, Trust
from tests.memories.searched import find, known, said

pytestmark = pytest.mark.django_db(transaction=True)
NAME = ann_index.index_name("static-256")


@pytest.fixture(autouse=True)
def figures_of_this_test() -> Iterator[None]:
    table_statistics.cache.drop()
    yield
    with connection.cursor() as cursor:
        for name in indexes():
            cursor.execute(f'DROP INDEX "{name}"')
    table_statistics.cache.drop()


def indexes() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'vector\\_near\\_%'")
        return {name for (name,) in cursor.fetchall()}


@contextmanager
def only_by_index() -> Iterator[None]:
    """Of a few rows the planner would read all and sort them."""
    with connection.cursor() as cursor:
        cursor.execute("SET enable_sort = off")
        yield
        cursor.execute("RESET enable_sort")


def count_rows() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_passage, memories_vector")


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
        used.append(plan.uses_index)
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
        [search] = [query["sql"] for query in asked if "by_meaning" in query["sql"]]
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


def test_two_at_once_build_one(settings: Any) -> None:
    settings.ANN_FROM_PASSAGES = 0
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtext('memories.indexing.ann_index'))")
        assert ann_index.ensure() == "another is at it"
    other.close()
