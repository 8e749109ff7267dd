"""Vacuum and analyze tables that came by a way of which the database's own upkeep learns late, or never.

After a restore, rows brought in by SQL, or a crash (which costs the database its counts of changes) the planner knows
nothing of a table: scans then read each row for its visibility, new entries of GIN indexes wait in lists that every
search reads through, and a million rows count as few.
"""

from django.db import connection

LEAST_PAGES = 128  # of a table that is looked after: smaller ones are read at once
# What was vacuumed within half an hour and is no better for it waits for an old transaction to end.
NEEDY = """
SELECT quote_ident(schemaname) || '.' || quote_ident(file.relname)
FROM pg_stat_user_tables AS used JOIN pg_class AS file ON file.oid = used.relid
CROSS JOIN LATERAL (SELECT pg_relation_size(file.oid) / current_setting('block_size')::int AS pages) AS now
WHERE schemaname = current_schema() AND pages >= %(least)s
    AND greatest(last_vacuum, last_autovacuum, '-infinity') < now() - interval '30 minutes'
    AND (reltuples < 0 OR 2 * relpages < pages OR 2 * relallvisible < relpages
         OR NOT EXISTS (SELECT FROM pg_stats WHERE schemaname = used.schemaname AND tablename = file.relname))
ORDER BY pages
"""


def needy_tables() -> list[str]:
    """Quoted names of the tables without statistics, or mostly unknown to be visible, the smallest first."""
    with connection.cursor() as cursor:
        cursor.execute(NEEDY, {"least": LEAST_PAGES})
        return [name for (name,) in cursor.fetchall()]


def tend() -> list[str]:
    """Vacuum and analyze these tables, outside of a transaction; returns their names.

    The database leaves out, with a warning in its log, what the role of `DATABASE_URL` does not own.
    """
    tended = needy_tables()
    for name in tended:
        with connection.cursor() as cursor:
            cursor.execute(f"VACUUM (ANALYZE, SKIP_LOCKED) {name}")
    return tended
