"""The queue of jobs in a Redis: work is done, also after Redis was away, and enqueueing into none is no error."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.clients import called, store, tokens_of
from tests.clusters import copied, migrated_cluster
from tests.journeys.installation import free_port
from tests.memos_site.processes import PATIENCE, kill_all, sql, until
from tests.memos_site.site import Site

REDIS = shutil.which("redis-server")
JUDGE = ("--permission", "review", "--permission", "ingest", "--permission", "read")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not REDIS, reason="Redis is not installed")]


class RedisServer:
    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.start()

    def start(self) -> None:
        command = [REDIS or "", "--port", f"{self.port}", "--save", "", "--dir", f"{self.folder}"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until(self.answers)

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as wire:
                wire.sendall(b"PING\r\n")
                return wire.recv(7) == b"+PONG\r\n"
        except OSError:
            return False

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def site(tmp_path: Path, redis: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    copied(migrated_cluster(tmp_path_factory), tmp_path)
    told = {"DJANGO_SETTINGS_MODULE": "tests.cluster.settings", "Q_BROKER_URL": f"redis://127.0.0.1:{redis.port}/0"}
    started = Site(tmp_path, "serve", "--port", "0", **told)
    yield started
    kill_all(tmp_path)
    started.process.wait()


def test_jobs_are_done_from_a_redis_and_after_it_was_away(site: Site, redis: RedisServer) -> None:
    judge = tokens_of(site.up().data_dir, {"judge": JUDGE})["judge"]
    ordered = called(site, judge, "/api/v1/runs", {"kind": "consolidate"})
    until(lambda: ended(site, judge, ordered["id"]), what=site.said)
    assert sql(site.data_dir, "SELECT count(*) FROM django_q_ormq") == [(0,)]
    redis.stop()
    waiting = called(site, judge, "/api/v1/runs", {"kind": "consolidate"})  # no error, and kept as a row
    assert store(site, judge, "meanwhile")
    redis.start()
    sql(site.data_dir, "UPDATE django_q_schedule SET next_run = now()")  # as after a minute
    until(lambda: ended(site, judge, waiting["id"]), what=site.said)


def ended(site: Site, token: str, run: str) -> bool:
    return called(site, token, f"/api/v1/runs/{run}")["status"] in ("succeeded", "skipped")
