"""Fills a store with what teams remember, by INSERT SELECT: claims, episodes, skills, plans, evidence, audit.

Evidence is spread as in life: each claim has the occasion that founded it, some are confirmed in further sessions by
other agents, and few are doubted. Of a hundred claims seven wait for a person.
"""

from typing import Any

VOCABULARY = 20_000
TEXTS = 20_000  # distinct sentences, which claims combine with a number of their own
SCOPES, AGENTS, COMPANIES = 200, 60, 2_000
# Of n the numbers 0 to 999 that decide what a row is: a different one for each question.
DICE = "mod(mod(n * (7919 + {0} * 104729), 1000003), {1})"
TYPE = (
    "CASE WHEN {d} < 780 THEN 'semantic' WHEN {d} < 980 THEN 'episodic' WHEN {d} < 990 THEN 'working'"
    " WHEN {d} < 998 THEN 'plan_graph' ELSE 'competence' END"
)
STATUS = (
    "CASE WHEN type IN ('episodic', 'working') THEN 'confirmed' WHEN {d} < 65 THEN 'candidate'"
    " WHEN {d} < 70 THEN 'contested' WHEN {d} < 600 THEN 'confirmed' WHEN {d} < 850 THEN 'applied'"
    " WHEN {d} < 950 THEN 'superseded' ELSE 'dismissed' END"
)
ID = "(lpad(to_hex(n * 40000 + 1700000000000), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid"
BORN = "to_timestamp(1700000000 + 40 * n + mod(n, 37))"
MEMORIES = f"""
INSERT INTO memories_memory (
    id, type, category, payload, source, origin, thread_id, company_id, tags, scope, key, content, sensitivity, status,
    confidence, hold, version, updated_at, salience, salience_at, half_life, min_salience, reinforcement_gain, max_age,
    reinforced_at, pinned, deletion_policy, decay_steps, created_by, created_by_id, provenance, evidence_of_live,
    times_used, times_confirmed, flags, created_at, idle_since, decay_due_at)
SELECT {ID}, type, CASE WHEN type = 'semantic' THEN (ARRAY['fact', 'preference', 'pattern', 'contact',
           'workflow'])[1 + {DICE.format(1, 5)}] END,
    '{{}}', 'agent-' || {DICE.format(2, AGENTS)}, CASE WHEN type = 'semantic' THEN 'stored' ELSE 'observed' END,
    CASE WHEN type IN ('working', 'episodic') THEN 'thread-' || n END,
    CASE WHEN {DICE.format(3, 3)} = 0 THEN 'company-' || {DICE.format(4, COMPANIES)} END,
    ARRAY['tag-' || mod(n, 40)], 'scope-' || {DICE.format(5, SCOPES)},
    CASE WHEN type = 'semantic' THEN 'agent-claim-' || n END,
    t.text || ' ' || n, CASE WHEN {DICE.format(6, 20)} = 0 THEN 3 ELSE 1 END, {STATUS.format(d=DICE.format(7, 1000))},
    20 + {DICE.format(8, 80)}, '', 1, {BORN}, 0.5 + {DICE.format(9, 50)} / 100.0, {BORN},
    (ARRAY[30, 30, 30, 7, 90])[1 + {DICE.format(10, 5)}] * 86400.0,
    CASE WHEN {DICE.format(11, 200)} = 0 THEN 0.1 ELSE 0 END,
    0.1, 0, NULL, {DICE.format(12, 500)} = 0, 'auto_prune', 0, 'agent-' || {DICE.format(2, AGENTS)},
    'agent:' || {DICE.format(2, AGENTS)}, '{{}}', false, mod(n, 9),
    CASE WHEN {DICE.format(13, 6)} = 0 THEN 1 + {DICE.format(14, 3)} ELSE 0 END, '[]', {BORN},
    CASE WHEN type = 'semantic' THEN {BORN} END, CASE WHEN type = 'semantic' THEN {BORN} + interval '30 days' END
FROM (SELECT n, {TYPE.format(d=DICE.format(0, 1000))} AS type FROM generate_series(1::bigint, %(rows)s) AS n) AS rows
JOIN bench_text AS t ON t.id = {DICE.format(15, TEXTS)}
"""
EPISODES = """
INSERT INTO memories_episode (
    memory_id, scope, source, thread_id, title, event_count, last_event_at, closed_at, digested_at, outcome_by,
    outcome_details, digest_attempts, digest_error, extract, environment, artifacts)
SELECT id, scope, source, thread_id, '', 3, created_at, created_at, created_at, '', '{}', 0, '', true, '{}', '[]'
FROM memories_memory WHERE type = 'episodic'
"""
PASSAGES = """
INSERT INTO memories_passage (memory_id, position, part, text, actor, at, scope, sensitivity, type)
SELECT id, 1, 0, content, source, created_at, scope, sensitivity, type FROM memories_memory
"""
EVIDENCE = f"""
INSERT INTO memories_evidence (
    id, memory_id, occasion, kind, delta, at, made_by, made_by_id, snapshot, created_at)
SELECT gen_random_uuid(), id, 'thread:' || n || ':' || turn,
    CASE WHEN turn = 0 THEN 'created' WHEN {DICE.format(16, 40)} = 0 THEN 'contradicts' ELSE 'reinforced' END,
    0, created_at + turn * interval '1 day', 'agent-' || mod(n + turn, {AGENTS}), 'agent:' || mod(n + turn, {AGENTS}),
    '', created_at
FROM (SELECT *, row_number() OVER () AS n FROM memories_memory WHERE type = 'semantic') AS m,
    generate_series(0, times_confirmed) AS turn
"""
AUDIT = """
INSERT INTO memories_auditentry (
    id, at, actor_kind, actor, action, subject_kind, subject_id, label, subject_version, scope, sensitivity, rationale,
    before, after, batch_id, request_id)
SELECT gen_random_uuid(), now() - interval '300 days' * random(), 'agent', source, 'create', 'memory', id, '', 1, scope,
    sensitivity, '', '{}', '{}', gen_random_uuid(), ''
FROM memories_memory WHERE type <> 'episodic'
"""
PROPOSALS = """
INSERT INTO memories_proposal (
    id, kind, memory_id, evidence, others, change, fingerprint, why, made_by, scope, sensitivity, opened_at,
    decided_by)
SELECT gen_random_uuid(), 'revision', id, '[]', '{}', '{"verb": "edit", "content": "otherwise"}',
    decode(md5(id::text), 'hex'), 'it is otherwise', 'bench', scope, sensitivity, created_at, ''
FROM memories_memory WHERE status = 'confirmed' AND type = 'semantic' AND times_used = 3 AND key LIKE '%00'
"""
TABLES = ("memories_memory", "memories_passage", "memories_evidence", "memories_auditentry", "memories_episode")


