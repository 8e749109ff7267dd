"""What a write costs through HTTP, beside a bare DRF view that inserts one row: same web server, same cluster.

    .venv/bin/python -m tests.benchmarks.http --rounds 6 --seconds 0.5

One JSON line a kind. `ratio`: requests a second against those of the bare view behind the middleware of Memos;
`cpu_ratio`: the same by the CPU time of the web processes and of their database backends, which a busy machine changes
less. `bare_ratio` and `bare_cpu_ratio`: against the same view in a project that has nothing around it. Rounds
alternate. Eight clients with a connection each; they share the machine with the servers.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from memos_site.platform.postgres.cluster import NAME, PORT, USER
from memos_site.platform.postgres.server import Server
from tests.journeys.installation import ROOT, Installation

CLIENTS, PROCESSES = 8, 2
TICK = os.sysconf("SC_CLK_TCK")
NUMBERS = count(1)
LINES = [f"line {n} of what the customer and the agent said about the parcel" for n in range(20)]
BACKENDS = "SELECT pid FROM pg_stat_activity WHERE application_name = %s"


def event(number: int) -> dict[str, Any]:
    said = {"event_kind": "ticket", "ref": f"t-{number}", "summary": f"Parcel {number} arrived broken"}
    return {"source": "bench", **said}


def store(number: int) -> dict[str, Any]:
    claim = {"key": f"terms-{number}", "category": "fact", "content": f"Customer {number} pays on net-{number % 90}"}
    return {"source": "bench", "scope": "project:shop", **claim}


def observation(number: int) -> dict[str, Any]:
    said = {"subject": f"Customer {number}", "predicate": "pays within", "object": f"{number % 90} days"}
    return {"source": "bench", "scope": "project:shop", **said}


def conversation(number: int) -> dict[str, Any]:
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": f"{line} {number}"} for n, line in enumerate(LINES)]
    return {"source": "bench", "id": f"run-{number}", "outcome": "success", "messages": messages}


KINDS: dict[str, tuple[str, Callable[[int], dict[str, Any]]]] = {
    "event": ("/api/v1/events", event),
    "store": ("/api/v1/memories", store),
    "observation": ("/api/v1/observations", observation),
    "conversation": ("/api/v1/conversations", conversation),
}


@dataclass(eq=False)
class Site:
    """The web processes of Memos or of the bare view, and what their requests have cost so far."""

    port: int
    pids: list[int]
    headers: bytes
    backends: Callable[[], list[int]] = list  # of its database connections, which it opens anew when they are old
    seconds: dict[int, float] = field(default_factory=dict)

    def cpu(self) -> float:
        """Seconds of user and system time of its processes and of its database backends, as last read of ended ones."""
        self.seconds |= {pid: _cpu(pid) for pid in (*self.pids, *self.backends()) if Path(f"/proc/{pid}").exists()}
        return sum(self.seconds.values())

    def run(self, path: str, body: Callable[[int], dict[str, Any]], seconds: float) -> "Cost":
        began, cpu = time.perf_counter(), self.cpu()
        with ThreadPoolExecutor(CLIENTS) as pool:
            done = sum(pool.map(lambda _: self._client(path, body, began + seconds), range(CLIENTS)))
        return Cost(done, time.perf_counter() - began, self.cpu() - cpu)

    def _client(self, path: str, body: Callable[[int], dict[str, Any]], end: float) -> int:
        """Requests over one connection until the time is over, read and written by hand: clients share the CPU."""
        done, head = 0, f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n".encode()
        with socket.create_connection(("127.0.0.1", self.port)) as line:
            while time.perf_counter() < end:
                said = json.dumps(body(next(NUMBERS))).encode()
                line.sendall(b"%s%sContent-Length: %d\r\n\r\n%s" % (head, self.headers, len(said), said))
                _check(line)
                done += 1
        return done


def _check(line: socket.socket) -> None:
    """Read one answer, which must be 201."""
    answer = line.recv(65_536)
    while b"\r\n\r\n" not in answer:
        answer += line.recv(65_536)
    head, _, rest = answer.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    while len(rest) < length:
        rest += line.recv(65_536)
    if b" 201 " not in head[:20]:
        raise SystemExit(f"{head[:100]!r} {rest[:300]!r}")


@dataclass
class Cost:
    requests: int = 0
    seconds: float = 0.0
    cpu: float = 0.0

    def add(self, other: "Cost") -> None:
        self.requests += other.requests
        self.seconds += other.seconds
        self.cpu += other.cpu

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    @property
    def cpu_us(self) -> float:
        return self.cpu / self.requests * 1e6


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


@contextmanager
def served(home: Installation, kind: str, headers: bytes = b"") -> Iterator[Site]:
    """Web processes of one kind."""
    command, name = [sys.executable, "-m", "tests.benchmarks.http_server", kind, str(PROCESSES)], f"bench {kind}"
    environment = home.environment | {"PGAPPNAME": name}
    process = subprocess.Popen(
        command, env=environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        with connected(home) as line:
            address = json.loads(process.stdout.readline())
            yield Site(**address, headers=headers, backends=partial(backends_of, name, line))
    finally:
        process.communicate("")


def backends_of(application_name: str, line: "psycopg.Connection[Any]") -> list[int]:
    return [pid for (pid,) in line.execute(BACKENDS, [application_name])]


def connected(home: Installation) -> "psycopg.Connection[Any]":
    return psycopg.connect(host=Server(home.data).host(), port=PORT, user=USER, dbname=NAME, autocommit=True)


def show(what: str, cost: Cost, view: Cost, bare: Cost) -> None:
    line = {
        "what": what,
        "ratio": round(cost.rate / view.rate, 3),
        "cpu_ratio": round(view.cpu_us / cost.cpu_us, 3),
        "bare_ratio": round(cost.rate / bare.rate, 3),
        "bare_cpu_ratio": round(bare.cpu_us / cost.cpu_us, 3),
        "per_second": [round(each.rate) for each in (cost, view, bare)],
        "cpu_us": [round(each.cpu_us) for each in (cost, view, bare)],
        "load": round(os.getloadavg()[0], 1),
    }
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0.5, help="of one round of one site")
    parser.add_argument("--what", nargs="*", choices=KINDS, default=list(KINDS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memos-bench-") as folder:
        home = Installation(Path(folder))
        server = Server(home.data)
        server.ensure_running()  # as long as this process holds it
        home.run("migrate", "-v0")
        token = json.loads(home.run("create_agent", "bench", "--json"))["token"]
        header = f"Authorization: Bearer {token}\r\n".encode()
        with (
            connected(home) as database,
            served(home, "memos", header) as memos,
            served(home, "site") as view,
            served(home, "bare") as bare,
        ):
            for site, path, body in ((bare, "/rows", event), (view, "/rows", event), (memos, *KINDS["event"])):
                site.run(path, body, 1.0)  # each thread that will serve opens its connection
            for what in options.what:
                costs = {memos: Cost(), view: Cost(), bare: Cost()}
                memos.run(*KINDS[what], 0.3)
                # the statistics that a store has after its first minute: until then plans are those of empty tables,
                # and what they cost depends on when autovacuum comes by
                database.execute("ANALYZE")
                for _ in range(options.rounds):
                    for site, cost in costs.items():
                        path, body = KINDS[what] if site is memos else ("/rows", event)
                        cost.add(site.run(path, body, options.seconds))
                show(what, *costs.values())
        server.leave()


if __name__ == "__main__":
    main()
