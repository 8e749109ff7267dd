"""The embedded database takes a share of the memory that there is, and builds indexes where /dev/shm is small."""

from pathlib import Path

import pytest

from memos_site.platform.postgres import sizing


@pytest.mark.parametrize(
    ("limit", "buffers"), [("536870912", "128MB"), ("4294967296", "512MB"), ("99999999999999", None), ("max", None)]
)
def test_buffers_follow_the_memory_of_the_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, buffers: str | None
) -> None:
    monkeypatch.setattr(sizing, "CONTAINER_LIMIT", tmp_path / "memory.max")
    without = sizing.options()["shared_buffers"]
    sizing.CONTAINER_LIMIT.write_text(f"{limit}\n")
    assert sizing.options()["shared_buffers"] == (buffers or without)


def test_where_shared_memory_is_small_files_take_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizing, "MIN_SHARED_MEMORY", 1 << 60)
    assert sizing.options()["dynamic_shared_memory_type"] == "mmap"
    monkeypatch.setattr(sizing, "MIN_SHARED_MEMORY", 0)
    assert "dynamic_shared_memory_type" not in sizing.options()
