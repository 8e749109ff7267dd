"""Server time of pages and lists in a store of many memories.

    .venv/bin/python -m tests.benchmarks.pages --rows 1000000

One JSON line a page or list: the median and the slowest of the rounds, statements and their share, and the processor
time of this process. `--keep DIR` keeps the filled store there, and reads it again when it is there.
"""

import argparse
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.store import empty_store, show

PAGES: Mapping[str, str] = {
    "inbox": "/",
    "inbox, more rows": "/?htmx",
    "inbox, one kind": "/?kind=competence",
    "inbox, newest": "/?sort=newest",
    "inbox, one scope": "/?scope=scope-7",
    "memories": "/memories/",
    "memories, candidates": "/memories/?status=candidate",
    "memories, frequent word": "/memories/?q={frequent}",
    "memories, two words": "/memories/?q={frequent}+{rare}",
    "memories, rare word": "/memories/?q={rare}",
    "memories, word that nobody says": "/memories/?q=antidisestablishment",
    "API, newest": "/api/v1/memories",
    "API, q": "/api/v1/memories?q={rare}",
    "API, salience": "/api/v1/memories?ordering=-salience",
    "API, least salience": "/api/v1/memories?ordering=salience",
    "API, inbox": "/api/v1/inbox",
    "metrics": "/api/v1/metrics",
}


def measured(name: str, work: Callable[[], Any], rounds: int) -> None:
    """The first round, which fills caches, one whose statements are recorded, which takes time, and the others."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    first = _took(work)
    with CaptureQueriesContext(connection) as queries:
        work()
    asked = queries.captured_queries  # read before the next request, which empties the connection's log
    spent = sum(float(query["time"]) for query in asked) * 1000
    cpu = time.process_time()
    later = sorted(_took(work) for _ in range(rounds))
    cpu = (time.process_time() - cpu) * 1000 / rounds
    facts = {"first": round(first, 1), "most": round(later[-1], 1), "statements": len(asked), "in_them": round(spent)}
    show(name, later[len(later) // 2], "ms", **facts, process_cpu=round(cpu))


def _took(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def visits(rounds: int) -> None:
    from django.test import Client

    from memories.values.choices import Permission
    from tests.make import make_agent

    reader = Client(SERVER_NAME="localhost")
    reader.force_login(bench_reviewer())
    words = _words()
    _agent, token = make_agent(permissions=[Permission.READ, Permission.REVIEW])
    headers = {"Authorization": f"Bearer {token}"}
    for name, path in PAGES.items():
        asked = path.format(**words)
        more = {"headers": headers} if asked.startswith("/api") else {}
        if asked == "/?htmx":
            more = {"headers": {"HX-Request": "true"}}

        def visit(asked: str = asked, more: Any = more) -> None:
            response = reader.get(asked, **more)
            if response.status_code != 200:
                raise SystemExit(f"{asked}: {response.status_code} {response.content[:300]!r}")

        measured(name, visit, rounds)


def count_figures() -> None:
    """As the worker does each minute: without it the metrics of a large store are counted when they are asked for."""
    from django.utils import timezone

    from memories import metrics

    began = time.perf_counter()
    if metrics.refresh(at=timezone.now()):
        show("count of the figures, by the worker", (time.perf_counter() - began) * 1000, "ms")


def counts(rounds: int) -> None:
    from memos_site.templatetags.page import waiting_count

    measured("count of what waits", lambda: waiting_count(bench_reviewer()), rounds)


def bench_reviewer() -> Any:
    from django.contrib.auth.models import User

    from tests.make import make_person

    name = "bench-reviewer"
    return User.objects.filter(username=name).first() or make_person(name, group="reviewer")


def _words() -> dict[str, str]:
    """A word of many claims and one of few, as the database knows them."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT word FROM pg_stats, unnest(most_common_elems::text::text[]) WITH ORDINALITY AS word (word, n),"
            " unnest(most_common_elem_freqs) WITH ORDINALITY AS share (share, m) WHERE tablename = 'memories_passage'"
            " AND attname = 'search' AND n = m AND word ~ '^[a-z]{5,}$' ORDER BY share DESC"
        )
        found = [word for (word,) in cursor.fetchall()]
    return {"frequent": found[0], "rare": found[-1]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with empty_store(given.keep):
        from memories.models import Memory
        from tests.benchmarks.filled_knowledge import fill

        if not Memory.objects.exists():
            began = time.perf_counter()
            fill(given.rows)
            show("filled", given.rows / (time.perf_counter() - began), "memories/s", rows=given.rows)
        count_figures()
        visits(given.rounds)
        counts(given.rounds)


if __name__ == "__main__":
    main()
