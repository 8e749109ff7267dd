"""How long guidance, a check before a write and a verdict take, in a scope of many runs.

    .venv/bin/python -m tests.benchmarks.asking DATA [--runs 1000 --runs 10000]

DATA holds airline-runs.jsonl. Trial 0 is learned, and its profiles are copied, each as a case of its own a minute
before the last, with a vector that is turned a little, until the scope has so many; trial 1 asks. One JSON line a
figure: p95 by the clock, and `cpu`, the mean processor time of the process and its database connection.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.benchmarks.guidance import Json, ask, before_first_write, calls, is_write, learn, loaded, opening
from tests.benchmarks.store import empty_store, show

SCOPE, TURNED = "airline", 0.3


def fill(runs: int) -> None:
    import numpy as np  # here, so that `memos_site` has told it before how many threads to take
    from django.db import connection
    from pgvector import HalfVector

    from consolidation.models.profiles import RunProfile
    from memories.models import Memory

    known, draw = list(RunProfile.objects.filter(scope=SCOPE)[:50]), np.random.default_rng(1)
    memories = Memory.objects.in_bulk([row.pk for row in known])
    made: list[Any] = []
    copies: list[Any] = []
    for n in range(runs - RunProfile.objects.filter(scope=SCOPE).count()):
        row, pk = known[n % len(known)], uuid4()
        vector = np.array(row.vector)
        vector = vector + draw.normal(0, TURNED / len(vector) ** 0.5, len(vector))
        made.append(Memory(**values(memories[row.pk]) | {"id": pk}))
        turned = {"episode_id": pk, "thread": str(pk), "vector": HalfVector(vector / np.linalg.norm(vector))}
        turned["at"] = row.at - timedelta(minutes=n)
        copies.append(RunProfile(**values(row) | turned))
    Memory.objects.bulk_create(made, batch_size=500)
    RunProfile.objects.bulk_create(copies, batch_size=500)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE consolidation_runprofile")


def values(row: Any) -> Json:
    return {one.attname: getattr(row, one.attname) for one in row._meta.concrete_fields if not one.generated}


def questions(runs: list[Json]) -> Iterator[tuple[str, Callable[[], Any]]]:
    from consolidation.guidance import verdict
    from memories.values.trust import everything

    for run in runs:
        before = before_first_write(run, "airline")
        write = next(((name, given) for _, name, given in calls(run) if is_write(name, "airline")), None)
        whole: Json = {"scopes": [SCOPE], "messages": run["messages"]}
        yield "guidance at the opening", partial(ask, SCOPE, {"messages": opening(run)})
        if write:
            about: Json = {"messages": before, "about_to": {"tool": write[0], "arguments": write[1]}}
            yield "guidance with a check before the first write", partial(ask, SCOPE, about)
        yield "verdict", partial(verdict.answer, whole, trust=everything())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--runs", type=int, action="append")
    given = parser.parse_args()
    runs = loaded(given.data / "airline-runs.jsonl", "airline")
    with empty_store():
        learn([run for run in runs if run["trial"] == 0], SCOPE)
        for size in given.runs or [1_000, 10_000]:
            fill(size)
            asked = list(questions([run for run in runs if run["trial"] == 1]))
            for name, told in asked_by_name(asked).items():
                show_times(f"{name}, {size:,} runs", told)


def asked_by_name(asked: list[tuple[str, Callable[[], Any]]]) -> dict[str, list[Callable[[], Any]]]:
    found: dict[str, list[Callable[[], Any]]] = {}
    for name, question in asked:
        found.setdefault(name, []).append(question)
    return found


def show_times(figure: str, asked: list[Callable[[], Any]]) -> None:
    """By the clock, and by the processor time of this process and of its database connection."""
    import numpy as np

    took: list[float] = []
    asked[0]()  # brings the table into memory
    busy = processor_seconds()
    for question in asked:
        began = time.perf_counter()
        question()
        took.append((time.perf_counter() - began) * 1000)
    cpu = (processor_seconds() - busy) * 1000 / len(asked)
    p50, p95 = np.percentile(took, [50, 95])
    show(figure, float(p95), "ms", p50=round(float(p50), 1), cpu=round(cpu, 1), asked=len(asked))


def processor_seconds() -> float:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return time.process_time() + sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
