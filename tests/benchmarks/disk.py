"""What recorded runs take of the disk, table by table with their indexes, and what of them is left after a year.

    .venv/bin/python -m tests.benchmarks.disk [--runs 1000] [--corpus heavy] [--per-skill 200]

Runs of the corpus of `consolidate` come in through the gate, are consolidated and embedded, and fade for a year, after
which the hourly job removes what no live memory rests on, and the daily one the transcripts that nobody needs, with
TRANSCRIPT_RETENTION_DAYS=90. One JSON line a figure.
"""

import argparse
import time
from datetime import timedelta

from tests.benchmarks.consolidate import CORPORA, KINDS, SCOPE, START, _ingest
from tests.benchmarks.recorded_work import family
from tests.benchmarks.store import empty_store, show

SIZES = """
SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    AND pg_total_relation_size(oid) > 0
"""
LEAST_KB = 0.05  # a run; smaller tables are not told


def sizes() -> dict[str, int]:
    """Bytes of each table with its indexes, without space that is free."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM FULL")
        cursor.execute(SIZES)
        return dict(cursor.fetchall())


def record(runs: int, *, light: bool) -> None:
    from consolidation import consolidation_run
    from consolidation.models import Run
    from memories.indexing import queue

    for n, (name, kinds) in enumerate(KINDS.items()):
        _ingest(list(family(name, kinds, runs // 2, SCOPE, light=light)), START + timedelta(hours=n))
    for _ in range(1 + runs // 2_000):  # so many verdicts are told in one run
        consolidation_run.consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=START)
    while queue.embed_some(at=START):
        pass


def told(name: str, before: dict[str, int], after: dict[str, int], runs: int) -> None:
    grown = {table: (after[table] - before.get(table, 0)) / runs / 1024 for table in after}
    for table, kb in sorted(grown.items(), key=lambda one: -one[1]):
        if kb >= LEAST_KB:
            show(f"{name}: {table}", kb, "KB a run")
    show(f"{name}: all tables", sum(grown.values()), "KB a run", runs=runs)


def without_transcripts(runs: int) -> None:
    """Removes them, and tells what each took."""
    from django.test.utils import override_settings

    from consolidation import retention

    before, began = sizes(), time.perf_counter()
    with override_settings(TRANSCRIPT_RETENTION_DAYS=90):
        removed = retention.remove(at=START + timedelta(days=365))
    took, after = time.perf_counter() - began, sizes()
    if not (gone := removed["transcripts"]):
        return
    show("transcripts removed", gone / runs, "of all", seconds=took, events=removed["events"])
    told("saved by a transcript", after, before, gone)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--corpus", choices=CORPORA, default="heavy")
    given = parser.parse_args()
    with empty_store():
        from memories.lifecycle.removal import prune
        from memories.models import Episode

        empty = sizes()
        record(given.runs, light=given.corpus == "light")
        told(given.corpus, empty, sizes(), given.runs)
        prune(at=START + timedelta(days=365))
        show("runs that are left after a year", Episode.objects.count() / given.runs, "of all")
        without_transcripts(given.runs)


if __name__ == "__main__":
    main()
