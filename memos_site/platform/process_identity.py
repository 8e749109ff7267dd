"""Identity of a process across hosts and containers, and whether such a process still runs as far as this one can see.

An identity names the boot of the host, the namespace of process ids, the process id and its start time, so that neither
a reboot, another container nor a reused id is mistaken for the process. Linux only; elsewhere nothing is ever known.
"""

import os
from pathlib import Path

PROC = Path("/proc")
ENDED = ("Z", "X")  # a zombie, which its parent has not collected; dead


def identity(pid: int | None = None) -> str:
    """The identity of a process (default: this one)."""
    pid = pid or os.getpid()
    return f"{_place()}/{pid}/{_start_time(pid)}"


def is_gone(former: str) -> bool:
    """Whether the process of this identity has certainly ended. False for one of another host or container."""
    place, _, process = former.partition("/")
    pid, _, start_time = process.partition("/")
    if not place or place != _place() or not pid.isdigit():
        return False
    return _start_time(int(pid)) != start_time


def boot() -> str:
    """With which identities of this host begin until it is started again; '' where the system does not tell."""
    try:
        return (PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _place() -> str:
    """The boot of this host and the namespace of its process ids; '' where the system does not tell."""
    try:
        return f"{boot()}:{(PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return ""


def _start_time(pid: int) -> str:
    """Clock ticks from boot to the start of the process; '' for one that has ended."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in ENDED else fields[19]
