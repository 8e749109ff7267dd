"""How long the index over vectors takes to build, and how much memory, for the growth curve of docs/scale.md.

    .venv/bin/python -m tests.benchmarks.vector_index --rows 100000 300000 1000000

One JSON line a figure, and the exponents from each size to the next. The store holds vectors only, which are all that
the build reads; they are those of texts of 25 words by the built-in model. A million takes 2 GB of disk.
"""

import argparse
import math
import os
import time
from itertools import pairwise
from pathlib import Path

from django.db.models import Index

from tests.benchmarks.store import empty_store, show

PER_SCOPE = 10_000
BATCH = 20_000
SAMPLE, SAMPLE_KIB = 30_000, 32 << 10  # rows, of which so little memory holds the graph of about two thirds
FULL = "hnsw graph no longer fits into maintenance_work_mem after "


class Vectors:
    """The table of vectors, which is filled further and further."""

    def __init__(self) -> None:
        from tests.benchmarks.filled import Texts

        self.texts, self.count = Texts(), 0

    def fill(self, rows: int) -> None:
        from django.db import connection

        from tests.benchmarks.filled import copy_vectors

        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = replica")  # there are no passages
            while self.count < rows:
                _, vectors = self.texts.passages(min(BATCH, rows - self.count))
                copy_vectors(cursor, self.count, vectors, max(1, rows // PER_SCOPE))
                self.count += len(vectors)
            cursor.execute("SET session_replication_role = DEFAULT")
            cursor.execute("VACUUM ANALYZE memories_vector")


def database_cpu() -> float:
    """Seconds of CPU that the database has used, with processes that have ended."""
    from django.conf import settings

    from tests.memos_site.processes import children

    postmaster = int(Path(settings.DATA_DIR, "postgres", "postmaster.pid").read_text().split()[0])
    ticks = 0
    for pid in (postmaster, *children(postmaster)):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def build() -> tuple[float, float]:
    """Seconds that the index takes as the product builds it, and seconds of CPU, which others disturb less."""
    from memories.indexing import ann_index

    began, cpu = time.perf_counter(), database_cpu()
    done = ann_index.ensure()
    if done != "built":
        raise SystemExit(f"no index was built: {done}")
    return time.perf_counter() - began, database_cpu() - cpu


def bytes_of_a_row() -> float:
    """What the graph takes for a row: PostgreSQL gives notice after how many of them a small memory is full."""
    from django.db import connection
    from django.db.backends.postgresql.schema import DatabaseSchemaEditor

    from memories.models import Vector

    notices: list[str] = []
    with connection.cursor() as cursor:
        cursor.execute("SELECT vector_dims(embedding) FROM memories_vector LIMIT 1")
        [size] = cursor.fetchone()
        cursor.execute(f"SET maintenance_work_mem = '{SAMPLE_KIB}kB'")
        connection.connection.add_notice_handler(lambda notice: notices.append(notice.message_primary))
        with DatabaseSchemaEditor(connection, atomic=False) as schema:
            schema.add_index(Vector, _of_the_sample(size))
        cursor.execute("DROP INDEX of_the_sample")
    connection.close()
    [full] = [notice for notice in notices if FULL in notice]
    return (SAMPLE_KIB << 10) / int(full.split(FULL)[1].split()[0])


def _of_the_sample(size: int) -> Index:
    from memories.indexing import ann_index
    from memories.models import EmbeddingModel

    graph = ann_index.Kind.GRAPH
    return ann_index._index(EmbeddingModel.objects.serving(), graph, size, name="of_the_sample")


def measured(vectors: Vectors, rows: int) -> float:
    """Seconds of CPU of a build over so many rows. The index is dropped: filling on would be slow with it."""
    from django.db import connection

    from memories.indexing import ann_index
    from memories.models import EmbeddingModel

    vectors.fill(rows)
    took, cpu = build()
    show("build of the index over vectors", took, "s", cpu=round(cpu, 1), rows=rows)
    name = ann_index.index_name(EmbeddingModel.objects.serving())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size(%s)", [name])
        show("size of the index over vectors", float(cursor.fetchone()[0]) / 2**20, "MiB", rows=rows)
        cursor.execute(f'DROP INDEX "{name}"')
    return cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 300_000], help="sizes, the smallest first")
    given = parser.parse_args()
    with empty_store():
        from django.conf import settings

        settings.ANN_FROM_PASSAGES = 0
        vectors = Vectors()
        vectors.fill(SAMPLE)
        of_a_row = bytes_of_a_row()
        show("memory of the graph", of_a_row, "bytes a row", rows=SAMPLE)
        used: list[tuple[int, float]] = []
        for rows in given.rows:
            used.append((rows, measured(vectors, rows)))
            show("memory to build in", rows * of_a_row / 2**20, "MiB", rows=rows)
        for (few, less), (many, more) in pairwise(used):
            show("exponent of the build's CPU", math.log(more / less) / math.log(many / few), "", rows=[few, many])


if __name__ == "__main__":
    main()
