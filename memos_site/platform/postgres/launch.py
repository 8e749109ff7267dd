"""Execute a program as another user, ended with its parent: `python -S -m ... UID GID SEARCH COMMAND`.

A process of its own, because what it does between fork and exec is unsafe in a process with threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG, PR_SET_KEEPCAPS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 1, 8, 47, 2
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
CAPABILITY_VERSION_3 = 0x20080522


def prctl(*arguments: int) -> bool:
    """Linux's prctl(2); False where the system has none or refuses."""
    if sys.platform != "linux":
        return False
    values = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:5]]
    return bool(ctypes.CDLL(None, use_errno=True).prctl(*values) == 0)


def die_with_parent(number: int) -> None:
    """Have the kernel send this process a signal when the thread that started it ends; on Linux only."""
    prctl(PR_SET_PDEATHSIG, number)


def keep_search_capability() -> None:
    """Keep root's right to enter directories closed to the user, after the change to that user; else exit."""
    for capability in (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE):  # the smaller one first; containers often drop it
        header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
        sets = (ctypes.c_uint32 * 6)(*([1 << capability] * 3))
        success = ctypes.CDLL(None, use_errno=True).capset(header, sets) == 0
        if success and prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability):
            return
    sys.exit(
        f"root cannot run PostgreSQL, and uid {os.getuid()}, which would, cannot enter a directory above the data or "
        "the programs: run Memos as another user, or move it to where all may enter"
    )


def main(uid: int, gid: int, search: bool, command: list[str]) -> None:
    """Become the command as this user. `search`: with the right to enter directories closed to it."""
    parent = os.getppid()
    if os.geteuid() == 0:
        if search:
            prctl(PR_SET_KEEPCAPS, 1)
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
        if search:
            keep_search_capability()
    die_with_parent(signal.SIGINT)  # after setuid, which clears it; PostgreSQL takes it for a fast shutdown
    if os.getppid() != parent:
        sys.exit("the parent is gone")
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execv(command[0], command)  # noqa: S606 - no shell is the point


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "search", sys.argv[4:])
