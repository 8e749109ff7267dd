"""Episodes copied in SQL with all that consolidation knows of them, as if as many had been recorded and read."""

from collections.abc import Mapping
from typing import Any

EPISODE = "md5({0}::text || ':' || n)::uuid"
EARLIER = "{0} - make_interval(hours => 24 * n)"
THREAD = "{0} || ':' || n"
CASE = "md5(coalesce({0}.thread_id || ':' || n, md5({0}.memory_id::text || ':' || n)::uuid::text))::uuid"
# table -> column that names the episode, columns that differ in the copy. `n` is the number of the copy.
EXPERIENCE: dict[str, tuple[str, Mapping[str, str]]] = {
    "memories_memory": ("id", {"created_at": EARLIER}),
    "memories_episode": (
        "memory_id",
        {"external_id": THREAD, "thread_id": THREAD, "closed_at": EARLIER, "last_event_at": EARLIER},
    ),
    "memories_event": ("episode_id", {"id": EPISODE, "at": EARLIER}),
}
LEARNED: dict[str, tuple[str, Mapping[str, str]]] = {
    "consolidation_sighting": ("episode_id", {"at": EARLIER, "case": CASE}),
    "consolidation_runprofile": ("episode_id", {"at": EARLIER, "thread": THREAD}),
    "consolidation_argumentuse": ("episode_id", {"at": EARLIER, "case": CASE}),
    "consolidation_commandattempt": ("episode_id", {"at": EARLIER, "case": CASE}),
    "memories_evidence": ("episode_id", {"at": EARLIER, "id": EPISODE, "occasion": "'episode:' || " + EPISODE}),
}
COUNTED = (
    """UPDATE consolidation_pattern AS p SET successes = c.well, failures = c.ill, cases = c.cases
    FROM (SELECT pattern_id, count(*) FILTER (WHERE outcome = 'success') AS well,
                 count(*) FILTER (WHERE outcome = 'failure') AS ill,
                 count(DISTINCT "case") FILTER (WHERE outcome = 'success') AS cases
          FROM consolidation_sighting GROUP BY pattern_id) AS c WHERE c.pattern_id = p.id""",
    """UPDATE memories_performance AS f SET successes = p.successes, failures = p.failures
    FROM consolidation_pattern AS p WHERE p.memory_id = f.memory_id""",
)


def copy_read(chosen: str, first: int, last: int) -> None:
    """Copies first..last of the episodes with this external id (LIKE), each day of them a day earlier."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # no triggers, no checks of foreign keys
        for table, (key, changed) in {**EXPERIENCE, **LEARNED}.items():
            cursor.execute(_statement(table, key, changed), {"chosen": chosen, "first": first, "last": last})
        for statement in COUNTED:
            cursor.execute(statement)
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("VACUUM ANALYZE")


def copy_new(chosen: str, number: int, *, scope: str) -> None:
    """A copy of these episodes for a scope, unread, later than all others."""
    from django.db import connection

    later = "{0} + make_interval(hours => 24 * n)"
    with connection.cursor() as cursor:
        for table, (key, changed) in EXPERIENCE.items():
            moved = {name: later if how == EARLIER else how for name, how in changed.items()}
            if table != "memories_event":
                moved["scope"] = "%(scope)s"
            if table == "memories_episode":
                moved |= {"digested_at": "NULL", "digest_attempts": "0"}
            given: dict[str, str | int] = {"chosen": chosen, "first": number, "last": number, "scope": scope}
            cursor.execute(_statement(table, key, moved), given)
        cursor.execute("ANALYZE memories_memory, memories_episode, memories_event")


def _statement(table: str, key: str, changed: Mapping[str, str]) -> str:
    how = {key: EPISODE, **changed}
    columns = [name for name in _columns(table) if name != "id" or "id" in how]
    values = [how[name].format(_from(table, name, how[name])) if name in how else f't."{name}"' for name in columns]
    names = ", ".join(f'"{name}"' for name in columns)
    return (
        f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} FROM {table} AS t "
        f"JOIN memories_episode AS e ON e.memory_id = t.{key}, generate_series(%(first)s, %(last)s) AS n "
        "WHERE e.external_id LIKE %(chosen)s AND position(':' IN e.external_id) = 0"
    )


def _from(table: str, name: str, how: str) -> str:
    if how == CASE:
        return "e"
    return "t.episode_id" if name == "occasion" else f't."{name}"'


def _columns(table: str) -> list[Any]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND is_generated = 'NEVER' "
            "ORDER BY ordinal_position",
            [table],
        )
        return [name for (name,) in cursor.fetchall()]
