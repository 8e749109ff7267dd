"""How a worker gets its jobs and records them, without a process between it and the database."""

from datetime import timedelta
from itertools import count

import pytest
from django.db import connection
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import Failure, OrmQ, Schedule, Success
from django_q.tasks import async_task

from memories.leases import Heartbeat
from memos_site.platform.supervision import broker as brokers
from memos_site.platform.supervision import exchange
from memos_site.platform.supervision.broker import CrashSafeBroker
from memos_site.platform.supervision.exchange import STOP, JobSource, ResultSink
from memos_site.platform.supervision.jobs import broker_of

pytestmark = pytest.mark.django_db(transaction=True)


def nothing() -> None:
    """A job, and a sign of life."""


JOB = f"{__name__}.nothing"


@pytest.fixture
def broker() -> CrashSafeBroker:
    return CrashSafeBroker(nothing)


@pytest.fixture
def source(broker: CrashSafeBroker) -> JobSource:
    """One that gives up when it has asked a few times."""
    source, asked = JobSource(broker), count()
    broker.beat = lambda: source.close() if next(asked) > 2 else None
    return source


def test_a_job_is_fetched_and_gone_when_its_success_is_recorded(broker: CrashSafeBroker, source: JobSource) -> None:
    async_task(JOB)  # type: ignore[no-untyped-call]  # django-q has no types
    job = source.get()
    assert job["func"] == JOB
    ResultSink(broker).put(job | {"success": True, "result": None, "stopped": timezone.now()})
    assert not OrmQ.objects.exists()
    assert not any(broker.rows)


def test_a_job_of_a_host_with_another_secret_key_is_left_out_in_one_line_that_names_it(
    source: JobSource, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Conf, "SECRET_KEY", "of another host")
    async_task(JOB)  # type: ignore[no-untyped-call]  # django-q has no types
    monkeypatch.undo()
    assert source.get() == STOP
    assert not OrmQ.objects.exists()
    assert "not signed with this SECRET_KEY" in caplog.text and "Traceback" not in caplog.text


def test_the_newest_successes_are_kept_and_failures_stay(
    broker: CrashSafeBroker, source: JobSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "MOST_SUCCESSES", 2)
    sink, at = ResultSink(broker), timezone.now()
    for number in range(4):
        async_task(JOB, task_name=f"job {number}")  # type: ignore[no-untyped-call]  # django-q has no types
        ended = {"success": number > 0, "result": f"{number} done", "stopped": at + timedelta(seconds=number)}
        sink.put(source.get() | ended)
    assert list(Failure.objects.values_list("name", flat=True)) == ["job 0"]
    kept = Success.objects.order_by("stopped")
    assert [(row.name, row.func, row.result) for row in kept] == [("job 2", JOB, "2 done"), ("job 3", JOB, "3 done")]
    assert not OrmQ.objects.exists()


def test_a_job_cut_off_amid_a_statement_is_recorded_as_failed(broker: CrashSafeBroker, source: JobSource) -> None:
    async_task(JOB)  # type: ignore[no-untyped-call]  # django-q has no types
    job = source.get()
    connection.ensure_connection()
    connection.connection.pgconn.send_query(b"SELECT 1")  # whose answer nobody reads: it takes no other statement
    ResultSink(broker).put(job | {"success": False, "result": "too late", "stopped": timezone.now()})
    assert Failure.objects.get().result == "too late"
    assert not OrmQ.objects.exists()


def test_a_package_of_somebody_else_is_thrown_away(source: JobSource) -> None:
    OrmQ.objects.create(key=source.broker.list_key, payload="signed by nobody", lock=timezone.now())
    async_task(JOB)  # type: ignore[no-untyped-call]  # django-q has no types
    assert source.get()["func"] == JOB
    assert OrmQ.objects.count() == 1


def test_whoever_asks_for_jobs_looks_at_the_schedules_too(source: JobSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "SCHEDULE_SECONDS", -1.0)
    Schedule.objects.all().delete()
    Schedule.objects.create(func=JOB, schedule_type=Schedule.ONCE, next_run=timezone.now() - timedelta(minutes=1))
    assert source.get()["func"] == JOB


def test_after_the_clock_was_set_back_schedules_are_due_again_but_not_one_that_was_postponed() -> None:
    Schedule.objects.all().delete()
    now, hour = timezone.now(), timedelta(hours=1)
    for minutes, left in (1, 1), (1, 1), (15, 9), (1440, 700):
        Schedule.objects.create(func=JOB, schedule_type="I", minutes=minutes, next_run=now + timedelta(minutes=left))
    postponed = Schedule.objects.create(func=JOB, schedule_type="I", minutes=1, next_run=now + hour)
    exchange.bring_forward(at=now)
    assert Schedule.objects.get(pk=postponed.pk).next_run == now + hour
    exchange.bring_forward(at=now - hour)
    due = Schedule.objects.filter(next_run=now - hour).order_by("minutes").values_list("minutes", flat=True)
    assert list(due) == [1, 1, 1, 15]


def test_while_the_database_takes_no_writes_it_is_said_once_and_schedules_wait(
    source: JobSource, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(exchange, "SCHEDULE_SECONDS", -1.0)
    monkeypatch.setattr(brokers, "PAUSE", 0.0)
    source.broker = CrashSafeBroker(Heartbeat())
    Schedule.objects.create(func=JOB, schedule_type=Schedule.ONCE, next_run=timezone.now() - timedelta(minutes=1))
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        assert [source._ask() for _ in range(3)] == [None] * 3
        cursor.execute("SET default_transaction_read_only = off")
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "the database does not answer, or takes no writes"
    ]
    assert not any(record.exc_info for record in caplog.records)
    assert [source._ask() is not None for _ in range(2)] == [False, True], "once jobs are fetched again"


def test_a_worker_ends_while_another_one_asks(source: JobSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "SPARE_SECONDS", 0.0)
    async_task(JOB)  # type: ignore[no-untyped-call]  # django-q has no types
    with source.asking:
        assert source.get() == STOP
    assert source.get() != STOP


def test_a_worker_ends_when_there_shall_be_no_more_jobs(source: JobSource) -> None:
    async_task(JOB)  # type: ignore[no-untyped-call]  # django-q has no types
    source.close()
    assert source.get() == STOP
    assert OrmQ.objects.filter(lock__lte=timezone.now()).exists()


def test_a_worker_that_cannot_ask_leaves_it_to_another(source: JobSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "PAUSE", 0.0)
    monkeypatch.setattr(source.broker, "list_key", "\0")  # no such key can be asked for
    assert source.get() == STOP
    assert source.asking.acquire(block=False)


def test_the_broker_of_a_cluster_leaves_no_connection_that_its_forks_would_share() -> None:
    broker_of(nothing)
    assert connection.connection is None
