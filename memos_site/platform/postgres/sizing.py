"""Memory settings of the embedded database, by the size of the machine or container."""

import os
import shutil
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - where PostgreSQL puts what processes share
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
MIN_SHARED_MEMORY = 1 << 30  # bytes; containers have 64 MiB by default, too little to build a large index
MIN_BUFFERS, MAX_BUFFERS = 128, 2048  # MiB
BUFFER_SHARE = 8  # one part in so many of the memory


def options() -> dict[str, str]:
    """PostgreSQL options: an eighth of the memory as buffers, and index builds in files if shared memory is small.

    With PostgreSQL's default of 128 MiB a search among a million passages takes twice as long.
    """
    buffers = min(max(memory() // BUFFER_SHARE >> 20, MIN_BUFFERS), MAX_BUFFERS)
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


def _shared_memory_suffices() -> bool:
    """Whether shared memory is large enough; only Linux has a directory for it, with a size."""
    return not SHARED_MEMORY.is_dir() or shutil.disk_usage(SHARED_MEMORY).total >= MIN_SHARED_MEMORY
