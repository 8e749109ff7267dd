"""How searching, storing and indexing grow with the store, for the exponents of docs/scale.md.

    .venv/bin/python -m tests.benchmarks.growth --rows 100000 --keep DIR

One JSON line a figure; run it for each size. Scopes have 10,000 passages at every size: a larger store has more.
The median is of this machine as it is; the tenth (`p10`) is what others on it disturb least.
"""

import argparse
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.store import empty_store, show

PER_SCOPE = 10_000
TABLES = ("memories_memory", "memories_episode", "memories_passage", "memories_vector")


def measured(figure: str, work: Callable[[int], object], *, count: int, rows: int) -> None:
    took = []
    for number in range(count):
        began = time.perf_counter()
        work(number)
        took.append((time.perf_counter() - began) * 1000)
    took.sort()
    show(figure, took[count // 2], "ms", p10=round(took[count // 10], 3), rows=rows, n=count)


def sizes(rows: int) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute("SELECT pg_table_size(%s), pg_indexes_size(%s)", [table, table])
            data, indexes = cursor.fetchone()
            show(f"size of {table}", data / 2**20, "MiB", indexes=round(indexes / 2**20), rows=rows)


def searches(rows: int, scopes: int, count: int) -> None:
    from memories.models import Passage
    from tests.benchmarks.search import by_function, questions

    samples = list(Passage.objects.filter(pk__in=range(1, rows, 997)).values_list("text", flat=True))
    asked = list(questions(samples, count))
    for figure, some in (("scoped", [f"scope-{n % scopes}" for n in range(count)]), ("unscoped", [None] * count)):
        for turn in ("first time", "again"):
            work = lambda n, some=some: by_function(asked[n], some[n])  # noqa: E731
            measured(f"{figure} search, {turn}", work, count=count, rows=rows)


def stores(rows: int, scopes: int, count: int) -> None:
    from memories.intake.claims import storing
    from memories.intake.reports.claims import read
    from memories.values.trust import everything

    def store(number: int) -> None:
        content = f"Customer {number} of project {number * 7} pays within {number} days"
        body = {"key": f"growth-{number}", "category": "fact", "content": content, "source": "bench"}
        report = read({**body, "scope": f"scope-{number % scopes}"})
        storing.store(report, trust=everything(), at=datetime.now(UTC))

    measured("store of a claim", store, count=count, rows=rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--index", action="store_true", help="build the index over vectors, where it is worth it")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    rows, scopes = given.rows, max(1, given.rows // PER_SCOPE)
    with empty_store(given.keep):
        from memories.models import Passage
        from tests.benchmarks.filled import fill
        from tests.benchmarks.search import build_index

        if not Passage.objects.exists():
            began = time.perf_counter()
            fill(rows, scopes)
            show("filled", time.perf_counter() - began, "s", rows=rows)
        if given.index:
            build_index()
        sizes(rows)
        searches(rows, scopes, given.searches)
        stores(rows, scopes, given.searches)


if __name__ == "__main__":
    main()
