"""What the database does not do by itself in time: know tables that were filled at once, and have at hand what searches
read.

After a restore, rows brought in by SQL, or a crash (which costs the database its counts of changes) the planner knows
nothing of a table: scans then read each row for its visibility, new entries of GIN indexes wait in lists that every
search reads through, and a million rows count as few. Such tables are vacuumed and analyzed.

After a restart a search reads thousands of pages that lie anywhere on the disk: a second for each of the first ones in
a store of a million. Read in their order, while an installation starts, they take no longer than a few of these
searches together. Rows are left to the searches: that they are there saves a first one less than half as much for the
same time.
"""

from datetime import timedelta
from operator import attrgetter
from typing import NamedTuple

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper as Cursor

from memories.indexing import ann_index
from memories.models import EmbeddingModel

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
TABLES = ("memories_vector", "memories_passage", "memories_memory")  # those of which a search reads most first
FRESH = timedelta(minutes=10)  # a database that has run for longer holds what is asked for
CHUNK = 16 << 20  # bytes of one statement; 32 MB lie in new memory each time, which takes four times as long
NEAREST = 20  # searches by the index over vectors; by then one in five of the pages of another is new
# By indexes of passages and vectors searches find candidates; those of memories, but for the unique ones, are of lists.
FILES = """
SELECT pg_relation_filepath(file.oid) AS path, pg_relation_size(file.oid) AS size,
    file.oid = ANY(%(tables)s::regclass[]) AS is_table, coalesce(amname IN ('hnsw', 'ivfflat'), false) AS is_near
FROM pg_class AS file LEFT JOIN pg_am AS way ON way.oid = file.relam
WHERE pg_relation_size(file.oid) > 0 AND file.oid IN (
    SELECT indexrelid FROM pg_index WHERE indisvalid AND indrelid = ANY(%(tables)s::regclass[])
        AND (indisunique OR indrelid <> 'memories_memory'::regclass)
    UNION SELECT reltoastrelid FROM pg_class WHERE oid = 'memories_vector'::regclass
    UNION SELECT unnest(%(tables)s::regclass[])
)
ORDER BY is_table, size
"""
FACTS = """
SELECT now() - pg_postmaster_start_time(), pg_size_bytes(current_setting('segment_size')),
    pg_size_bytes(current_setting('effective_cache_size')),
    has_function_privilege('pg_read_binary_file(text, bigint, bigint, boolean)', 'EXECUTE')
"""
SOME_VECTORS = """
SELECT embedding::text
FROM (SELECT min(id) AS first, max(id) AS last FROM memories_passage) AS passage,
    generate_series(1, %(most)s) AS n,
    LATERAL (SELECT embedding FROM memories_vector
             WHERE passage_id <= first + (last - first) * n / %(most)s AND model = %(model)s
             ORDER BY passage_id DESC LIMIT 1) AS vector
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
    names = needy_tables()
    for name in names:
        with connection.cursor() as cursor:
            cursor.execute(f"VACUUM (ANALYZE, SKIP_LOCKED) {name}")
    return names


class Server(NamedTuple):
    """`age`: since its start. `cache`: bytes of what the machine keeps of files."""

    age: timedelta
    segment: int
    cache: int
    may_read_files: bool


class File(NamedTuple):
    """A relation on the disk. `is_near`: an index over vectors."""

    path: str
    size: int
    is_table: bool
    is_near: bool


def read_first() -> list[File]:
    """Read the files that searches read, and search by the index over vectors; returns these files.

    None: the database has run for a while, has no tables yet, or lets nobody read its files.
    """
    with connection.cursor() as cursor:
        cursor.execute(FACTS)
        server = Server(*cursor.fetchone())
        if server.age > FRESH or not server.may_read_files or not _has_tables(cursor):
            return []
        files = files_to_read(cursor, server.cache)
        for file in files:
            _read_segment(cursor, file, server.segment)
        model = EmbeddingModel.objects.serving()
        if ann_index.present(model, ann_index.valid_indexes(cursor)):
            _search_nearest(cursor, model)
        return files


def _has_tables(cursor: Cursor) -> bool:
    cursor.execute("SELECT bool_and(to_regclass(name) IS NOT NULL) FROM unnest(%s::text[]) AS name", [list(TABLES)])
    return bool(cursor.fetchone()[0])


def files_to_read(cursor: Cursor, room: int) -> list[File]:
    """The files that have room in so many bytes of what the machine keeps of files, from which pages are then read.

    Where not all have, the indexes; what a search in one scope needs comes before the index over vectors.
    """
    cursor.execute(FILES, {"tables": list(TABLES)})
    fitting = []
    for file in map(File._make, cursor.fetchall()):
        if file.size <= room:
            room -= file.size
            fitting.append(file)
    return sorted(fitting, key=attrgetter("is_near"))


def _read_segment(cursor: Cursor, file: File, segment: int) -> None:
    """A relation lies in files of one segment each."""
    for place in range(0, file.size, CHUNK):
        number, start = divmod(place, segment)
        path = f"{file.path}.{number}" if number else file.path
        cursor.execute("SELECT length(pg_read_binary_file(%s, %s, %s, true))", [path, start, CHUNK])


def _search_nearest(cursor: Cursor, model: str) -> None:
    """No statement reads such an index in its order, but searches from everywhere soon have been where others come."""
    cursor.execute(SOME_VECTORS, {"most": NEAREST, "model": model})
    for (vector,) in cursor.fetchall():
        size = vector.count(",") + 1
        with transaction.atomic():
            ann_index.prepare(cursor)
            cursor.execute(
                f"SELECT FROM memories_vector WHERE model = %s"
                f" ORDER BY embedding::halfvec({size}) <#> %s::halfvec({size}) LIMIT %s",
                [model, vector, ann_index.NEAREST],
            )
