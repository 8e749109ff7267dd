"""How much memory an installation takes at rest, and its largest process after some load. PSS, in MB, of /proc.

.venv/bin/python -m tests.benchmarks.memory --seconds 10

At rest it is measured at once, and when each worker has run its first jobs, which copy what they touch of the memory
that all share.
"""

import argparse
import json
import tempfile
import time
from itertools import cycle
from pathlib import Path

from tests.benchmarks.http import KINDS, Site
from tests.benchmarks.store import show
from tests.journeys.installation import Installation
from tests.memos_site.processes import belonging

MIB = 1024.0


def pss(pid: int) -> float:
    """The proportional set size: what is shared counts in parts."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / MIB


def resident(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / MIB


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def all_processes(home: Installation) -> dict[int, float]:
    return {pid: pss(pid) for pid in belonging(home.data)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="of load")
    parser.add_argument("--rest", type=float, default=40.0, help="seconds until each worker has run jobs")
    given = parser.parse_args()
    seconds = given.seconds
    with tempfile.TemporaryDirectory(prefix="memos-bench-") as folder:
        home = Installation(Path(folder))
        with home.served() as port:
            token = json.loads(home.run("create_agent", "bench", "--json"))["token"]
            show("just started, all processes", sum(all_processes(home).values()), "MB")
            time.sleep(given.rest)
            rest = all_processes(home)
            python = {pid: size for pid, size in rest.items() if "manage.py" in command(pid)}
            show("at rest, all processes", sum(rest.values()), "MB", processes=len(rest))
            show("at rest, Python processes", sum(python.values()), "MB", processes=len(python))
            site = Site(port, [], f"Authorization: Bearer {token}\r\n".encode())
            kinds = cycle(KINDS.values())
            for _ in range(2 * len(KINDS)):
                site.run(*next(kinds), seconds / (2 * len(KINDS)))
            loaded = all_processes(home)
            web = max(python, key=lambda pid: loaded[pid])
            show("after load, all processes", sum(loaded.values()), "MB")
            show("after load, the largest web process", loaded[web], "MB", resident=round(resident(web)))


if __name__ == "__main__":
    main()
