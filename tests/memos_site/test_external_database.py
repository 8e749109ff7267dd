"""A database of one's own, over TCP with a password, in the place of the embedded one."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memos_site.platform.postgres.cluster import Cluster, environment
from memos_site.platform.postgres.server import binaries
from tests.journeys.installation import free_port
from tests.memos_site.processes import until
from tests.memos_site.site import Site

pytestmark = pytest.mark.slow


@contextmanager
def running(cluster: Cluster, port: int) -> Iterator[None]:
    """The cluster as a server that only TCP reaches."""
    options = ["-c", "listen_addresses=127.0.0.1", "-c", f"port={port}", "-c", "unix_socket_directories="]
    command = cluster.account.command(
        cluster.binaries / "postgres", "-D", cluster.data, *options, reaching=cluster.data
    )
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: cluster.ready(process.pid))
    yield
    process.send_signal(signal.SIGINT)
    process.wait()


def test_serve_uses_it_and_lives_through_its_absence(data_dir: Path) -> None:
    data_dir.joinpath("postgres").rename(data_dir / "theirs")
    cluster, port = Cluster(data_dir / "theirs", binaries()), free_port()
    with (cluster.data / "pg_hba.conf").open("w") as rules:
        rules.write("host all memos 127.0.0.1/32 scram-sha-256\n")
    cluster.run("postgres", "--single", "-D", cluster.data, "memos", text="ALTER USER memos PASSWORD 'p%ss'\n")
    ours = data_dir / "ours"
    ours.mkdir()
    with running(cluster, port):
        site = Site(ours, "serve", "--port", "0", DATABASE_URL=f"postgres://memos:p%25ss@127.0.0.1:{port}/memos").up()
    assert site.health()["code"] == "503"
    assert site.health()["database"] == "failed"
    assert site.health("/health/live") == {"status": "ok"}
    with running(cluster, port):
        until(lambda: site.health().get("worker") == "ok", what=site.said)
        assert not (ours / "postgres").exists()
        site.stop()
