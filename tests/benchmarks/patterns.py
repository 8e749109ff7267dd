"""What an event costs the pattern rules, as the store grows: `python -m tests.benchmarks.patterns 100000`.

In a database of its own, which is removed afterwards: events with a context are written as rows, then read.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

DATA = Path(tempfile.mkdtemp(prefix="memos-bench-"))
os.environ["MEMOS_DATA_DIR"] = str(DATA)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memos_site.settings")

EVENTS = """
WITH n AS (SELECT g, gen_random_uuid() AS id, timestamptz '2026-01-01' + g * interval '3 minutes' AS at
           FROM generate_series(1, %(many)s) AS g),
memory AS (
    INSERT INTO memories_memory (id, type, scope, content, source, origin, sensitivity, status, confidence, hold,
        payload, tags, salience, salience_at, half_life, min_salience, reinforcement_gain, max_age, pinned,
        deletion_policy, decay_steps, created_by, created_by_id, provenance, evidence_of_live, times_used,
        times_confirmed, flags, version, created_at, updated_at)
    SELECT id, 'episodic', 'project:' || g %% 10, 'a run', 'P' || g %% 7, 'observed', 1, 'confirmed', 80, '', '{}',
        '{}', 1, at, 3600, 0, 0.1, 0, false, 'auto_prune', 0, 'bench', '', '{}', false, 0, 0, '[]', 1, at, at FROM n
    RETURNING id),
episode AS (
    INSERT INTO memories_episode (memory_id, title, scope, source, event_count, last_event_at, outcome_by,
        outcome_details, digest_attempts, digest_error, extract, environment, artifacts)
    SELECT id, '', 'project:' || g %% 10, 'P' || g %% 7, 1, at, '', '{}', 0, '', true, '{}', '[]'
    FROM n RETURNING memory_id)
INSERT INTO memories_event (id, episode_id, position, at, kind, role, actor, ref, text, summary, tool, depends_on,
    context, flags, made_by)
SELECT gen_random_uuid(), id, 1, at, 'plugin_run', '', '', '', '', '', '', '[]',
    CASE WHEN g %% 4 = 0 THEN '{}' ELSE jsonb_build_object('company', 'Client ' || (random() * 400)::int,
        'category', (ARRAY['action-required', 'newsletter', 'invoice'])[1 + (random() * 2)::int],
        'user_edited', g %% 11 = 0, 'edit_description', 'shorter ' || g %% 5,
        'entity_value', CASE WHEN g %% 50 = 0 THEN 'entity ' || g / 500 END) END, '[]', 'bench' FROM n
"""


def main(many: int, patience: float) -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone

    from consolidation import pattern_run
    from consolidation.models import Run
    from memories.models import Event
    from memos_site.platform.postgres.server import Server

    call_command("migrate", verbosity=0)
    try:
        with connection.cursor() as cursor:
            cursor.execute(EVENTS, {"many": many})
            cursor.execute("ANALYZE")
        print(f"{many} events stored", flush=True)
        started, last, seen = time.monotonic(), time.process_time(), [0]

        def told() -> bool:
            nonlocal last
            seen[0] += 1
            if seen[0] % 20 == 0:
                now = time.process_time()
                print(f"{seen[0] * 50:>8} events  {(now - last) / 1000 * 1000:6.2f} ms of Python each", flush=True)
                last = now
            return time.monotonic() - started > patience

        run = pattern_run.apply_rules(trigger=Run.Trigger.COMMAND, wait=True, at=timezone.now(), should_stop=told)
        print(run and run.counters, run and run.error, f"{Event.objects.unruled().count()} left")
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT relname, pg_size_pretty(pg_total_relation_size(oid)) FROM pg_class WHERE relname "
                "IN ('consolidation_pluginrun', 'consolidation_rulesighting', 'consolidation_rulegroup')"
            )
            print(cursor.fetchall())
        print(Event.objects.unruled().values_list("at", "pk", "episode__scope")[:5000].explain(analyze=True))
    finally:
        Server(DATA).stop()
        shutil.rmtree(DATA)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, float(sys.argv[2]) if len(sys.argv) > 2 else 1e9)
