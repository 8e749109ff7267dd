"""Lists over vectors: the index of a store that is too large to compare everything and too small for the graph."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories import embedding
from memories.indexing import ann_index
from memories.indexing.ann_index import Kind
from memories.values.choices import ActorKind, Sensitivity
from memories.values.trust import Actor, Trust
from tests.memories.searched import find, known, said
from tests.memories.vector_indexes import count_rows, forgotten_afterwards, indexes, only_by_index

pytestmark = pytest.mark.django_db(transaction=True)
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