def fill(rows: int) -> None:
    """COPY the sentences, then one statement a table; indexes that are no constraint are built afterwards."""
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # no triggers, no checks of foreign keys
        cursor.execute("SET LOCAL maintenance_work_mem = '512MB'")
        indexes = _without_indexes(cursor)
        _copy_sentences(cursor)
        cursor.execute(MEMORIES, {"rows": rows})
        for statement in (EPISODES, PASSAGES, EVIDENCE, AUDIT, PROPOSALS):
            cursor.execute(statement)
        for definition in indexes:
            cursor.execute(definition)
        cursor.execute("DROP TABLE bench_text")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _without_indexes(cursor: Any) -> list[str]:
    cursor.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = ANY(%s) AND indexname NOT IN"
        " (SELECT conname FROM pg_constraint) AND indexdef NOT LIKE 'CREATE UNIQUE%%'",
        [list(TABLES)],
    )
    rows = cursor.fetchall()
    for name, _definition in rows:
        cursor.execute(f'DROP INDEX "{name}"')
    return [definition for _name, definition in rows]


def _copy_sentences(cursor: Any) -> None:
    from tests.benchmarks.filled import Texts

    said, _vectors = Texts().passages(TEXTS)
    cursor.execute("CREATE TABLE bench_text (id integer PRIMARY KEY, text text)")
    with cursor.copy("COPY bench_text FROM STDIN") as copy:
        for n, text in enumerate(said):
            copy.write(f"{n}\t{' '.join(text.split()[:12])}\n")
    cursor.execute("ANALYZE bench_text")
