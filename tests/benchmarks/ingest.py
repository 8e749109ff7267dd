"""How many events a second come in through HTTP, one by one and by batch, beside bare SQL that writes the same rows.

    .venv/bin/python -m tests.benchmarks.ingest --rows 20000

One JSON line a figure. The server, its clients and the database share this machine.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.journeys.installation import Installation

CLIENTS = 8
BATCH = 1_000
FLOOR = Path(__file__).with_name("ingest_floor.py")


def show(figure: str, value: float, unit: str, **more: Any) -> None:
    sys.stdout.write(json.dumps({"figure": figure, "value": round(value, 2), "unit": unit, **more}) + "\n")
    sys.stdout.flush()


class Client:
    """One connection that is kept, as an agent's is."""

    def __init__(self, port: int, token: str) -> None:
        self.connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(self, path: str, body: Any) -> float:
        """Milliseconds that the answer took."""
        began = time.perf_counter()
        self.connection.request("POST", path, json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        said = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{path}: {answer.status} {said[:300]!r}")
        return (time.perf_counter() - began) * 1000


def event(number: int, thread: str = "") -> dict[str, Any]:
    """A tool output of about 300 bytes."""
    result = {"lines": [f"src/module_{number % 97}.py:{line}: match" for line in range(4)], "took_ms": number % 50}
    body = {
        "source": "bench",
        "tool_name": "rg",
        "args": {"pattern": f"needle {number}", "path": "src"},
        "result": result,
    }
    return {**body, "thread_id": thread} if thread else body


def single(port: int, token: str, rows: int, *, joining: bool) -> list[float]:
    """Every event in a request of its own, by CLIENTS at once; joining: each client its own thread of work."""

    def one(client: int) -> list[float]:
        line = Client(port, token)
        thread = f"thread-{time.monotonic_ns()}" if joining else ""
        return [line.post("/api/v1/tool-outputs", event(number, thread)) for number in range(rows // CLIENTS)]

    with ThreadPoolExecutor(CLIENTS) as pool:
        return [took for line in pool.map(one, range(CLIENTS)) for took in line]


def batches(port: int, token: str, rows: int) -> None:
    line = Client(port, token)
    for first in range(0, rows, BATCH):
        items = [{"kind": "tool_output", **event(first + number)} for number in range(min(BATCH, rows - first))]
        line.post("/api/v1/batch", {"items": items})


def rate(figure: str, rows: int, work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    took = work()
    per_second = rows / (time.perf_counter() - began)
    more = {}
    if isinstance(took, list):
        took.sort()
        more = {"p50_ms": round(took[len(took) // 2], 1), "p95_ms": round(took[int(len(took) * 0.95)], 1)}
    show(figure, per_second, "events/s", rows=rows, **more)
    return per_second


def long_episode(port: int, token: str) -> None:
    """The thousandth event of an episode should cost what the first did."""
    line, thread = Client(port, token), f"long-{time.monotonic_ns()}"
    took = [line.post("/api/v1/tool-outputs", event(number, thread)) for number in range(1_100)]
    first, thousandth = sorted(took[1:101]), sorted(took[1000:1100])
    show("events 2-101 of an episode, median", first[50], "ms")
    show("events 1001-1100 of an episode, median", thousandth[50], "ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory(prefix="memos-bench-") as folder:
        home = Installation(Path(folder))
        with home.served() as port:
            token = json.loads(home.run("create_agent", "bench", "--json"))["token"]
            single(port, token, 800, joining=False)  # connections opened, code loaded
            rate("single, each opening an episode", rows, lambda: single(port, token, rows, joining=False))
            rate("single, joining an episode", rows, lambda: single(port, token, rows, joining=True))
            batch = rate("batch of 1,000", rows, lambda: batches(port, token, rows))
            floor = float(home.shell(FLOOR.read_text() + f"\nprint(write({rows}, {BATCH}))"))
            show("bare SQL of the same rows, 1,000 a transaction", floor, "events/s", rows=rows)
            show("batch against bare SQL", floor / batch, "times")
            long_episode(port, token)


if __name__ == "__main__":
    main()
