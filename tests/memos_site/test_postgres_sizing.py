"""The embedded database takes a share of the memory that there is, and builds indexes where /dev/shm is small."""

from pathlib import Path

import pytest

from memos_site.platform.postgres import cluster


@pytest.mark.parametrize(
    ("limit", "buffers"), [("536870912", "128MB"), ("3221225472", "384MB"), ("99999999999999", None), ("max", None)]
)
def test_buffers_follow_the_memory_of_the_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, buffers: str | None
) -> None:
    monkeypatch.setattr(cluster, "CONTAINER_LIMIT", tmp_path / "memory.max")
    without = cluster.sized_options(tmp_path)["shared_buffers"]
    cluster.CONTAINER_LIMIT.write_text(f"{limit}\n")
    assert cluster.sized_options(tmp_path)["shared_buffers"] == (buffers or without)


@pytest.mark.parametrize(
    ("memory", "store", "buffers"),
    [
        (64, 0, "512MB"),
        (64, 200, "512MB"),
        (64, 600, "1200MB"),
        (64, 9_000, "4096MB"),
        (16, 9_000, "2048MB"),
        (2, 600, "256MB"),
    ],
)
def test_a_store_that_could_not_fill_them_gets_less_buffers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int, store: int, buffers: str
) -> None:
    monkeypatch.setattr(cluster, "memory", lambda: memory << 30)
    for name in ("5/1", "16384/2"):  # of two databases
        file = tmp_path / "base" / name
        file.parent.mkdir(parents=True)
        with file.open("wb") as opened:
            opened.truncate(store << 19)
    assert cluster.sized_options(tmp_path)["shared_buffers"] == buffers


def test_where_shared_memory_is_small_files_take_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "MIN_SHARED_MEMORY", 1 << 60)
    assert cluster.sized_options(tmp_path)["dynamic_shared_memory_type"] == "mmap"
    monkeypatch.setattr(cluster, "MIN_SHARED_MEMORY", 0)
    assert "dynamic_shared_memory_type" not in cluster.sized_options(tmp_path)
