"""The approximate nearest neighbour index of vectors: lists (IVFFlat), above ANN_FROM_PASSAGES a graph (HNSW).

Both may miss some neighbours, so they are only used where that many passages are searched. Lists cost an insert nothing
that can be measured, but what a search reads of them grows with the store; the graph makes inserts slower.
"""

import hashlib
import logging
from collections.abc import Container, Iterator
from contextlib import contextmanager
from enum import Enum

from django.conf import settings
from django.contrib.postgres.indexes import OpClass
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.db.backends.utils import CursorWrapper as Cursor
from django.db.models import OrderBy, Q
from django.db.models.functions import Cast, Collate
from django.db.models.indexes import IndexExpression
from pgvector.django import HalfVectorField, HnswIndex, IvfflatIndex

from memories import leases
from memories.models import EmbeddingModel, Vector

log = logging.getLogger(__name__)
MOST_MEMORY = 4 << 20  # KiB; where the graph does not fit into memory, the rest of it is built a hundred times slower
NEAREST = 200  # neighbours per search
EFFORT = 400  # ef_search: finds 97 of 100 of the nearest 50 of 400,000 sentences, 88 for questions of another kind
OPERATOR_CLASS, GRAPH = "halfvec_ip_ops", {"m": 16, "ef_construction": 64}
LISTS = {"lists": 256}
NEAREST_OF_LISTS, PROBES = 500, 32  # finds 99 of 100 of the nearest 50 of 100,000 passages of dialogues and runs
LISTS_SHARE = 6  # lists from one part in so many of ANN_FROM_PASSAGES on
OF_A_ROW = 900  # bytes of a row besides its vector
LEASE = "vector index"
LARGEST = 4_000  # dimensions of a halfvec that pgvector can index

IndexExpression.register_wrappers(OrderBy, OpClass, Collate)  # else only the app django.contrib.postgres does it


class Kind(Enum):
    """What an index is made of. Of two that are there the later one of these counts."""

    LISTS = "lists"
    GRAPH = "graph"

    @property
    def options(self) -> dict[str, int]:
        return LISTS if self == Kind.LISTS else GRAPH

    @property
    def nearest(self) -> int:
        """Neighbours per search."""
        return NEAREST_OF_LISTS if self == Kind.LISTS else NEAREST

    @property
    def least(self) -> int:
        """It is built and used where there are more passages than these."""
        most: int = settings.ANN_FROM_PASSAGES
        return most // LISTS_SHARE if self == Kind.LISTS else most


def index_name(model: str, kind: Kind = Kind.GRAPH) -> str:
    """The name of the index, with a hash of its definition: `ensure` builds a changed one and removes the former."""
    options = ", ".join(f"{name} = {value}" for name, value in kind.options.items())
    return f"vector_near_{hashlib.sha256(f'{model} {OPERATOR_CLASS} {options}'.encode()).hexdigest()[:16]}"


def present(model: str, indexes: Container[str]) -> Kind | None:
    """The kind of the index of that model among the valid ones of the table."""
    return next((kind for kind in reversed(Kind) if index_name(model, kind) in indexes), None)


def prepare(cursor: Cursor) -> None:
    """Set the search effort of the index for the transaction, and iterative scans where filters leave too few rows.

    Rows of an iterative scan are only approximately ordered.
    """
    cursor.execute(
        "SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),"
        " set_config('ivfflat.probes', %s, true), set_config('ivfflat.iterative_scan', 'relaxed_order', true)",
        [str(EFFORT), str(PROBES)],
    )


