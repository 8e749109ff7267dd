"""A store for `forget`: half of the rows are claims, half episodes of two events; of each a tenth is due to a job."""

from datetime import UTC, datetime

NOW = datetime(2026, 6, 1, tzinfo=UTC)
TABLES = (
    *("memories_memory", "memories_episode", "memories_event", "memories_passage", "memories_evidence"),
    *("memories_auditentry", "memories_tombstone", "memories_formerstate"),
)

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
FROM generate_series(%(first)s, %(last)s) AS n WHERE n %% 10 = ANY(%(digits)s)
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
       FROM memories_memory WHERE type = 'episodic' AND id NOT IN (SELECT memory_id FROM memories_episode)""",
    """INSERT INTO memories_event (id, episode_id, position, at, kind, role, actor, ref, text, summary, tool, args,
           result, depends_on, context, flags, made_by)
       SELECT md5(memory_id::text || p)::uuid, memory_id, p, last_event_at, 'tool_call', '', 'bench', '', '', '', 'rg',
           '{"pattern": "needle"}', '{"lines": ["src/m.py:1: match"]}', '[]', '{}', '[]', 'bench'
       FROM memories_episode, generate_series(1, 2) AS p
       WHERE memory_id NOT IN (SELECT episode_id FROM memories_event)""",
    """INSERT INTO memories_passage (memory_id, position, part, event_id, text, actor, at, scope, sensitivity, type)
       SELECT m.id, e.position, 0, e.id, 'rg needle src m.py', 'bench', e.at, m.scope, m.sensitivity, m.type
       FROM memories_event e JOIN memories_memory m ON m.id = e.episode_id
       WHERE m.id NOT IN (SELECT memory_id FROM memories_passage)""",
    # every second faded episode is what a live claim rests on, each another one: pruning has to pass it by
    """INSERT INTO memories_evidence (id, memory_id, occasion, episode_id, kind, delta, at, made_by, made_by_id,
           snapshot)
       SELECT gen_random_uuid(), md5('m' || n %% %(half)s + 2)::uuid, 'episode:' || id, id, 'supports', 0, %(at)s, '',
           '', '' FROM (SELECT *, substring(content FROM '[0-9]+$')::int AS n FROM memories_memory
           WHERE type = 'episodic' AND fades_at < %(at)s AND right(content, 1) = '1'
           AND id NOT IN (SELECT episode_id FROM memories_evidence)) AS faded""",
]
EVERY = list(range(10))
DUE_TO = {"settle": (CLAIMS, [0]), "expire": (CLAIMS, [1]), "prune": (EPISODES, [0, 1])}  # by the last digit


class Filled:
    """A store of so many rows. More are added by `due_again`, each with a number of its own."""

    def __init__(self, rows: int) -> None:
        from django.db import connection

        self._half, self._last = rows // 20 * 10, rows
        self._met: set[str] = set()
        with connection.cursor() as cursor:
            for table in TABLES:
                cursor.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
        self._fill(CLAIMS, EVERY, first=1, last=self._half)
        self._fill(EPISODES, EVERY, first=self._half + 1, last=rows)
        settled_down()

    def due_again(self, name: str) -> int:
        """See to it that a tenth of one half is due to this job, where it has dealt with all that was; how many."""
        if name in self._met:
            self._fill(*DUE_TO[name], first=self._last + 1, last=self._last + self._half)
            self._last += self._half
        self._met.add(name)
        return self._half // 10

    def _fill(self, statement: str, digits: list[int], *, first: int, last: int) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute(statement, {"at": NOW, "digits": digits, "first": first, "last": last})
            for beside in BESIDE if statement is EPISODES else ():
                cursor.execute(beside, {"at": NOW, "half": self._half} if "%(" in beside else None)


def settled_down() -> None:
    """Nothing dead in the tables and nothing unwritten in memory: each run begins so."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM ANALYZE {', '.join(TABLES)}")
        cursor.execute("CHECKPOINT")
