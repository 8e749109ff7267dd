"""Tables that came by a way of which the database's own upkeep learns late are vacuumed and analyzed by a job."""

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError, connection

from memories import metrics, tasks
from memories.indexing import upkeep
from memories.metrics import figures, sampling, snapshots
from memories.models import Memory
from memories.values.choices import Status
from memories.values.trust import everything
from tests.make import ANNA, AT, caller, make_memory

PROBE = "public.upkeep_probe"
KNOWN = """SELECT relallvisible > 0 AND reltuples = 100000,
    EXISTS (SELECT FROM pg_stats WHERE tablename = 'upkeep_probe') FROM pg_class WHERE relname = 'upkeep_probe'"""


def ask(statement: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def _brought_in(transactional_db: None) -> Iterator[None]:
    ask(f"CREATE TABLE {PROBE} WITH (autovacuum_enabled = false) AS SELECT n FROM generate_series(1, 100000) AS n")
    yield
    ask(f"DROP TABLE {PROBE}")


@pytest.mark.usefixtures("_brought_in")
def test_a_table_that_was_filled_by_sql_is_vacuumed_and_analyzed_and_then_left_alone() -> None:
    assert PROBE in upkeep.needy_tables()
    assert PROBE in tasks.tend_tables()
    assert ask(KNOWN) == [(True, True)]
    assert PROBE not in upkeep.needy_tables()


def too_long(*_asked: object, **_facts: object) -> None:
    raise OperationalError("canceling statement due to statement timeout")


def only_from_a_sample(query: figures.Query, *, pages: int = 0, counted: Any = figures._count_now) -> Any:
    return counted(query, pages=pages) if pages else too_long(query)


def only_a_little(budget: sampling.Budget, _whole: Callable[[], Any], little: Callable[[], Any]) -> Any:
    budget.estimated = True
    return little()


def copies_of(memory: Memory, number: int, **facts: Any) -> list[Memory]:
    copies = [copy(memory) for _ in range(number)]
    for one in copies:
        one.__dict__.update(facts, id=uuid4(), key=None)
    return copies


@pytest.mark.django_db
def test_figures_that_take_too_long_to_count_are_those_of_the_last_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshots.take(at=AT)
    make_memory("a")
    later = AT + timedelta(days=2)
    assert metrics.collect(everything(), at=later)["total_records"] == 1
    monkeypatch.setattr(figures, "_count_now", too_long)
    shown = metrics.collect(everything(), at=later)
    assert (shown["total_records"], shown["collected_at"], shown["estimated"]) == (0, AT, False)


@pytest.mark.django_db
def test_a_large_store_that_was_never_counted_is_estimated_within_what_the_caller_may_see(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Memory.objects.bulk_create(copies_of(make_memory("a"), 1_200, scope="a") + copies_of(make_memory("b"), 400))
    monkeypatch.setattr(figures, "_count_now", only_from_a_sample)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size('memories_memory') / current_setting('block_size')::int")
        pages = cursor.fetchone()[0]  # more than these rows fill: other tests leave empty ones
    monkeypatch.setattr(sampling, "SAMPLED_PAGES", pages * 3 // 4)
    monkeypatch.setattr(sampling, "FEW_SECONDS", 60)  # of a machine that does other things as well
    shown = metrics.collect(everything(), at=AT)
    assert shown["estimated"]
    assert shown["total_records"] == pytest.approx(1_602, rel=0.4), "of three pages in four"
    assert sum(shown["confidence_distribution"].values()) == pytest.approx(shown["total_records"], abs=10)
    limited = metrics.collect(replace(everything(), scopes=frozenset({"b"})), at=AT)
    assert limited["total_records"] == pytest.approx(402, rel=0.7), "those without a scope"


@pytest.mark.django_db
def test_each_other_figure_that_takes_too_long_is_that_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    make_memory("a").dismiss(by=ANNA, why="wrong", at=AT)
    waiting = make_memory("b", status=Status.CANDIDATE)
    counted = metrics.collect(everything(), at=AT)
    monkeypatch.setattr(sampling.Budget, "of_either", only_a_little)
    monkeypatch.setattr(sampling, "SAMPLED_PAGES", 1_000_000)  # other tests leave empty pages behind
    estimated = metrics.collect(everything(), at=AT)
    assert estimated == counted | {"estimated": True}, "a sample of a small table is the table"
    assert (estimated["tombstones"]["standing"], estimated["inbox"]["waiting"]) == (1, 1)
    assert metrics.inbox(everything(), at=AT)["oldest_at"] == waiting.created_at


@pytest.mark.django_db
def test_what_takes_longer_than_a_few_seconds_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = sampling.Budget()
    monkeypatch.setattr(sampling, "FEW_SECONDS", 0.05)
    budget.each = True
    assert budget.of_either(lambda: ask("SELECT pg_sleep(60)"), lambda: ["little"]) == ["little"]
    assert budget.estimated


@pytest.mark.django_db
def test_figures_for_prometheus_leave_out_what_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "dismissals", too_long)
    told = caller().get("/metrics")
    assert told.status_code == 200
    assert b"memos_tombstone_hits" not in told.content and b"memos_inbox_items" in told.content


@pytest.mark.django_db
def test_a_table_that_was_never_analyzed_is_large_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "CHANGES", snapshots.CHANGES.replace("reltuples > 0", "false"))
    make_memory("a")
    monkeypatch.setattr(snapshots, "LARGE", 5)
    assert metrics.refresh(at=AT), "8 KB are more than five memories"
