"""What unfinished requests cost those who finish theirs, and what the web processes cost at rest and for each request.

    .venv/bin/python -m tests.benchmarks.slow_sockets --sockets 1000

One JSON line a figure. Starts `serve` with a store of its own; only this machine is ever asked.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from tests.benchmarks.store import show
from tests.journeys.installation import Installation, call
from tests.slow_sockets import UNFINISHED, still_open, unfinished_requests

CLIENTS = 4
TICK = os.sysconf("SC_CLK_TCK")
MOST = 5_000  # sockets
LONGEST_WAIT = 10  # seconds for one answer


@dataclass(frozen=True)
class Served:
    port: int
    token: str
    web: list[int]  # pids of the processes that answer

    def cpu_seconds(self) -> float:
        return sum(_ticks(pid) for pid in self.web) / TICK

    def memory(self) -> float:
        """Proportional set size of the web processes, in MB."""
        lines = [line for pid in self.web for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()]
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024

    def ask(self, path: str) -> float | None:
        """Milliseconds to the answer over a new connection; None when there is none."""
        began = time.perf_counter()
        line = HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_WAIT)
        try:
            line.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
            answer = line.getresponse()
            answer.read()
        except (OSError, HTTPException):
            return None
        finally:
            line.close()
        return (time.perf_counter() - began) * 1000 if answer.status == 200 else None


def answers(served: Served, requests: int, **more: object) -> None:
    """How long `requests` take by CLIENTS at once, and the processor time of each."""
    for path in ("/health/live", "/api/v1/me"):
        before = served.cpu_seconds()
        with ThreadPoolExecutor(CLIENTS) as pool:
            took = list(pool.map(served.ask, [path] * requests))
        cpu = (served.cpu_seconds() - before) / requests * 1000
        answered = sorted(one for one in took if one is not None)
        show("answered", len(answered), "requests", path=path, of=requests, **more)
        if answered:
            p99 = answered[int(len(answered) * 0.99)]
            figures = {"p99_ms": round(p99, 1), "max_ms": round(answered[-1], 1), "cpu_ms": round(cpu, 2)}
            show("median answer", answered[len(answered) // 2], "ms", path=path, **figures, **more)


def measure(served: Served, sockets: int, requests: int) -> None:
    show("memory at rest, all web processes", served.memory(), "MB", processes=len(served.web))
    answers(served, 20, unfinished="warm up")
    answers(served, requests, unfinished="none", sockets=0)
    for kind, sent in UNFINISHED.items():
        with unfinished_requests(served.port, sockets, sent) as opened:
            answers(served, requests, unfinished=kind, sockets=sockets)
            show("memory, all web processes", served.memory(), "MB", unfinished=kind)
            show("still open", still_open(opened), "sockets", unfinished=kind)


def descendants(pid: int) -> Iterator[int]:
    for child in [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]:
        if _stat(child)[1] == f"{pid}":
            yield child
            yield from descendants(child)


def web_processes(port: int, serve: int) -> list[int]:
    """Those that burn time when they are asked, and the parents that serve them."""
    before = {pid: _ticks(pid) for pid in descendants(serve)}
    for _ in range(300):
        call(port, "GET", "/health/live")
    return [pid for pid, ticks in before.items() if _ticks(pid) - ticks > 5]


def _ticks(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[11]) + int(fields[12])


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name: state, parent, ..."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["X"] * 20


def _command(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sockets", type=int, default=1_000)
    parser.add_argument("--requests", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memos-bench-") as folder:
        home = Installation(Path(folder))
        with home.served() as port:
            token = json.loads(home.run("create_agent", "bench", "--json"))["token"]
            serve = next(
                pid for pid in descendants(os.getpid()) if b"serve" in Path(f"/proc/{pid}/cmdline").read_bytes()
            )
            measure(Served(port, token, web_processes(port, serve)), min(options.sockets, MOST), options.requests)


if __name__ == "__main__":
    main()
