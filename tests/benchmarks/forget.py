"""What time costs in a store of many rows: daily decay, expiry and hourly pruning, beside bare SQL that does the same.

    .venv/bin/python -m tests.benchmarks.forget --rows 200000 --rounds 7 --only expire

The bare SQL changes the same rows, leaves the same trail and is committed: in as few statements as it takes, and one
transaction. A round does as many rows in either way, each time the other one first, from tables that are vacuumed and
a checkpoint. One JSON line a figure or plan: medians of the rounds, and all ratios. `fastest`: the ratio of the fastest
rounds. `cpu`: processor time of the database's process and, of the job, of Python; a busy machine changes it less.
"""

import argparse
import os
import time
import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tests.benchmarks.forget_filled import NOW, Filled, settled_down
from tests.benchmarks.store import empty_store, show

TICK = os.sysconf("SC_CLK_TCK")
AUDIT = """
INSERT INTO memories_auditentry (id, subject_kind, subject_id, label, action, actor, actor_kind, at, rationale, before,
    after, subject_version, scope, sensitivity, request_id, batch_id)
SELECT uuidv7(), 'memory', id, left(coalesce(key, content), 200), '{action}', 'Memos', 'system', %(at)s, '{why}',
    jsonb_build_object({before}), jsonb_build_object({after}), version, scope, sensitivity, '', %(batch)s
FROM memories_memory WHERE {which}
"""
STONES = """
INSERT INTO memories_tombstone (id, scope, key, memory_id, category, claim_tokens, claim_hard, sensitivity, reason, by,
    at, blocks, hits, lifted_by, normalisation, sealed_with, duplicate)
SELECT uuidv7(), scope, key, id, category, '{{}}', '{{}}', sensitivity, '', 'Memos', %(at)s, false, 0, '', 1, '', false
FROM memories_memory WHERE {which}
"""
STOOD = "'status', status, 'confidence', confidence"
UNUSED, OVER = "nobody used or confirmed it", "its time was over"
WEAK = "decay_steps = 1 AND status = 'confirmed' AND confidence BETWEEN 10 AND 59"
GONE = "confidence < 10 AND decay_steps > 0"
PAST = "expires_at <= %(at)s AND deletion_policy NOT IN ('manual_only', 'never')"
FADED = """type = 'episodic' AND fades_at < %(at)s AND deletion_policy = 'auto_prune' AND NOT pinned
    AND NOT evidence_of_live"""
HELD = """EXISTS (SELECT 1 FROM memories_evidence e JOIN memories_memory k ON k.id = e.memory_id
    WHERE e.episode_id = memories_memory.id AND k.status = 'confirmed')"""
BARE: dict[str, Sequence[str]] = {
    "settle": (
        """UPDATE memories_memory SET confidence = greatest(0, confidence - 5), decay_steps = 1,
               decay_due_at = idle_since + interval '37 days' WHERE decay_due_at <= %(at)s""",
        AUDIT.format(
            action="decay", why=UNUSED, before="'status', status", after="'status', 'candidate'", which=WEAK
        ).replace(" version,", " version + 1,"),
        f"UPDATE memories_memory SET status = 'candidate', version = version + 1, updated_at = %(at)s WHERE {WEAK}",
        AUDIT.format(action="expire", why=UNUSED, before=STOOD, after="", which=GONE),
        STONES.format(which=GONE),
        f"DELETE FROM memories_memory WHERE {GONE}",
    ),
    "expire": (
        AUDIT.format(action="expire", why=OVER, before=STOOD, after="", which=PAST),
        STONES.format(which=PAST),
        f"DELETE FROM memories_memory WHERE {PAST}",
    ),
    "prune": (
        f"UPDATE memories_memory SET evidence_of_live = true WHERE {FADED} AND {HELD}",
        AUDIT.format(action="prune", why="", before="", after="", which=FADED),
        f"CREATE TEMP TABLE gone ON COMMIT DROP AS SELECT id FROM memories_memory WHERE {FADED}",
        "DELETE FROM memories_event WHERE episode_id IN (SELECT id FROM gone)",
        "DELETE FROM memories_episode WHERE memory_id IN (SELECT id FROM gone)",
        "DELETE FROM memories_memory WHERE id IN (SELECT id FROM gone)",
    ),
}


