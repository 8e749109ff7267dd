"""Signals to `manage.py serve` before it serves: another start, which holds its lock, keeps it from going on."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from memos_site.platform.postgres.cluster import NAME, PORT, USER
from memos_site.platform.postgres.server import Server
from tests.memos_site.processes import PATIENCE, nobody_left, sql, until, using, usual_signals
from tests.memos_site.site import Site

pytestmark = pytest.mark.slow
LOCK = "SELECT pg_advisory_lock(hashtextextended('memos:serve', 0))"
WAITS = """
    SELECT pid FROM pg_stat_activity
    WHERE state = 'idle in transaction' AND query LIKE '%pg_try_advisory_xact_lock%memos:serve%'
"""
BUILD = "SET statement_timeout = '30s'", "CREATE INDEX CONCURRENTLY beside_a_start ON memories_auditentry (label)"


@contextmanager
def starting(data_dir: Path) -> Iterator[Site]:
    """A site that cannot go on in the block."""
    host = Server(data_dir).host()
    with using(data_dir), psycopg.connect(host=host, port=PORT, user=USER, dbname=NAME, autocommit=True) as other:
        other.execute(LOCK)
        with usual_signals():
            site = Site(data_dir, "serve", "--port", "0")
        until(lambda: sql(data_dir, WAITS) or site.process.poll() is not None, what=site.said)
        yield site


def test_a_hangup_is_kept_until_it_serves_and_then_new_code_is_taken(migrated: Path) -> None:
    with starting(migrated) as site:
        os.kill(site.process.pid, signal.SIGHUP)
    site.up()
    until(lambda: "the former processes have ended" in site.said, what=site.said)
    site.stop()


def test_a_start_that_waits_lets_an_index_be_built_and_an_interrupt_of_the_main_process_alone_ends_its_helper_too(
    migrated: Path,
) -> None:
    """A statement that waited for the lock would be waited for by the index, without an end."""
    with starting(migrated) as site:
        with psycopg.connect(host=Server(migrated).host(), port=PORT, user=USER, dbname=NAME, autocommit=True) as one:
            for statement in (*BUILD, "DROP INDEX beside_a_start"):
                one.execute(statement)
        site.process.send_signal(signal.SIGINT)
        assert site.process.wait(PATIENCE) == 130
        assert "stopped before it was up" in site.said
    until(lambda: nobody_left(migrated))
