"""How long a search takes in a store of many passages, beside bare SQL that ranks the same way.

    .venv/bin/python -m tests.benchmarks.search --rows 100000 --scopes 100

One JSON line a figure. `--keep DIR` keeps the filled store there, and searches it again when it is there.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.store import empty_store, show

TABLES = ("memories_memory", "memories_passage", "memories_vector")
ASKED = 8  # words of a question

# The ranking of memories/search/ranking.py in SQL, over the same candidates; a line of `near` for each word.
BARE = """
WITH pool AS MATERIALIZED ({candidates}),
idf AS MATERIALIZED (
    SELECT of, (SELECT sum(one) FROM unnest(of) AS one) AS most
    FROM (SELECT string_to_array(max(told), ' ')::float8[] AS of FROM pool) AS read),
first AS (SELECT *, mask AS word FROM pool WHERE id IS NOT NULL),
masks AS (SELECT first.*, {before} FROM first WINDOW said AS (PARTITION BY memory_id ORDER BY position, part)),
words AS MATERIALIZED (SELECT masks.*, {near} AS words, most FROM masks CROSS JOIN idf),
scored AS (SELECT words.*, 0.7 * words / nullif(greatest(max(words) OVER (), 0.5 * most), 0)
                  + 0.3 * (cosine - min(cosine) OVER ())
                  / nullif(max(cosine) OVER () - min(cosine) OVER (), 0) AS s FROM words),
best AS (SELECT memory_id, max(s) AS s, max(salience) AS salience, max(confidence) AS confidence FROM scored
         GROUP BY memory_id),
top AS MATERIALIZED (
    SELECT memory_id, 0.8 * s / max(s) OVER () + 0.15 * salience + 0.05 * confidence / 100 AS score
    FROM best ORDER BY score DESC LIMIT 10)
