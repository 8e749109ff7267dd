"""Reads on streaming replicas: which one is fresh enough for a caller, and the thread's connection turned to it.

A replica is fresh when it has replayed what the primary had written `REPLICA_MAX_LAG` seconds ago, and when it shows
the records of the writes that the caller must see. Both are asked of the servers themselves, so clocks of hosts do not
matter, nor does which process wrote. One that fails is left out for a second; the read that met the
failure is done on the primary.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, TypeVar

from django.conf import settings
from django.db import Error, InterfaceError, InternalError, OperationalError, connection, connections
from django.db.utils import DEFAULT_DB_ALIAS, load_backend

from memos_site.platform import measures

T = TypeVar("T")
PEOPLE = "people"  # the writer of decisions and revocations, which every reader must see
LEFT_OUT_SECONDS = 1.0
READ_ONLY = "25006"  # SQLSTATE read_only_sql_transaction
SAMPLES = 50  # positions of the primary that are remembered, over REPLICA_MAX_LAG
ANSWER_WITHIN = 5.0  # seconds, of a replica; then the primary is asked
COMMIT_SECONDS = 60.0  # that a COMMIT may take after the write was recorded
NOTHING = "[]"  # no writes
RECENT = """
SELECT pg_current_wal_lsn()::text, (
    SELECT coalesce(json_agg(json_build_object('writer', writer, 'slot', slot, 'at', at)), '[]')::text
    FROM memories_lastwrite WHERE writer = ANY(%s) AND at > clock_timestamp() - %s * interval '1 second'
)
"""
# Not by pg_visible_in_snapshot(): a snapshot on a replica names no transaction in progress, so that one which began
# before the last that has ended counts as visible.
REACHED = """
SELECT pg_last_wal_replay_lsn()::text, NOT EXISTS (
    SELECT FROM json_to_recordset(%s) AS awaited (writer text, slot smallint, at timestamptz)
    LEFT JOIN memories_lastwrite AS seen USING (writer, slot)
    WHERE seen.at IS NULL OR seen.at < awaited.at
)
"""
# `at` grows with every write of a slot, also where one waited for another or a clock was set back. `xact` is what the
# version before this one reads, which may serve beside it during a deploy.
RECORD = """
INSERT INTO memories_lastwrite (writer, slot, xact, at)
VALUES (%s, pg_backend_pid() %% 16, pg_current_xact_id(), clock_timestamp())
ON CONFLICT (writer, slot) DO UPDATE SET
    xact = excluded.xact, at = greatest(clock_timestamp(), memories_lastwrite.at + interval '1 microsecond')
"""
writer: ContextVar[str] = ContextVar("writer", default="")  # whose writes this thread does; "": nobody waits for them
log = logging.getLogger("memos.replicas")


class Replica:
    """One replica, with a connection for each thread of this process."""

    def __init__(self, name: str, database: dict[str, Any]) -> None:
        self.name, self.database = name, database
        self.left_out_until, self.lag = 0.0, float("inf")
        self._of_thread = threading.local()

    @property
    def connection(self) -> Any:
        if not hasattr(self._of_thread, "wrapper"):
            options = connections.settings[DEFAULT_DB_ALIAS]["OPTIONS"] | self.database.get("OPTIONS", {})
            options |= {"answer_within": ANSWER_WITHIN, "connect_timeout": 2}
            database = connections.settings[DEFAULT_DB_ALIAS] | self.database
            database |= {"OPTIONS": options, "CONN_HEALTH_CHECKS": False}  # every use begins with a question
            backend = load_backend("memos_site.platform.postgres.remote")
            self._of_thread.wrapper = backend.DatabaseWrapper(database, DEFAULT_DB_ALIAS)
        return self._of_thread.wrapper

    def leave_out(self, error: Exception) -> None:
        log.warning("%s is left out: %s", self.name, error)
        self.left_out_until, self.lag = time.monotonic() + LEFT_OUT_SECONDS, float("inf")
        self.connection.close()


class _Positions:
    """Write positions of the primary and when this process saw them."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque(maxlen=SAMPLES + 2)

    def see(self, lsn: str, now: float) -> None:
        if not self._seen or now - self._seen[-1][0] >= settings.REPLICA_MAX_LAG / SAMPLES:
            self._seen.append((now, _position(lsn)))

    def lag(self, replayed_position: str, now: float) -> float:
        """Seconds since the newest known position that the replica has replayed; infinite if it has none of them."""
        times = (at for at, position in reversed(self._seen) if position <= _position(replayed_position))
        return now - next(times, -float("inf"))


