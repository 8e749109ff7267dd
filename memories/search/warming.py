"""Bring what searches read into the memory of a database that has just started, before somebody waits for it.

After a restart a search reads thousands of pages that lie anywhere on the disk: a second for each of the first ones in
a store of a million. Read in their order they take no longer than a few of these searches together. `read_first` does
that while an installation starts, with a part of what makes searches faster still; `warm` does all of it, as a job.
"""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper as Cursor

from memories.indexing import ann_index
from memories.models import EmbeddingModel
from memories.models.vector import Serving
from memories.search import filters, table_statistics
from memories.search.candidates import pool
from memories.search.plan import SearchPlan
from memories.search.question import read_question
from memories.search.request import SearchRequest
from memories.values.trust import everything

TABLES = ("memories_vector", "memories_passage", "memories_memory")  # those of which a search reads most first
FRESH = timedelta(minutes=10)  # a database that has run for longer holds what is asked for
BUFFERS_SHARE = 0.9  # of the database's buffers: the rest is for what happens meanwhile
CHUNK = 16 << 20  # bytes of one statement; 32 MB lie in new memory each time, which takes four times as long
NEAREST = 100  # searches by the index over vectors; by then one in a hundred of the pages of another is new
FIRST_NEAREST = 20  # of these while an installation starts; by then it is one in five
SCOPES = 20  # searches in scopes of the newest passages
NEWEST = 2_000  # passages
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
SELECT now() - pg_postmaster_start_time(), pg_size_bytes(current_setting('shared_buffers')),
    pg_size_bytes(current_setting('block_size') || 'B'), pg_size_bytes(current_setting('segment_size')),
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
SOME_SCOPES = """
SELECT DISTINCT ON (scope) scope, left(text, 300)
FROM (SELECT scope, text, id FROM memories_passage ORDER BY id DESC LIMIT %s) AS newest
ORDER BY scope, id DESC
LIMIT %s
"""
ROWS = "SELECT count(*) FROM {table} WHERE ctid >= %s::tid AND ctid < %s::tid"
Step = Callable[[], int]


class Server(NamedTuple):
    """`age`: since its start. `buffers`, `cache`: bytes of its own memory, and of what the machine keeps of files."""

    age: timedelta
    buffers: int
    block: int
    segment: int
    cache: int
    may_read_files: bool


class File(NamedTuple):
    """A relation on the disk. `is_near`: an index over vectors."""

    path: str
    size: int
    is_table: bool
    is_near: bool


class Warmed(NamedTuple):
    """`read`: bytes of files and tables. `searches`: those that were made for the pages that they read."""

    read: int
    searches: int
    complete: bool


def warm(*, at: datetime, until: float) -> Warmed | None:
    """Read what searches read, until that time of the monotonic clock. None: the database has run for a while."""
    with connection.cursor() as cursor:
        server = _server(cursor)
        return None if server.age > FRESH else _done(_steps(cursor, server, at), until)


def read_first(*, until: float) -> Warmed | None:
    """What a start reads. None: the database has run for a while, has no tables yet, or lets nobody read its files."""
    with connection.cursor() as cursor:
        server = _server(cursor)
        if server.age > FRESH or not server.may_read_files or not _has_tables(cursor):
            return None
        return _done(_first_steps(cursor, server), until)


def _server(cursor: Cursor) -> Server:
    cursor.execute(FACTS)
    return Server(*cursor.fetchone())


def _has_tables(cursor: Cursor) -> bool:
    cursor.execute("SELECT bool_and(to_regclass(name) IS NOT NULL) FROM unnest(%s::text[]) AS name", [list(TABLES)])
    return bool(cursor.fetchone()[0])


def _done(steps: Iterator[Step], until: float) -> Warmed:
    read = searches = 0
    for step in steps:
        if time.monotonic() >= until:
            return Warmed(read, searches, complete=False)
        done = step()
        read, searches = read + done, searches + (not done)
    return Warmed(read, searches, complete=True)


def _first_steps(cursor: Cursor, server: Server) -> Iterator[Step]:
    """Rows are left to the job: that they are there saves a first search less than half as much for the same time."""
    yield from _files(cursor, server)
    if _size_of_index(cursor):
        yield from _nearest(cursor, FIRST_NEAREST)