def ensure() -> str:
    """Build the index of the serving model where it is worth it, and remove others and invalid ones.

    Must run outside a transaction. Returns a description of what it did.
    """
    model = EmbeddingModel.objects.serving()
    with leases.hold(LEASE, wait=False) as acquired, connection.cursor() as cursor:
        if not acquired or _being_built(cursor):
            return "another is at it"
        indexes = _indexes(cursor)
        kind = _best_kind(cursor, present(model, valid_indexes(cursor)))
        name_to_keep = kind and index_name(model, kind)
        for name, valid in indexes:
            if name != name_to_keep or not valid:
                cursor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS "{name}"')
        if kind is None:
            return "too few for an index"
        return "it is there" if (name_to_keep, True) in indexes else _build(cursor, model, kind)


def _best_kind(cursor: Cursor, current: Kind | None) -> Kind | None:
    """The kind for this number of vectors, never below the present one: near a limit it would be rebuilt each time."""
    rows = _rows(cursor)
    return next((kind for kind in reversed(Kind) if kind == current or rows > kind.least), None)


def _rows(cursor: Cursor) -> float:
    cursor.execute("SELECT reltuples FROM pg_class WHERE oid = 'memories_vector'::regclass")
    return float(cursor.fetchone()[0])


def _being_built(cursor: Cursor) -> bool:
    """Whether the database builds an index of vectors, which it goes on doing when the process that asked has died."""
    cursor.execute("SELECT 1 FROM pg_stat_progress_create_index WHERE relid = 'memories_vector'::regclass LIMIT 1")
    return cursor.fetchone() is not None


def valid_indexes(cursor: Cursor) -> set[str]:
    return {name for name, valid in _indexes(cursor) if valid}


def _indexes(cursor: Cursor) -> list[tuple[str, bool]]:
    cursor.execute(
        "SELECT relname, indisvalid FROM pg_class JOIN pg_index ON pg_class.oid = indexrelid"
        " WHERE indrelid = 'memories_vector'::regclass AND starts_with(relname, 'vector_near_')"
    )
    return list(cursor.fetchall())


def _build(cursor: Cursor, model: str, kind: Kind) -> str:
    cursor.execute("SELECT vector_dims(embedding) FROM memories_vector WHERE model = %s LIMIT 1", [model])
    [size] = cursor.fetchone() or [0]
    if not 0 < size <= LARGEST:
        return f"no index for {size} dimensions"
    log.info("building an index over the vectors of %s", model)
    kilobytes = int(_rows(cursor) * (2 * size + OF_A_ROW) * 1.2) >> 10
    memory = min(max(kilobytes, 64 << 10), MOST_MEMORY)
    with _session(memory) as session, DatabaseSchemaEditor(session, atomic=False) as schema:
        schema.add_index(Vector, _index(model, kind, size), concurrently=True)
    return "built"


@contextmanager
def _session(kib: int) -> Iterator[BaseDatabaseWrapper]:
    """A session of its own with so much memory to build an index, which ends with it.

    A concurrent build must run outside a transaction, so the setting cannot be one of a transaction. A pooler would
    hand a setting of the session to others, and the build to another session: behind one, that of the server counts.
    """
    session = connection.copy()
    try:
        session.ensure_connection()
        if is_direct(session):
            with session.cursor() as cursor:
                cursor.execute("SELECT set_config('maintenance_work_mem', %s, false)", [f"{kib}kB"])
        else:
            log.warning("behind a pooler: set maintenance_work_mem of the server to %s MB for a fast build", kib >> 10)
        yield session
    finally:
        session.close()


def is_direct(session: BaseDatabaseWrapper) -> bool:
    """Whether no pooler stands between: the process that answers is the one that the connection was opened with."""
    with session.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [process] = cursor.fetchone()
    return bool(process == session.connection.info.backend_pid)


def _index(model: str, kind: Kind, size: int, *, name: str = "") -> HnswIndex | IvfflatIndex:
    index_class = IvfflatIndex if kind == Kind.LISTS else HnswIndex
    return index_class(
        OpClass(Cast("embedding", HalfVectorField(dimensions=size)), name=OPERATOR_CLASS),
        name=name or index_name(model, kind),
        condition=Q(model=model),
        **kind.options,
    )
