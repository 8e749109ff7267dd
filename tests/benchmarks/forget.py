"""What time costs in a store of many rows: daily decay, expiry and hourly pruning, beside bare SQL that does the same.

    .venv/bin/python -m tests.benchmarks.forget --rows 200000

Half of the rows are claims, half episodes of two events; a tenth of each is due. One JSON line a figure or plan. The
bare SQL runs first and is rolled back; what it left behind is vacuumed before ours begins.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.benchmarks.store import empty_store, show

NOW = datetime(2026, 6, 1, tzinfo=UTC)
TABLES = "memories_memory, memories_episode, memories_event, memories_passage, memories_evidence, memories_auditentry"

# number, one row of a tenth is due today; of those that are due a tenth fades below 60 and a tenth is gone.
MEMORIES = """
INSERT INTO memories_memory (id, type, scope, content, payload, source, origin, tags, sensitivity, confidence, status,
    hold, salience, salience_at, half_life, min_salience, reinforcement_gain, max_age, pinned, deletion_policy,
    created_by, created_by_id, provenance, evidence_of_live, times_used, times_confirmed, flags, version, created_at,
    updated_at, decay_steps, category, idle_since, decay_due_at, expires_at)
SELECT md5('m' || n)::uuid, {type}, 'scope-' || n %% 100, 'what is known of number ' || n, '{{}}', 'bench', 'observed',
    '{{}}', 1, CASE n %% 100 WHEN 0 THEN 14 WHEN 10 THEN 64 ELSE 80 END, 'confirmed', '', 1, {salience_at}, 3600, 0,
    0.1, 0, false, 'auto_prune', 'bench', '', '{{}}', false, 0, 0, '[]', 1, {born}, {born}, 0, {category},
    {idle_since}, {due_at}, {expires_at}
FROM generate_series(%(first)s, %(last)s) AS n
"""
DUE = "n %% 10 = 0"
CLAIMS = MEMORIES.format(
    type="'semantic'",
    category="'preference'",
    salience_at="%(at)s",
    born="%(at)s - interval '1 year'",
    idle_since=f"%(at)s - CASE WHEN {DUE} THEN interval '30 days' ELSE interval '1 day' * (n %% 29) END",
    due_at=f"%(at)s + CASE WHEN {DUE} THEN interval '0' ELSE interval '1 day' * (30 - n %% 29) END",
    expires_at="CASE n %% 10 WHEN 1 THEN %(at)s - interval '1 hour' WHEN 2 THEN %(at)s + interval '1 day' END",
)
EPISODES = MEMORIES.format(
    type="'episodic'",
    category="NULL",
    salience_at="%(at)s - CASE WHEN n %% 10 < 2 THEN interval '1 day' ELSE interval '1 hour' END",
    born="%(at)s - interval '1 day'",
    idle_since="NULL::timestamptz",
    due_at="NULL::timestamptz",
    expires_at="NULL::timestamptz",
)
BESIDE = [
    """INSERT INTO memories_episode (memory_id, title, scope, source, event_count, last_event_at, outcome_by,
           outcome_details, closed_at, digested_at, digest_attempts, digest_error, extract, environment, artifacts)
       SELECT id, '', scope, source, 2, created_at, '', '{}', created_at, created_at, 1, '', true, '{}', '[]'
       FROM memories_memory WHERE type = 'episodic'""",
    """INSERT INTO memories_event (id, episode_id, position, at, kind, role, actor, ref, text, summary, tool, args,
           result, depends_on, context, flags, made_by)
       SELECT md5(memory_id::text || p)::uuid, memory_id, p, last_event_at, 'tool_call', '', 'bench', '', '', '', 'rg',
           '{"pattern": "needle"}', '{"lines": ["src/m.py:1: match"]}', '[]', '{}', '[]', 'bench'
       FROM memories_episode, generate_series(1, 2) AS p""",
    """INSERT INTO memories_passage (memory_id, position, part, event_id, text, actor, at, scope, sensitivity, type)
       SELECT m.id, e.position, 0, e.id, 'rg needle src m.py', 'bench', e.at, m.scope, m.sensitivity, m.type
       FROM memories_event e JOIN memories_memory m ON m.id = e.episode_id""",
    # every second faded episode is what a live claim rests on, each another one: pruning has to pass it by
    """INSERT INTO memories_evidence (id, memory_id, occasion, episode_id, kind, delta, at, made_by, made_by_id,
           snapshot)
       SELECT gen_random_uuid(), md5('m' || n - %(half)s + 2)::uuid, 'episode:' || id, id, 'supports', 0, %(at)s, '',
           '', '' FROM (SELECT *, substring(content FROM '[0-9]+$')::int AS n FROM memories_memory
           WHERE type = 'episodic' AND fades_at < %(at)s AND right(content, 1) = '1') AS faded""",
]
AUDIT = """
INSERT INTO memories_auditentry (id, subject_kind, subject_id, label, action, actor, actor_kind, at, rationale, before,
    after, subject_version, scope, sensitivity, request_id, batch_id)
