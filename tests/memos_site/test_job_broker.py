"""A worker whose connection to the database broke takes jobs again as soon as the database answers."""

from types import SimpleNamespace

import pytest
from django.db import connection
from redis.exceptions import ConnectionError

from memories import leases
from memos_site.platform.supervision import broker as brokers
from memos_site.platform.supervision import redis_broker
from memos_site.platform.supervision.broker import CrashSafeBroker
from memos_site.platform.supervision.redis_broker import NudgeBroker

pytestmark = pytest.mark.django_db(transaction=True)


def break_connection() -> None:
    """As a restart of the database or of its pooler does: the client notices with its next statement."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [backend])
    other.close()


def test_jobs_are_fetched_again_after_the_connection_broke_at_the_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brokers, "PAUSE", 0.0)
    broker = CrashSafeBroker(leases.Heartbeat())
    broker.enqueue("job")  # type: ignore[no-untyped-call]  # django-q has no types
    break_connection()
    assert broker.dequeue() is None
    assert [job for _, job in broker.dequeue() or []] == ["job"]


def test_nudges_are_fetched_again_after_the_connection_broke_at_the_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    redis = SimpleNamespace(blpop=lambda _keys, _seconds: (b"jobs", b"job"), ping=lambda: True)
    monkeypatch.setattr(redis_broker, "PAUSE", 0.0)
    monkeypatch.setattr(NudgeBroker, "get_connection", staticmethod(lambda *_: redis))
    broker = NudgeBroker(beat=leases.Heartbeat())
    break_connection()
    assert broker.dequeue() is None
    assert broker.dequeue() == [(None, b"job")]


def test_a_redis_that_is_away_is_said_once_however_many_jobs_are_enqueued(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def push(_key: str, job: str) -> int:
        if job == "refused":
            raise ConnectionError("no Redis")
        return 1

    monkeypatch.setattr(NudgeBroker, "get_connection", staticmethod(lambda *_: SimpleNamespace(rpush=push)))
    for job in ("refused", "refused", "taken", "taken", "refused"):
        NudgeBroker().enqueue(job)
    away = "jobs are left to their schedules, for Redis does not answer: no Redis"
    assert caplog.messages == [away, "jobs are enqueued again", away]
    NudgeBroker().enqueue("taken")


def test_a_worker_gives_no_sign_of_life_while_it_gets_no_jobs_from_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ConnectionError("no Redis")

    redis, beats = SimpleNamespace(blpop=refuse, ping=refuse), list[int]()
    monkeypatch.setattr(redis_broker, "PAUSE", 0.0)
    monkeypatch.setattr(NudgeBroker, "get_connection", staticmethod(lambda *_: redis))
    broker = NudgeBroker(beat=lambda: beats.append(1))
    assert [broker.dequeue() for _ in range(3)] == [None] * 3 and len(beats) == 1
    redis.ping, redis.blpop = lambda: True, lambda _keys, _seconds: (b"jobs", b"job")
    assert broker.dequeue() == [(None, b"job")] and len(beats) == 2