SELECT score, m.*, e.* FROM top JOIN memories_memory m ON m.id = top.memory_id::uuid
LEFT JOIN memories_episode e ON e.memory_id = m.id ORDER BY score DESC
"""
NAMES = (
    "(id, memory_id, position, part, type, actor, source, mask, cosine, similarity, salience, confidence, share,"
    " text, told, rarity, ends_early)"
)


def bare(candidates: str, words: int) -> str:
    sides = [f"coalesce({way}(word, {n}) OVER said, 0)" for n in (1, 2, 3) for way in ("lag", "lead")]
    before = ", ".join(f"{sides[2 * n]} | {sides[2 * n + 1]} AS at{n + 1}" for n in range(3))
    near = " + ".join(
        f"of[{n + 1}] * CASE WHEN word >> {n} & 1 = 1 THEN 1 WHEN at1 >> {n} & 1 = 1 THEN 0.8"
        f" WHEN at2 >> {n} & 1 = 1 THEN 0.5 WHEN at3 >> {n} & 1 = 1 THEN 0.3 ELSE 0 END"
        for n in range(words)
    )
    return BARE.format(candidates=candidates, before=before, near=near)


def questions(samples: Sequence[str], count: int) -> Iterator[str]:
    """Some words of a passage that is there, as somebody would who remembers a part of it."""
    random = np.random.default_rng(7)
    for _ in range(count):
        words = samples[int(random.integers(len(samples)))].split()
        yield " ".join(random.choice(words, ASKED, replace=False))


def by_function(question: str, scope: str | None) -> Any:
    from memories import search
    from memories.values.trust import everything

    asked = search.check({"query": question, "scopes": [scope] if scope else []})
    return search.search(asked, trust=everything(), at=datetime.now(UTC))


def by_bare_sql(question: str, scope: str | None) -> Any:
    """The same question, read and embedded the same way; one statement answers everything."""
    from django.db import connection, transaction

    from memories import search
    from memories.indexing import ann_index
    from memories.search.candidates import statement
    from memories.search.filters import of_search
    from memories.search.plan import SearchPlan
    from memories.search.question import embed_question, read_question
    from memories.values.trust import everything

    asked = search.check({"query": question, "scopes": [scope] if scope else []})
    model, vector, _failed = embed_question(question)
    trust = asked.narrows(everything())
    read, at = read_question(question, model, vector, of_search(asked, trust, datetime.now(UTC))), datetime.now(UTC)
    plan = SearchPlan(read, of_search(asked, trust, at), at)
    sql = bare(f"SELECT * FROM ({statement(plan)}) AS pool {NAMES}", len(read.words))
    values = plan.parameters()
    with transaction.atomic(), connection.cursor() as cursor:
        ann_index.prepare(cursor)
        began = time.perf_counter()
        cursor.execute(sql, values)
        cursor.fetchall()
    return (time.perf_counter() - began) * 1000


def timed(work: Callable[[str, str | None], Any], asked: Sequence[tuple[str, str | None]]) -> list[float]:
    """Milliseconds of each; where the work tells its own time, that."""
    took = []
    for question, scope in asked:
        began = time.perf_counter()
        told = work(question, scope)
        took.append(told if isinstance(told, float) else (time.perf_counter() - began) * 1000)
    return sorted(took)


def compared(name: str, samples: Sequence[str], scopes: Sequence[str | None], count: int) -> None:
    """The first time the database reads from the disk what it then has at hand."""
    asked = [(question, scopes[n % len(scopes)]) for n, question in enumerate(questions(samples, count))]
    medians = {}
    for way, work in (("function, first time", by_function), ("function", by_function), ("bare SQL", by_bare_sql)):
        took = timed(work, asked)
        medians[way] = took[len(took) // 2]
        show(f"{name}, {way}: p50", medians[way], "ms", n=count)
        show(f"{name}, {way}: p95", took[int(len(took) * 0.95)], "ms", n=count)
    show(f"{name}: function against bare SQL", medians["function"] / medians["bare SQL"], "times")


def sizes() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, pg_relation_size(oid) FROM pg_class WHERE relname = ANY(%s) OR oid IN (SELECT indexrelid"
            " FROM pg_index WHERE indrelid::regclass::text = ANY(%s)) ORDER BY 2 DESC",
            [list(TABLES), list(TABLES)],
        )
        for name, size in cursor.fetchall():
            show(f"size of {name}", size / 2**20, "MiB")


def build_index() -> None:
    from memories.indexing import ann_index
    from memories.search.table_statistics import cache

    began = time.perf_counter()
    said = ann_index.ensure()
    cache.drop()
    show(f"index over vectors: {said}", time.perf_counter() - began, "s")


def ingest(scopes: int, count: int = 100) -> None:
    """Conversations of 20 messages come in beside all that is there."""
    from memories.intake import episodes
    from memories.intake.reports import conversation
    from memories.values.trust import everything
    from tests.benchmarks.filled import EACH, Texts

    said, _vectors = Texts(seed=2).passages(count * EACH)
    began = time.perf_counter()
    for n in range(count):
        messages = [{"role": "user", "content": text} for text in said[n * EACH : (n + 1) * EACH]]
        body = {"messages": messages, "scope": f"scope-{n % scopes}", "source": "bench"}
        episodes.conversation(conversation.parse(body), trust=everything(), at=datetime.now(UTC))
    show("conversations of 20 messages, with embedding", count * EACH / (time.perf_counter() - began), "events/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--scopes", type=int, default=100)
    parser.add_argument("--searches", type=int, default=200)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with empty_store(given.keep):
        from memories.models import Passage
        from tests.benchmarks.filled import fill

        began = time.perf_counter()
        if not Passage.objects.exists():
            fill(given.rows, given.scopes)
            show("filled", given.rows / (time.perf_counter() - began), "passages/s", rows=given.rows)
        samples = list(Passage.objects.filter(pk__in=range(1, given.rows, 997)).values_list("text", flat=True))
        build_index()
        sizes()
        compared("scoped", samples, [f"scope-{n}" for n in range(given.scopes)], given.searches)
        compared("unscoped", samples, [None], given.searches)
        ingest(given.scopes)


if __name__ == "__main__":
    main()
