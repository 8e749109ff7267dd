"""Data directories for tests with processes of their own, whose leftovers are swept."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clusters import copied, migrated_cluster, new_cluster
from tests.memos_site.processes import kill_all


@pytest.fixture
def new_data_dir() -> Iterator[Path]:
    """An empty one."""
    path = Path(tempfile.mkdtemp(prefix="memos-test-"))
    yield path
    kill_all(path)
    shutil.rmtree(path)


@pytest.fixture
def data_dir(tmp_path_factory: pytest.TempPathFactory, new_data_dir: Path) -> Path:
    """One with a cluster in it."""
    return copied(new_cluster(tmp_path_factory), new_data_dir)


@pytest.fixture
def migrated(tmp_path_factory: pytest.TempPathFactory, new_data_dir: Path) -> Path:
    """One with a cluster in it that has all tables."""
    return copied(migrated_cluster(tmp_path_factory), new_data_dir)
