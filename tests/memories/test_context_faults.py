"""Whatever is slow or fails, an agent gets what there is, soon, and is told what is missing; a notice is told once."""

import threading
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
from tests.memos_site.processes import PATIENCE


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
    over, answers = threading.Event(), list[bool]()

    def fault(_: Any) -> tuple[int, Any]:
        answers.append(over.wait(PATIENCE))
        return 500, {}

    endpoint.fault = fault
    known("Acme pays on net-30 terms", source="P09")
    given = ask("When does Acme pay?")
    assert answers == []
    over.set()
    assert said(given) == ["Acme pays on net-30 terms"]
    assert given.degraded == ("embedding",)


@pytest.mark.django_db(transaction=True)
def test_a_table_that_somebody_holds_costs_its_part_and_not_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembling, "ANSWER_WITHIN", 4)
    known("Acme pays on net-30 terms")
    with held("memories_passage"):
        given = ask("When does Acme pay?")
    assert said(given) == ["Acme pays on net-30 terms"]  # by its source
    assert "search" in given.degraded
    with held("memories_memory"):
        given = ask("When does Acme pay?")
    assert (given.block, given.memory_status) == ("", "degraded")
    assert ask("When does Acme pay?").degraded == ()


class held:  # noqa: N801 - reads as a verb
    """Somebody changes the table's shape and does not finish."""

    def __init__(self, table: str) -> None:
        self.table, self.there, self.over = table, threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._hold)

    def __enter__(self) -> None:
        self.thread.start()
        assert self.there.wait(PATIENCE)

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def _hold(self) -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {self.table} IN ACCESS EXCLUSIVE MODE")
                self.there.set()
                self.over.wait(PATIENCE)
        finally:
            connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_row_that_somebody_holds_is_given_and_its_use_is_not_waited_for() -> None:
    memory = known("Acme pays on net-30 terms")

    def first() -> None:
        with transaction.atomic():
            Memory.objects.select_for_update().get(pk=memory.pk)
            there.set()
            over.wait(PATIENCE)

    def second() -> None:
        assert there.wait(PATIENCE)
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
    allowance = Allowance(PATIENCE)
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
    done: list[int] = []

    def slow() -> None:
        for number in range(10):
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(0.15)")
            done.append(number)

    allowance = Allowance(0.4)
    assert allowance.part("search", slow) is None
    assert len(done) < 3, "each by itself is within the time, three are not"
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
