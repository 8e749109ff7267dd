"""Calls a second and p95 of one, two and three web processes, with and without a replica, and the CPU of each part.

    .venv/bin/python -m tests.benchmarks.throughput --rounds 4 --seconds 2

A primary and a streaming replica over TCP, one process for jobs, and web processes that serve a port each, as hosts
behind a balancer; agents take one after the other. The configurations alternate, in another order each round, so that
what else the machine does falls on all of them. One JSON line for each: `ratio` and `p95_ratio` are against one web
process without a replica. `cpu_s` are the CPU seconds that 1,000 calls take of each part: where parts share too few
cores, these tell what machines of their own would do.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any

import django

from memos_site.platform.postgres.server import Server
from tests.cluster.servers import Postgres, primary, replica
from tests.journeys.installation import Installation

CLIENTS, WEB = 6, 3
TICK = os.sysconf("SC_CLK_TCK")
SCOPES, PASSAGES, RUNS = 4, 20_000, 60
NUMBERS = count(1)
Json = dict[str, Any]


def search(number: int, words: str) -> tuple[str, Json]:
    return "search", {"query": words, "scopes": [f"scope-{number % SCOPES}"], "limit": 10}


def context(number: int, words: str) -> tuple[str, Json]:
    return "context", {"task": words, "source": "bench"}


def guidance(number: int, words: str) -> tuple[str, Json]:
    return "guidance", {"task": f"please build it, {words}", "scopes": ["project:shop"]}


def event(number: int, words: str) -> tuple[str, Json]:
    told = {"source": "bench", "event_kind": "step", "ref": f"r-{number}", "summary": words}
    return "events", told | {"scope": "project:shop", "thread_id": f"thread-{number // 20}"}


def store(number: int, words: str) -> tuple[str, Json]:
    told = {"key": f"throughput-{number}", "category": "fact", "content": words, "source": "bench"}
    return "memories", told | {"scope": f"scope-{number % SCOPES}"}


MIX: dict[Callable[[int, str], tuple[str, Json]], int] = {search: 40, context: 15, guidance: 10, event: 25, store: 10}


@dataclass
class Figures:
    """Of one configuration: what it answered, how long each answer took, and the CPU of each part."""

    took: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu: dict[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        return len(self.took) / self.seconds

    @property
    def p95(self) -> float:
        return sorted(self.took)[int(0.95 * (len(self.took) - 1))] * 1000


@dataclass
class Site:
    """`webs`: ports of the web processes without and with a replica; `parts`: the pid at the root of each part."""

    webs: dict[bool, list[int]]
    parts: dict[str, list[int]]
    tokens: list[str]
    words: list[str]

    def measure(self, ports: list[int], seconds: float, figures: Figures) -> None:
        before, began = self._cpu(), time.perf_counter()
        with ThreadPoolExecutor(CLIENTS) as pool:
            took = list(pool.map(lambda n: self._client(n, ports, began + seconds), range(CLIENTS)))
        figures.seconds += time.perf_counter() - began
        figures.took += [one for calls in took for one in calls]
        for part, cpu in self._cpu().items():
            figures.cpu[part] = figures.cpu.get(part, 0.0) + cpu - before[part]

    def _client(self, number: int, ports: list[int], end: float) -> list[float]:
        """One agent, whose calls go to the web processes in turn."""
        chance, took = random.Random(f"{number} {next(NUMBERS)}"), []
        lines = [HTTPConnection("127.0.0.1", port, timeout=60) for port in ports]
        headers = {"Authorization": f"Bearer {self.tokens[number]}", "Content-Type": "application/json"}
        turn = number
        while (began := time.perf_counter()) < end:
            [make] = chance.choices(list(MIX), list(MIX.values()))
            path, body = make(next(NUMBERS), chance.choice(self.words))
            turn += 1
            line = lines[turn % len(lines)]
            line.request("POST", f"/api/v1/{path}", json.dumps(body), headers)
            answer = line.getresponse()
            said = answer.read()
            if answer.status not in (200, 201):
                raise SystemExit(f"{path} answered {answer.status}: {said[:300]!r}")
            took.append(time.perf_counter() - began)
        for line in lines:
            line.close()
        return took

    def _cpu(self) -> dict[str, float]:
        parts = cpu_of_parts({pid: part for part, pids in self.parts.items() for pid in pids})
        return parts | {"agents": time.process_time()}


def cpu_of_parts(roots: dict[int, str]) -> dict[str, float]:
    """Seconds of these processes and of all that they have started, also of those that have ended: by part."""
    parents, ticks = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(FileNotFoundError, ProcessLookupError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)], ticks[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    spent = dict.fromkeys(roots.values(), 0.0)
    for pid, used in ticks.items():
        root = pid
        while root and root not in roots:
            root = parents.get(root, 0)
        if root:
            spent[roots[root]] += used / TICK
    return spent


@contextmanager
def started(module: list[str], environ: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, *module], env=environ, **pipes)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        if module[0] == "manage.py":
            process.terminate()
        process.communicate("")  # the parent of a web process ends with its input, and ends it


def fill() -> list[str]:
    """Passages in scopes, and runs of an agent for guidance; the texts that are asked for."""
    from django.core.management import call_command

    from tests.benchmarks import filled
    from tests.benchmarks.guidance import learn
    from tests.consolidation.experience import messages

    words = filled.fill(PASSAGES, SCOPES)
    ways = [(["get_order", "cancel_order"], "success"), (["get_order", "send_refund"], "success"), (["ask"], "failure")]
    runs = [(number, *ways[number % len(ways)]) for number in range(RUNS)]
    learn([{"id": f"run-{n}", "thread_id": f"run-{n}", "outcome": outcome,
            "messages": messages(used, opening=f"please build it, {words[n % len(words)]}")}
           for n, used, outcome in runs], "project:shop")  # fmt: skip
    call_command("reembed", verbosity=0)
    return words


def tokens() -> list[str]:
    from memories.models import Agent

    return [Agent.objects.issue(f"bench-{n}")[1] for n in range(CLIENTS)]


def new_primary(folder: Path) -> Postgres:
    """A server with all tables, for which Django is set up."""
    home = Installation(folder / "made")
    home.data.mkdir()
    server = Server(home.data)
    server.ensure_running()
    home.run("migrate", "-v0")
    server.leave()
    first = primary(home.data / "postgres").start()
    os.environ |= {"DATABASE_URL": first.url, "DJANGO_SETTINGS_MODULE": "memos_site.settings"}
    os.environ |= {"MEMOS_DATA_DIR": str(folder), "SECRET_KEY": "of-the-benchmark" * 4}
    django.setup()
    return first


@contextmanager
def whole_site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="memos-bench-") as path, ExitStack() as stack:
        folder = Path(path)
        folder.chmod(0o711)
        first = new_primary(folder)
        stack.callback(first.stop)
        words, agents = fill(), tokens()
        second = replica(first, folder / "replica").start()
        stack.callback(second.stop)
        assert first.process and second.process
        site = Site({}, {"primary": [first.process.pid], "replica": [second.process.pid], "web": []}, agents, words)
        for with_replica in (False, True):
            environ = os.environ | {"DATABASE_REPLICA_URLS": second.url if with_replica else ""}
            for _ in range(WEB):
                process = stack.enter_context(started(["-m", "tests.benchmarks.http_server", "memos", "1"], environ))
                assert process.stdout
                told = json.loads(process.stdout.readline())
                site.webs.setdefault(with_replica, []).append(told["port"])
                site.parts["web"] += told["pids"]
        jobs = stack.enter_context(started(["manage.py", "worker", "--workers", "1"], dict(os.environ)))
        site.parts["jobs"] = [jobs.pid]
        yield site


def show(figures: dict[tuple[bool, int], Figures]) -> None:
    base = figures[False, 1]
    for (with_replica, web), one in figures.items():
        cpu = {part: round(seconds / len(one.took) * 1000, 2) for part, seconds in one.cpu.items()}
        line = {"web": web, "replica": with_replica, "ratio": round(one.rate / base.rate, 2),
                "p95_ratio": round(one.p95 / base.p95, 2), "calls_per_s": round(one.rate, 1),
                "p95_ms": round(one.p95, 1), "calls": len(one.took), "cpu_s": cpu,
                "load": round(os.getloadavg()[0], 1)}  # fmt: skip
        sys.stdout.write(json.dumps(line) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one round of one configuration")
    options = parser.parse_args()
    with whole_site() as site:
        figures = {(with_replica, web): Figures() for with_replica in (False, True) for web in range(1, WEB + 1)}
        for with_replica in (False, True):  # each process once, and the positions of the primary are known
            site.measure(site.webs[with_replica], 3.0, Figures())
        for number in range(options.rounds):
            order = list(figures)
            random.Random(number).shuffle(order)
            for with_replica, web in order:
                site.measure(site.webs[with_replica][:web], options.seconds, figures[with_replica, web])
        show(figures)


if __name__ == "__main__":
    main()
