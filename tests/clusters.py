"""Clusters that are made once in a run of the tests, by the worker that is first, and copied by all.

They need not survive the machine, only their processes, so nothing waits for the disk.
"""

import fcntl
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from memos_site.platform.postgres.server import Server
from tests.memos_site.processes import SOURCE, environment, sql


def new_cluster(temporary: pytest.TempPathFactory) -> Path:
    """As the first start finds it: no table yet."""
    return _once(temporary, "new")


def migrated_cluster(temporary: pytest.TempPathFactory) -> Path:
    """With all tables in its database."""
    return _once(temporary, "migrated", "migrate", "-v0")


def copied(cluster: Path, data_dir: Path) -> Path:
    """The data directory, with a copy of the cluster in it."""
    subprocess.run(["cp", "-a", cluster, data_dir / "postgres"], check=True)
    return data_dir


def _once(temporary: pytest.TempPathFactory, name: str, *command: str) -> Path:
    mine = temporary.getbasetemp()
    everybodys = mine.parent if mine.name.startswith("popen-") else mine  # of xdist's workers each has one within
    made = everybodys / f"{name}-cluster"
    with (everybodys / f"{name}-cluster.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _make(Path(tempfile.mkdtemp(dir=everybodys)), *command).rename(made)
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
