"""Memory settings of the embedded database, by the size of the machine or container."""

import os
from contextlib import suppress
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - where PostgreSQL puts what processes share
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
MIN_SHARED_MEMORY = 1 << 30  # bytes; containers have 64 MiB by default, too little to build a large index
MIN_BUFFERS, FEW_BUFFERS, MAX_BUFFERS = 128, 512, 4096  # MiB; few: enough for 300,000 passages
BUFFER_SHARE = 8  # one part in so many of the memory
GROWTH = 2  # times the size of the store, which may grow before the next start


def options(data: Path) -> dict[str, str]:
    """PostgreSQL options: up to an eighth of the memory as buffers; index builds in files if shared memory is small.

    With PostgreSQL's default of 128 MiB a search among a million passages takes twice as long; but unused buffers cost
    18 MB a GiB, so what the store in `data` cannot fill is not taken.
    """
    most = min(max(memory() // BUFFER_SHARE >> 20, MIN_BUFFERS), MAX_BUFFERS)
    buffers = min(most, max(GROWTH * _size(data) >> 20, FEW_BUFFERS))
    small = not _shared_memory_suffices()
    return {"shared_buffers": f"{buffers}MB"} | ({"dynamic_shared_memory_type": "mmap"} if small else {})


def memory() -> int:
    """Bytes of memory of this machine, or of the container if it has less."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = CONTAINER_LIMIT.read_text().strip()
    except OSError:
        return physical
    return min(physical, int(limit)) if limit.isdigit() else physical


def _size(data: Path) -> int:
    """Bytes of the tables and indexes of a cluster; a file that goes meanwhile counts nothing."""
    total = 0
    for path in (data / "base").glob("*/*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def _shared_memory_suffices() -> bool:
    """Whether shared memory is large enough; only Linux has a directory for it, with a size."""
    if not SHARED_MEMORY.is_dir():
        return True
    memory = os.statvfs(SHARED_MEMORY)
    return memory.f_blocks * memory.f_frsize >= MIN_SHARED_MEMORY