SELECT gen_random_uuid(), 'memory', id, left(content, 200), '{action}', 'Memos', 'system', %(at)s, '', '{{}}', '{{}}',
    version, scope, sensitivity, '', gen_random_uuid() FROM memories_memory WHERE {which}
"""
STONES = """
INSERT INTO memories_tombstone (id, scope, key, memory_id, category, claim_tokens, claim_hard, sensitivity, reason, by,
    at, blocks, hits, lifted_by, normalisation, sealed_with, duplicate)
SELECT gen_random_uuid(), scope, key, id, category, '{{}}', '{{}}', sensitivity, '', 'Memos', %(at)s, false, 0, '', 1,
    '', false
FROM memories_memory WHERE {which}
"""
GONE = "confidence < 10 AND decay_steps > 0"
PAST = "expires_at <= %(at)s"
FADED = """type = 'episodic' AND fades_at < %(at)s AND deletion_policy = 'auto_prune' AND NOT pinned
    AND NOT evidence_of_live AND NOT EXISTS (SELECT 1 FROM memories_evidence e JOIN memories_memory k
    ON k.id = e.memory_id WHERE e.episode_id = memories_memory.id AND k.status = 'confirmed')"""
PRUNED = f"(SELECT id FROM memories_memory WHERE {FADED})"
BARE: dict[str, Sequence[str]] = {
    "settle": (
        """UPDATE memories_memory SET confidence = greatest(0, confidence - 5), decay_steps = 1,
               decay_due_at = idle_since + interval '37 days' WHERE decay_due_at <= %(at)s""",
        AUDIT.format(action="decay", which="decay_steps = 1 AND confidence BETWEEN 10 AND 59"),
        "UPDATE memories_memory SET status = 'candidate' WHERE decay_steps = 1 AND confidence BETWEEN 10 AND 59",
        AUDIT.format(action="expire", which=GONE),
        STONES.format(which=GONE),
        f"DELETE FROM memories_memory WHERE {GONE}",
    ),
    "expire": (
        AUDIT.format(action="expire", which=PAST),
        STONES.format(which=PAST),
        f"DELETE FROM memories_memory WHERE {PAST}",
    ),
    "prune": (
        AUDIT.format(action="prune", which=FADED),
        f"CREATE TEMP TABLE gone ON COMMIT DROP AS {PRUNED[1:-1]}",
        "DELETE FROM memories_event WHERE episode_id IN (SELECT id FROM gone)",
        "DELETE FROM memories_episode WHERE memory_id IN (SELECT id FROM gone)",
        "DELETE FROM memories_memory WHERE id IN (SELECT id FROM gone)",
    ),
}


class Stop(Exception):
    """Ends a transaction that must leave nothing."""


def fill(rows: int) -> None:
    from django.db import connection

    half, given = rows // 2, {"at": NOW}
    with connection.cursor() as cursor:
        cursor.execute(CLAIMS, {**given, "first": 1, "last": half})
        cursor.execute(EPISODES, {**given, "first": half + 1, "last": rows})
        for statement in BESIDE:
            cursor.execute(statement, {**given, "half": half} if "%(" in statement else None)
    vacuum()


def vacuum() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM ANALYZE {TABLES}")


def bare(name: str) -> float:
    """Seconds of the same work in as few statements as it takes, one transaction, and none of it kept."""
    from django.db import connection, transaction

    began = time.perf_counter()
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in BARE[name]:
                cursor.execute(statement, {"at": NOW})
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what a commit would check
            took = time.perf_counter() - began
            raise Stop
    except Stop:
        vacuum()
        return took


def compared(name: str, job: Callable[..., Any]) -> None:
    floor = bare(name)
    began = time.perf_counter()
    done = job(at=NOW)
    took = time.perf_counter() - began
    rows = sum(done[counter] for counter in ("settled", "pruned") if counter in done) or done["expired"]
    show(f"{name}: the job", rows / took, "rows/s", rows=rows, seconds=round(took, 2), did=dict(done))
    show(f"{name}: bare SQL", rows / floor, "rows/s", seconds=round(floor, 2))
    show(f"{name}: job against bare SQL", took / floor, "times")
    vacuum()
    began = time.perf_counter()
    assert not job(at=NOW)
    show(f"{name}: nothing is due", (time.perf_counter() - began) * 1000, "ms")


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
    rows = parser.parse_args().rows
    with empty_store(None):
        from memories import lifecycle
        from memories.models import Memory

        began = time.perf_counter()
        fill(rows)
        show("filled", rows / (time.perf_counter() - began), "rows/s", rows=rows)
        plan("what is due to decay", Memory.objects.due_to_decay(NOW).only("pk"))
        plan("what is past its TTL", Memory.objects.expired(NOW).only("pk"))
        plan("what may be pruned", Memory.objects.prunable(NOW).only("pk"))
        for name in BARE:
            compared(name, getattr(lifecycle, name))
        plan("what may be pruned, when half of the faded had to stay", Memory.objects.prunable(NOW).only("pk"))
        uses()


if __name__ == "__main__":
    main()