_positions = _Positions()
_replicas: list[Replica] = []
_turn: dict[str, int] = {"next": 0}
_primary: ContextVar[Any] = ContextVar("primary", default=None)


def all_replicas() -> list[Replica]:
    """Those of DATABASE_REPLICA_URLS, in their order."""
    if not _replicas and settings.DATABASE_REPLICAS:
        _replicas.extend(
            Replica(f"replica {number}", database) for number, database in enumerate(settings.DATABASE_REPLICAS, 1)
        )
    return _replicas


def read(work: Callable[[], T], *, readers: tuple[str, ...]) -> T:
    """Do work that reads, on a replica that has what the `readers` wrote; on the primary where there is none.

    Work that fails there, or wants to write, is done again on the primary.
    """
    replica = _choose_replica(readers) if all_replicas() and not connection.in_atomic_block else None
    if replica is None:
        return work()
    token = _primary.set(connections[DEFAULT_DB_ALIAS])
    try:
        with _turned_to(replica.connection):  # unless `primary` says otherwise
            answer = work()
        measures.replica_reads.labels(replica.name).inc()
        return answer
    except (OperationalError, InterfaceError) as error:
        replica.leave_out(error)
    except InternalError as error:
        if getattr(error.__cause__, "sqlstate", "") != READ_ONLY:
            raise
        log.error("this was to be written on the primary", exc_info=error)
    finally:
        _primary.reset(token)
    return work()


@contextmanager
def _turned_to(target: Any) -> Iterator[None]:
    """Within the block every query of this thread goes by this connection."""
    former = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = target
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = former


def primary() -> AbstractContextManager[None]:
    """Within the block queries go to the primary, also where a replica serves what is around it."""
    connection_to_primary = _primary.get()
    return nullcontext() if connection_to_primary is None else _turned_to(connection_to_primary)


def _choose_replica(readers: tuple[str, ...]) -> Replica | None:
    now, replicas = time.monotonic(), all_replicas()
    candidates = [replica for replica in replicas if replica.left_out_until <= now]
    if not candidates:
        return None
    with connection.cursor() as cursor:
        cursor.execute(RECENT, [[*readers, PEOPLE], settings.REPLICA_MAX_LAG + COMMIT_SECONDS])
        position, awaited_position = cursor.fetchone()
    _positions.see(position, now)
    _turn["next"] += 1
    start = _turn["next"] % len(candidates)
    return next(
        (replica for replica in (*candidates[start:], *candidates[:start]) if _has(replica, awaited_position, now)),
        None,
    )


def _has(replica: Replica, awaited_position: str, now: float) -> bool:
    try:
        replica.connection.close_if_unusable_or_obsolete()
        with replica.connection.cursor() as cursor:
            cursor.execute(REACHED, [awaited_position])
            replayed_position, is_shown = cursor.fetchone()
    except Error as error:
        replica.leave_out(error)
        return False
    if replayed_position is None:
        replica.leave_out(OperationalError("it is no replica"))
        return False
    replica.lag = _positions.lag(replayed_position, now)
    return bool(is_shown) and replica.lag <= settings.REPLICA_MAX_LAG


def lags() -> Iterator[tuple[Replica, float]]:
    """Every replica and the seconds it is behind, asked now; infinite where it is not reached or too far behind."""
    if not all_replicas():
        return
    now = time.monotonic()
    with primary(), connection.cursor() as cursor:  # a replica cannot tell where the primary writes
        cursor.execute(RECENT, [[], 0])
        _positions.see(cursor.fetchone()[0], now)
    for replica in all_replicas():
        if replica.left_out_until <= now:
            _has(replica, NOTHING, now)
        yield replica, replica.lag


def _position(lsn: str) -> int:
    high, low = lsn.split("/")
    return (int(high, 16) << 32) | int(low, 16)


def record_write(database: Any) -> None:
    """Record the position of a writing transaction before its COMMIT, for reads that must see it."""
    name = writer.get()
    if name:
        database.connection.execute(RECORD, [name])
