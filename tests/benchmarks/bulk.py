"""What many decisions at once cost: dismissals in a run and their undo, as a person orders them, and 100 in a request.

    .venv/bin/python -m tests.benchmarks.bulk [--rows 6000] [--decided 3000] [--shared 200] [--profile]

Claims of ten customers that share most of their words, in one scope, and as many words in the shared one. The floor is
bare SQL that changes the same rows, leaves the same trail and tombstones, and is committed. One JSON line a figure:
seconds by the clock, and processor time of Python and of the database's process. `--profile`: where Python's goes.
"""

import argparse
import cProfile
import os
import pstats
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import islice, product
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.benchmarks.reviewer import CLAIMS, COMPANIES
from tests.benchmarks.store import empty_store, show

TICK = os.sysconf("SC_CLK_TCK")
PLACES = ("Lyon", "Porto", "Graz", "Turin", "Basel", "Ghent", "Malmö", "Brno", "Cork", "Vigo")
FLOOR = (
    """INSERT INTO memories_auditentry (id, subject_kind, subject_id, label, action, actor, actor_kind, at, rationale,
           before, after, subject_version, scope, sensitivity, request_id, batch_id)
       SELECT uuidv7(), 'memory', id, left(key, 200), 'dismiss', 'anna', 'person', now(), 'noise',
           '{"status": "candidate"}', '{"status": "dismissed"}', version + 1, scope, sensitivity, '', %(batch)s
       FROM memories_memory WHERE id = ANY(%(ids)s)""",
    """INSERT INTO memories_tombstone (id, scope, key, memory_id, category, claim_tokens, claim_hard, sensitivity,
           reason, by, at, blocks, hits, lifted_by, normalisation, sealed_with, duplicate)
       SELECT uuidv7(), scope, key, id, category, ARRAY(SELECT md5(word) FROM unnest(string_to_array(content, ' '))
           AS word), '{}', sensitivity, 'noise', 'anna', now(), true, 0, '', 1, '', false
       FROM memories_memory WHERE id = ANY(%(ids)s)""",
    """UPDATE memories_memory SET status = 'dismissed', version = version + 1, updated_at = now()
       WHERE id = ANY(%(ids)s)""",
)


def claims(count: int, scope: str) -> Iterator[Any]:
    """As many different claims of ten customers in as many towns."""
    from memories.intake.reports.claims import NoteReport

    every = product(range(count), PLACES, COMPANIES, CLAIMS)
    for n, (again, place, company, (key, category, words)) in enumerate(islice(every, count)):
        said = f"{words.format(company, n=5 + 3 * again)}, in {place}"
        stated = {"key": f"{scope}-{n}-{key}", "category": category, "content": said, "scope": scope}
        yield NoteReport.model_validate(stated | {"source": ("billing", "sales")[n % 2]})


def fill(count: int, scope: str) -> None:
    from django.utils import timezone

    from memories.intake import claim_batch
    from memories.values.trust import everything

    waiting = claims(count, scope)
    while part := list(islice(waiting, 100)):
        claim_batch.store(part, trust=everything(), at=timezone.now())


def database_seconds() -> float:
    """Processor time of the database's processes, those that have ended among them."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        server = int(_fields(cursor.fetchone()[0])[1])
    children = map(int, Path(f"/proc/{server}/task/{server}/children").read_text().split())
    ticks = sum(map(int, _fields(server)[11:15])) + sum(int(one) for pid in children for one in _fields(pid)[11:13])
    return ticks / TICK


def _fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name: its parent is the second, its processor time from the twelfth."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def timed(figure: str, rows: int, work: Callable[[], Any], *, profile: bool = False) -> Any:
    profiler = cProfile.Profile()
    began, python, database = time.perf_counter(), time.process_time(), database_seconds()
    if profile:
        profiler.enable()
    answer = work()
    profiler.disable()
    took = time.perf_counter() - began
    cpu = {"python_s": time.process_time() - python, "database_s": database_seconds() - database}
    show(figure, took, "s", rows=rows, **{name: round(seconds, 2) for name, seconds in cpu.items()})
    if profile:
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(70)
    return answer


def in_a_run(figure: str, ordered: Callable[[], Any], *, profile: bool) -> Any:
    """Work on an order as a worker does."""
    from consolidation import run_queue

    order = ordered()
    timed(figure, order.total, run_queue.work, profile=profile)
    order.refresh_from_db()
    if order.counts.get("done") != order.total:
        raise SystemExit(f"{figure}: {order.run.status} {order.run.error} {order.counts} {order.refused[:3]}")
    return order


def measure(decided: int, *, profile: bool) -> None:
    from django.db import connection, transaction
    from django.utils import timezone

    from memories.models import Memory
    from memories.people import trust_of
    from memos_site import review
    from tests.make import make_person

    anna, now = make_person("anna"), timezone.now() + timedelta(seconds=1)
    ids = list(Memory.objects.filter(scope="project:shop").order_by("?").values_list("pk", flat=True))[: decided + 100]
    chosen, hundred = dict.fromkeys(ids[:decided], ""), ids[decided:]
    noise: Any = {"at": now, "why": "noise"}
    bulk = in_a_run("dismissed in a run", lambda: review.order(anna, chosen, "dismiss", **noise), profile=profile)
    in_a_run("undone in a run", lambda: review.order_undo(anna, bulk.batch, at=now), profile=profile)
    trust = trust_of(anna)
    done = timed("dismissed in a request", 100, lambda: review.by_ids(trust, hundred, "dismiss", **noise))
    timed("undone in a request", 100, lambda: review.undo(trust, done.batch, at=now))
    in_a_run("promoted in a run", lambda: review.order(anna, chosen, "promote", at=now), profile=profile)

    def floor() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in FLOOR:
                cursor.execute(statement, {"ids": list(chosen), "batch": bulk.pk})

    timed("bare SQL", decided, floor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=6_000)
    parser.add_argument("--decided", type=int, default=3_000)
    parser.add_argument("--shared", type=int, default=200)
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    with empty_store():
        fill(given.rows, "project:shop")
        fill(given.shared, "")
        with patch("consolidation.run_queue.nudge"):  # the runs are worked on here
            measure(given.decided, profile=given.profile)


if __name__ == "__main__":
    main()
