"""Data directories for tests with processes of their own, whose leftovers are swept."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memos_site.postgres.server import Server
from tests.memos_site.processes import kill_all, sql


@pytest.fixture
def new_data_dir() -> Iterator[Path]:
    """An empty one."""
    path = Path(tempfile.mkdtemp(prefix="memos-test-"))
    yield path
    kill_all(path)
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def made_cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cluster made once. It need not survive the machine, only its processes, so nothing waits for the disk."""
    data_dir = tmp_path_factory.mktemp("cluster")
    server = Server(data_dir)
    server.wake()
    sql(data_dir, "ALTER SYSTEM SET fsync = off", autocommit=True)
    server.leave()
    return data_dir / "postgres"


@pytest.fixture
def data_dir(made_cluster: Path, new_data_dir: Path) -> Path:
    """One with a cluster in it."""
    subprocess.run(["cp", "-a", made_cluster, new_data_dir], check=True)
    return new_data_dir
