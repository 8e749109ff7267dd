"""How much of the machine the embedded database takes."""

import os
import shutil
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - where PostgreSQL puts what processes share
LIMIT = Path("/sys/fs/cgroup/memory.max")
ROOMY = 1 << 30  # bytes of it; in containers it has 64 MiB by default, in which no large index is built
LEAST, MOST = 128, 2048  # MiB of buffers
SHARE = 8


def options() -> dict[str, str]:
    """An eighth of the memory as buffers: with PostgreSQL's own 128 MiB a search among a million passages takes twice
    as long. What processes share in an index build goes into files where there is no room for it in memory."""
    buffers = min(max(memory() // SHARE >> 20, LEAST), MOST)
    return {"shared_buffers": f"{buffers}MB"} | ({} if _has_room() else {"dynamic_shared_memory_type": "mmap"})


def memory() -> int:
    """Bytes of this machine, or of the container."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = LIMIT.read_text().strip()
    except OSError:
        return there
    return min(there, int(limit)) if limit.isdigit() else there


def _has_room() -> bool:
    """Only Linux keeps it in a place with a size."""
    return not SHARED_MEMORY.is_dir() or shutil.disk_usage(SHARED_MEMORY).total >= ROOMY
