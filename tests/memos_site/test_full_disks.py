"""A disk that is really full, under a running server: nobody dies, what is read is answered, and space heals it."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clusters import copied, migrated_cluster
from tests.journeys.installation import call
from tests.memos_site.processes import children, kill_all, until
from tests.memos_site.site import Site

pytestmark = pytest.mark.slow
SIZE = "300m"  # the cluster takes 60, what is kept for it 48


@pytest.fixture
def small_disk(tmp_path_factory: pytest.TempPathFactory, new_data_dir: Path) -> Iterator[Path]:
    """A data directory that is a small disk of its own, with a cluster in it that has all tables."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0755", "tmpfs", str(new_data_dir)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("no file system can be mounted here: that takes root and CAP_SYS_ADMIN")
    try:
        yield copied(migrated_cluster(tmp_path_factory), new_data_dir)
    finally:
        kill_all(new_data_dir)
        subprocess.run(["umount", new_data_dir], check=True)


class Caller:
    """An agent that stores a new claim each time."""

    def __init__(self, site: Site) -> None:
        self.port, self.token, self.stored = int(site.url.rsplit(":", 1)[1]), site.token, 0

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        status, answer = call(self.port, method, path, token=self.token, body=body)
        return status, json.loads(answer)

    def store(self) -> tuple[int, str]:
        self.stored += 1
        claim = {"category": "fact", "source": "test", "key": f"k-{self.stored}", "content": os.urandom(2000).hex()}
        status, answer = self.ask("POST", "/api/v1/memories", claim)
        return status, answer.get("code", "")

    def read(self) -> list[int]:
        """The status of every answer; each path is asked of both processes, sooner or later."""
        paths = ("/health/ready", "/health/live", "/api/v1/me", "/api/v1/memories", "/api/v1/audit")
        statuses = [self.ask("GET", path)[0] for path in paths]
        return [*statuses, self.ask("POST", "/api/v1/search", {"query": "what is known"})[0]]


def fill(disk: Path) -> Path:
    """A file that takes all the space that there is."""
    path = disk / "filled"
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 20))
        except OSError:
            return path


def test_reads_are_answered_from_a_full_disk_and_all_is_well_when_there_is_space_again(small_disk: Path) -> None:
    site = Site(small_disk, "serve", "--port", "0").up()
    caller = Caller(site)
    assert caller.store() == (201, "")
    assert set(caller.read()) == {200}
    processes = set(children(site.process.pid))
    for _ in range(2):  # what is kept for the database is kept again
        filled = fill(small_disk)
        until(lambda: caller.store() == (503, "disk_full"), what=site.said)
        answers = [(caller.store(), set(caller.read())) for _ in range(15)]
        assert [read for _stored, read in answers] == [{200}] * len(answers), site.said
        # what was kept for the database is given back a moment before its settings forbid writes
        assert {stored for stored, _read in answers} <= {(201, ""), (503, "disk_full")}, answers
        until(lambda: [caller.store() for _ in range(3)] == [(503, "disk_full")] * 3, what=site.said)
        assert caller.ask("GET", "/health/ready")[1]["degraded"][-1] == "writes"
        filled.unlink()
        until(lambda: caller.store()[0] == 201, what=site.said)
        until(lambda: caller.ask("GET", "/health/ready")[1]["degraded"] == [], what=site.said)
    assert set(children(site.process.pid)) == processes
    site.stop()