def _steps(cursor: Cursor, server: Server, at: datetime) -> Iterator[Step]:
    """Files, which every search reads all over; then rows, from the newest on; last the index over vectors, which few
    searches walk: those in all scopes. A step returns the bytes that it read, 0 for a search.
    """
    index = _size_of_index(cursor)
    if server.may_read_files:
        yield from _files(cursor, server)
    yield from _rows(cursor, server, room=int(BUFFERS_SHARE * server.buffers) - index)
    yield from _in_scopes(cursor, at)
    if index:
        yield from _nearest(cursor, NEAREST)


def _size_of_index(cursor: Cursor) -> int:
    """Bytes of the index over vectors; 0: there is none."""
    model = EmbeddingModel.objects.serving()
    kind = ann_index.present(model, table_statistics.known().indexes)
    if kind is None:
        return 0
    cursor.execute("SELECT pg_relation_size(%s::regclass)", [ann_index.index_name(model, kind)])
    return int(cursor.fetchone()[0])


def _files(cursor: Cursor, server: Server) -> Iterator[Step]:
    """Into what the machine keeps of files, which is then read a page at a time into the database's buffers.

    Where not all have room, the indexes; what a search in one scope needs is read before the index over vectors.
    """
    cursor.execute(FILES, {"tables": list(TABLES)})
    room, wanted = server.cache, []
    for file in map(File._make, cursor.fetchall()):
        if file.size <= room:
            room -= file.size
            wanted.append(file)
    for file in sorted(wanted, key=attrgetter("is_near")):
        for start in range(0, file.size, CHUNK):
            yield partial(_read_file, cursor, file.path, start, server.segment)


def _read_file(cursor: Cursor, path: str, start: int, segment: int) -> int:
    """A relation lies in files of one segment each."""
    number, start = divmod(start, segment)
    cursor.execute(
        "SELECT coalesce(length(pg_read_binary_file(%s, %s, %s, true)), 0)",
        [f"{path}.{number}" if number else path, start, CHUNK],
    )
    return int(cursor.fetchone()[0])


def _nearest(cursor: Cursor, most: int) -> Iterator[Step]:
    """No statement reads such an index in its order, but searches from everywhere soon have been where others come."""
    model = EmbeddingModel.objects.serving()
    cursor.execute(SOME_VECTORS, {"most": most, "model": model})
    for (vector,) in cursor.fetchall():
        yield partial(_search_nearest, cursor, model, vector)


def _search_nearest(cursor: Cursor, model: str, vector: str) -> int:
    size = vector.count(",") + 1
    with transaction.atomic():
        ann_index.prepare(cursor)
        cursor.execute(
            f"SELECT FROM memories_vector WHERE model = %s ORDER BY embedding::halfvec({size}) <#> %s::halfvec({size})"
            " LIMIT %s",
            [model, vector, ann_index.NEAREST],
        )
    return 0


def _rows(cursor: Cursor, server: Server, *, room: int) -> Iterator[Step]:
    """Into the database's own buffers, as far as they go."""
    step = CHUNK // server.block
    for table in TABLES:
        cursor.execute("SELECT pg_relation_size(%s::regclass)", [table])
        last = cursor.fetchone()[0] // server.block
        while last > 0 and room >= CHUNK:
            first = max(last - step, 0)
            yield partial(_read_rows, cursor, table, first, last, server.block)
            last, room = first, room - CHUNK


def _read_rows(cursor: Cursor, table: str, first: int, last: int, block: int) -> int:
    """By their places: a scan of a whole table uses a few buffers over and over, and would leave nothing there."""
    with transaction.atomic():
        cursor.execute("SELECT set_config('enable_seqscan', 'off', true)")
        cursor.execute(ROWS.format(table=table), [f"({first},0)", f"({last},0)"])
    return (last - first) * block


def _in_scopes(cursor: Cursor, at: datetime) -> Iterator[Step]:
    cursor.execute(SOME_SCOPES, [NEWEST, SCOPES])
    for scope, text in cursor.fetchall():
        yield partial(_search_words, scope, text, at)


def _search_words(scope: str, text: str, at: datetime) -> int:
    """By words alone: what was said is sent to no endpoint for this."""
    request = SearchRequest.model_validate({"query": text, "scopes": [scope]})
    wanted = filters.of_search(request, request.narrows(everything()), at)
    pool(SearchPlan(read_question(text, Serving("", None), None, wanted), wanted, at))
    return 0
