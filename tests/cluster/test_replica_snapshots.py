"""A replica has a write when it shows it, whatever the order in which transactions began and ended."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest

from memos_site.platform.postgres import replicas
from tests.cluster.servers import Postgres, primary, replica
from tests.clusters import copied, migrated_cluster
from tests.memos_site.processes import until

pytestmark = pytest.mark.slow
Pair = tuple[Postgres, Postgres]
OLD, YOUNG = "old", "young"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with TemporaryDirectory(prefix="memos-test-") as path:
        folder = Path(path)
        folder.chmod(0o711)
        first = primary(copied(migrated_cluster(tmp_path_factory), folder) / "postgres").start("fsync=off")
        second = replica(first, folder / "replica").start("fsync=off")
        yield first, second
        second.stop()
        first.stop()


def awaited(first: Postgres, *writers: str) -> Any:
    with psycopg.connect(first.url) as connection:
        row = connection.execute(replicas.RECENT, [list(writers), 300]).fetchone()
    assert row
    return row[1]


def has(second: Postgres, writes: Any) -> bool:
    with psycopg.connect(second.url) as connection:
        row = connection.execute(replicas.REACHED, [writes]).fetchone()
    assert row
    return bool(row[1])


@contextmanager
def paused(second: Postgres) -> Iterator[None]:
    second.sql("SELECT pg_wal_replay_pause()")
    until(lambda: second.sql("SELECT pg_get_wal_replay_pause_state()") == [("paused",)])
    try:
        yield
    finally:
        second.sql("SELECT pg_wal_replay_resume()")


def test_a_write_that_began_first_and_ended_last_is_not_there_before_its_end_is(pair: Pair) -> None:
    first, second = pair
    with psycopg.connect(first.url) as old, psycopg.connect(first.url) as young:
        old.execute("SELECT pg_current_xact_id()")
        young.execute(replicas.RECORD, [YOUNG])
        young.commit()
        until(lambda: has(second, awaited(first, YOUNG)))
        with paused(second):
            old.execute(replicas.RECORD, [OLD])
            old.commit()
            assert has(second, awaited(first, YOUNG))
            assert not has(second, awaited(first, OLD))
    until(lambda: has(second, awaited(first, OLD)))


def test_records_of_a_writer_grow_when_the_clock_is_set_back(pair: Pair) -> None:
    first, second = pair
    with psycopg.connect(first.url, autocommit=True) as connection:
        connection.execute(replicas.RECORD, ["later"])
        connection.execute("UPDATE memories_lastwrite SET at = at + interval '1 hour' WHERE writer = 'later'")
        until(lambda: has(second, awaited(first, "later")))
        with paused(second):
            connection.execute(replicas.RECORD, ["later"])
            assert not has(second, awaited(first, "later"))
        until(lambda: has(second, awaited(first, "later")))


def test_nothing_awaited_is_there(pair: Pair) -> None:
    first, second = pair
    assert awaited(first, "nobody") == replicas.NOTHING
    assert has(second, replicas.NOTHING)