class Cost(NamedTuple):
    """Seconds, of which the database's process and Python were busy."""

    clock: float
    database: float
    python: float


def bare(name: str) -> None:
    """The same work without us."""
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        for statement in BARE[name]:
            cursor.execute(statement, {"at": NOW, "batch": uuid.uuid4()})


def cost(work: Callable[[], Any]) -> Cost:
    began, database, python = time.perf_counter(), busy_database(), time.process_time()
    work()
    return Cost(time.perf_counter() - began, busy_database() - database, time.process_time() - python)


def busy_database() -> float:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def compared(name: str, filled: Filled, rounds: int) -> None:
    from memories import lifecycle

    job: Callable[..., Any] = getattr(lifecycle, name)
    ways: dict[str, Callable[[], Any]] = {"bare SQL": lambda: bare(name), "the job": lambda: job(at=NOW)}
    costs: dict[str, list[Cost]] = {way: [] for way in ways}
    rows = 0
    for number in range(rounds):
        for way in sorted(ways, reverse=bool(number % 2)):
            rows = filled.due_again(name)
            settled_down()
            costs[way].append(cost(ways[way]))
            assert not job(at=NOW), f"{way} left something"
    for way, each in costs.items():
        clock = median(one.clock for one in each)
        busy = {"database": median(one.database for one in each), "python": median(one.python for one in each)}
        show(f"{name}: {way}", rows / clock, "rows/s", rows=rows, seconds=clock, **busy)
    pairs = list(zip(costs["the job"], costs["bare SQL"], strict=True))
    by_clock = [ours.clock / theirs.clock for ours, theirs in pairs]
    by_cpu = [(ours.database + ours.python) / theirs.database for ours, theirs in pairs]
    fastest = min(ours.clock for ours, _ in pairs) / min(theirs.clock for _, theirs in pairs)
    all_of = {
        "fastest": round(fastest, 2),
        "all": [round(one, 2) for one in by_clock],
        "all_cpu": [round(one, 2) for one in by_cpu],
    }
    show(f"{name}: job against bare SQL", median(by_clock), "times", cpu=round(median(by_cpu), 3), **all_of)
    nothing = cost(lambda: job(at=NOW))
    show(f"{name}: nothing is due", nothing.clock * 1000, "ms")


def plan(name: str, rows: Any) -> None:
    show(f"plan of {name}", 0, "", plan=rows[:1_000].explain(analyze=True, buffers=True).splitlines())


def uses(count: int = 1_000) -> None:
    """Whether counting a use writes to indexes."""
    from django.db import connection

    from memories.models import Memory

    def counted() -> tuple[int, int]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_force_next_flush()")
            cursor.execute("SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'memories_memory'")
            found: tuple[int, int] = cursor.fetchone()
            return found

    ids = list(Memory.objects.filter(type="semantic", status="confirmed").values_list("pk", flat=True)[:count])
    before, began = counted(), time.perf_counter()
    for first in range(0, count, 10):
        Memory.objects.count_use(ids[first : first + 10], at=NOW + timedelta(hours=1))
    show("uses counted, 10 at once", count / (time.perf_counter() - began), "uses/s")
    after = counted()
    show("uses that wrote no index", (after[1] - before[1]) / max(1, after[0] - before[0]), "share")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=BARE, help="compare this job alone")
    options = parser.parse_args()
    with empty_store(None):
        from memories.models import Memory

        began = time.perf_counter()
        filled = Filled(options.rows)
        show("filled", options.rows / (time.perf_counter() - began), "rows/s", rows=options.rows)
        plan("what is due to decay", Memory.objects.due_to_decay(NOW).only("pk"))
        plan("what is past its TTL", Memory.objects.expired(NOW).only("pk"))
        plan("what may be pruned", Memory.objects.prunable(NOW).only("pk"))
        for name in [options.only] if options.only else BARE:
            compared(name, filled, options.rounds)
        plan("what may be pruned, when half of the faded had to stay", Memory.objects.prunable(NOW).only("pk"))
        uses()


if __name__ == "__main__":
    main()
