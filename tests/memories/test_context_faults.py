"""Whatever is slow or fails, an agent gets what there is, soon, and is told what is missing; a notice is told once."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from memories.models import Adaptation, EmbeddingModel, Injection, Memory
from memories.search.context import assembling
from memories.search.context.time_budget import Allowance
from tests import embedding_endpoint
from tests.at_once import at_once
from tests.memories.contexts import applied, ask, said
from tests.memories.searched import known


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is."""
    monkeypatch.setattr("memories.search.context.assembling.ANSWER_WITHIN", 60)


@pytest.fixture
def endpoint(settings: Any) -> Iterator[embedding_endpoint.Endpoint]:
    """It serves, and its model has taken over."""
    with embedding_endpoint.listening() as listening:
        settings.EMBEDDING_ENDPOINT, settings.EMBEDDING_MODEL = listening.url, "m"
        EmbeddingModel.objects.create(name="m", dimensions=8, near_duplicate_threshold=0.8, active=True)
        yield listening


@pytest.mark.django_db
def test_without_the_model_words_are_enough(endpoint: embedding_endpoint.Endpoint) -> None:
    known("Acme pays on net-30 terms", source="P09")
    assert ask("When does Acme pay?").degraded == ()
    endpoint.fault = lambda _: (500, {"error": "down"})
    given = ask("When does Acme pay?")
    assert said(given) == ["Acme pays on net-30 terms"]
    assert (given.memory_status, given.degraded) == ("degraded", ("embedding",))
    assert Injection.objects.latest("pk").status == "degraded"


@pytest.mark.django_db
def test_a_model_that_never_answers_is_not_waited_for(
    endpoint: embedding_endpoint.Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assembling, "ANSWER_WITHIN", 3)
    over = threading.Event()
    endpoint.fault = lambda _: (500, {"over": over.wait(30)})
    known("Acme pays on net-30 terms", source="P09")
    given, took = timed("When does Acme pay?")
    over.set()
    assert said(given) == ["Acme pays on net-30 terms"]
    assert given.degraded == ("embedding",)
    assert took < 8


def timed(task: str) -> tuple[assembling.Context, float]:
    began = time.monotonic()
    return ask(task), time.monotonic() - began


@pytest.mark.django_db(transaction=True)
def test_a_table_that_somebody_holds_costs_its_part_and_not_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembling, "ANSWER_WITHIN", 4)
    known("Acme pays on net-30 terms")
    with held("memories_passage"):
        given, took = timed("When does Acme pay?")
    assert said(given) == ["Acme pays on net-30 terms"]  # by its source
    assert "search" in given.degraded
    assert took < 6
    with held("memories_memory"):
        given, took = timed("When does Acme pay?")
    assert (given.block, given.memory_status) == ("", "degraded")
    assert took < 6
    assert ask("When does Acme pay?").degraded == ()


class held:  # noqa: N801 - reads as a verb
    """Somebody changes the table's shape and does not finish."""

    def __init__(self, table: str) -> None:
        self.table, self.there, self.over = table, threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._hold)

    def __enter__(self) -> None:
        self.thread.start()
        assert self.there.wait(10)

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def _hold(self) -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {self.table} IN ACCESS EXCLUSIVE MODE")
                self.there.set()
                self.over.wait(20)
        finally:
            connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_row_that_somebody_holds_is_given_and_its_use_is_not_waited_for() -> None:
    memory = known("Acme pays on net-30 terms")

    def first() -> None:
        with transaction.atomic():
            Memory.objects.select_for_update().get(pk=memory.pk)
            there.set()
            over.wait(20)

    def second() -> None:
        assert there.wait(10)
        given.append(ask("When does Acme pay?"))
        over.set()

    there, over, given = threading.Event(), threading.Event(), list[assembling.Context]()
    at_once(first, second)
    assert (said(given[0]), given[0].degraded) == (["Acme pays on net-30 terms"], ())
    assert Memory.objects.get().times_used == 0


@pytest.mark.django_db(transaction=True)
def test_of_many_callers_at_once_one_is_told() -> None:
    for number in range(3):
        applied(f"Reply in German {number}")
    told = at_once(*[lambda: ask("x").notices] * 6)
    assert len([notice for notices in told for notice in notices]) == 3
    assert len({notice for notices in told for notice in notices}) == 3
    assert Adaptation.objects.filter(notified_at=None).count() == 0


@pytest.mark.django_db
def test_a_part_that_breaks_is_named_and_the_others_go_on() -> None:
    allowance = Allowance(1)
    assert allowance.part("search", lambda: 1 // 0) is None
    assert allowance.part("source", broken_statement) is None
    assert allowance.part("company", Memory.objects.count) == 0
    assert allowance.degraded == ["search", "source"]


def broken_statement() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


@pytest.mark.django_db
def test_after_its_time_nothing_more_is_asked() -> None:
    allowance = Allowance(0)
    assert allowance.part("search", Memory.objects.count) is None
    assert allowance.degraded == ["search"]


@pytest.mark.django_db
def test_several_slow_statements_share_one_allowance() -> None:
    def slow() -> None:
        for _ in range(10):
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(0.15)")

    began = time.monotonic()
    allowance = Allowance(0.4)
    assert allowance.part("search", slow) is None
    assert time.monotonic() - began < 1.2  # ten times 0.15 are more
    assert patience() == "0"


@pytest.mark.django_db
def test_a_larger_transaction_keeps_its_own_patience() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '33s'")
    assert Allowance(1).part("search", patience) not in ("0", "33s")
    assert patience() == "33s"


def patience() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        return str(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_only_a_database_that_is_gone_is_an_error() -> None:
    known("Acme pays on net-30 terms")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [mine] = cursor.fetchone()
    at_once(lambda: terminate(mine))
    with pytest.raises(OperationalError):
        ask("When does Acme pay?")
    connection.close()
    assert ask("When does Acme pay?").degraded == ()


def terminate(pid: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
