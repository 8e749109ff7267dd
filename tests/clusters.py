"""Clusters that are made once in a run of the tests, by the worker that is first, and copied by all.

They need not survive the machine, only their processes, so nothing waits for the disk. `CLUSTERS_DIR`, if set, keeps
them for the next run on the same code, and `python -m tests.clusters` makes them there.
"""

import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from memos_site.platform.postgres.server import Server
from tests.memos_site.processes import SOURCE, environment, sql


def new_cluster(temporary: pytest.TempPathFactory) -> Path:
    """As the first start finds it: no table yet."""
    return _new(_everybodys(temporary))


def migrated_cluster(temporary: pytest.TempPathFactory) -> Path:
    """With all tables in its database."""
    return _migrated(_everybodys(temporary))


def copied(cluster: Path, data_dir: Path) -> Path:
    """The data directory, with a copy of the cluster in it."""
    subprocess.run(["cp", "-a", cluster, data_dir / "postgres"], check=True)
    return data_dir


def _everybodys(temporary: pytest.TempPathFactory) -> Path:
    mine = temporary.getbasetemp()
    ours = mine.parent if mine.name.startswith("popen-") else mine  # of xdist's workers each has one within
    return Path(os.environ.get("CLUSTERS_DIR", ours))


def _new(folder: Path) -> Path:
    return _once(folder, "new")


def _migrated(folder: Path) -> Path:
    return _once(folder, "migrated", "migrate", "-v0")


def _once(folder: Path, name: str, *command: str) -> Path:
    made = folder / f"{name}-cluster"
    with (folder / f"{name}-cluster.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            data_dir = Path(tempfile.mkdtemp(dir=folder))
            if command:
                copied(_new(folder), data_dir)
            _make(data_dir, *command).rename(made)
    return made


def _make(data_dir: Path, *command: str) -> Path:
    server = Server(data_dir)
    server.ensure_running()
    sql(data_dir, "ALTER SYSTEM SET fsync = off", autocommit=True)
    sql(data_dir, "SELECT pg_reload_conf()")
    if command:
        subprocess.run([sys.executable, "manage.py", *command], cwd=SOURCE, env=environment(data_dir), check=True)
    server.leave()
    return server.data


if __name__ == "__main__":
    _migrated(Path(os.environ["CLUSTERS_DIR"]))
