"""What new episodes cost consolidation, without a language model, as the store grows.

    .venv/bin/python -m tests.benchmarks.consolidate [--new 1000] [--old 100000] [--same 13000] [--rounds 3]
        [--corpus heavy] [--corpus light]

An episode of the corpus `heavy` has 10 events with arguments, results and command lines; one of `light` has 4: a
request, a look-up, a change and an answer. The same new episodes are read beside as many old ones (`few`), beside
`--old` (`many`: of other ways of working), and beside `--same` of the same patterns (`same`), each in a database of its
own, side by side in each round. Old ones are recorded and consolidated once, then copied with all that was learned from
them. Seconds, and so episodes/s, are processor time of this process and the database, the median of the rounds; `wall`
are those of the clock. One JSON line a figure.
"""

import argparse
import os
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.benchmarks.copied import copy_new, copy_read
from tests.benchmarks.recorded_work import family
from tests.benchmarks.store import empty_store, show

SCOPE, TEMPLATES = "project:bench", "project:templates"
SEEDS = 500  # of each family, recorded and consolidated for real
KINDS = {"known": 5, "other": 40}
CORPORA = ("heavy", "light")
START = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--new", type=int, default=1_000)
    parser.add_argument("--old", type=int, default=100_000)
    parser.add_argument("--same", type=int, default=13_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--corpus", action="append", choices=CORPORA, help="of these alone; both without it")
    options = parser.parse_args()
    with empty_store():
        for corpus in options.corpus or CORPORA:
            _measure(corpus, options)


def _measure(corpus: str, options: argparse.Namespace) -> None:
    empty = _database()
    base = f"{empty}_{corpus}"
    _create(base, empty)
    with _in_database(base):
        _seed(options.new, light=corpus == "light")
    stores = {"few": f"{base}_few", "many": f"{base}_many", "same": f"{base}_same"}
    for copied, chosen in (("many", "other-%"), ("same", "known-%")):
        _create(stores[copied], base)
        wanted = options.old if copied == "many" else options.same
        with _in_database(stores[copied]):
            copy_read(chosen, 1, max(0, wanted - 2 * SEEDS) // SEEDS)
    _report(corpus, _measured(stores, base, options.rounds), options)
    for name in (*stores.values(), base):
        _drop(name)


def _seed(new: int, *, light: bool) -> None:
    from consolidation import consolidation_run
    from consolidation.models import Run
    from memories.models import Episode

    for n, (name, kinds) in enumerate(KINDS.items()):
        _ingest(list(family(name, kinds, SEEDS, SCOPE, light=light)), START + timedelta(hours=n))
    consolidation_run.consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=START)
    fresh = list(family("known", KINDS["known"], new, TEMPLATES, seed=2, light=light))
    _ingest([{**one, "id": f"fresh-{one['id']}"} for one in fresh], START + timedelta(hours=9))
    Episode.objects.filter(scope=TEMPLATES).update(digested_at=START)


def _ingest(runs: list[dict[str, Any]], at: datetime) -> None:
    """Each closed a second after the one before."""
    from memories.intake import episodes
    from memories.intake.reports import conversation
    from memories.models import Episode
    from memories.values.trust import everything

    for first in range(0, len(runs), 500):
        drafts = [conversation.parse(run) for run in runs[first : first + 500]]
        for n, answer in enumerate(episodes.conversations(drafts, trust=everything(), at=at), start=first):
            assert not isinstance(answer, Exception) and answer.memory, answer
            Episode.objects.filter(pk=answer.memory.pk).update(closed_at=at + timedelta(seconds=n))


def _measured(stores: dict[str, str], base: str, rounds: int) -> dict[str, list[dict[str, float]]]:
    """Every round the same new episodes for each store, in an order of chance; the first round only warms up."""
    took: dict[str, list[dict[str, float]]] = defaultdict(list)
    for number in range(rounds + 1):
        _create(stores["few"], base)  # as few as before
        for name in random.Random(number).sample(sorted(stores), len(stores)):
            with _in_database(stores[name]):
                copy_new("fresh-%", number + 1, scope=SCOPE)
                figures = _consolidate(START + timedelta(days=number + 2))
            if number:
                took[name].append(figures)
    return took


def _consolidate(at: datetime) -> dict[str, float]:
    from django.db import connection

    from consolidation import consolidation_run
    from consolidation.models import Run

    statements: Counter[str] = Counter()

    def counted(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements["all"] += 1
        return execute(sql, params, many, context)

    server = _server()
    began, here, there = time.perf_counter(), time.process_time(), _seconds_of(server)
    with connection.execute_wrapper(counted):
        run = consolidation_run.consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=at)
    assert run and run.status == Run.Status.SUCCEEDED, run and run.error
    python, database = time.process_time() - here, _seconds_of(server) - there
    return {
        "episodes": run.counters["episodes_read"],
        "seconds": python + database,
        "python": python,
        "database": database,
        "wall": time.perf_counter() - began,
        "statements": statements["all"],
    }


def _server() -> int:
    """The process of the database server."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SHOW data_directory")
        [folder] = cursor.fetchone()
    return int((Path(folder) / "postmaster.pid").read_text().split()[0])


def _seconds_of(server: int) -> float:
    """Processor time of the database's sessions, past and present (Linux)."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, parent, *fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # a process that has ended meanwhile
            continue
        own, of_ended = fields[9:11], fields[11:13]
        if int(parent) == server:
            ticks += sum(map(int, own))
        elif int(path.parent.name) == server:
            ticks += sum(map(int, of_ended))
    return ticks / os.sysconf("SC_CLK_TCK")


def _report(corpus: str, took: dict[str, list[dict[str, float]]], options: argparse.Namespace) -> None:
    median = {name: statistics.median(one["seconds"] for one in rows) for name, rows in took.items()}
    beside = {"few": 2 * SEEDS, "many": options.old, "same": options.same}
    for name, rows in took.items():
        parts = {part: round(statistics.median(one[part] for one in rows), 3) for part in rows[0] if part != "seconds"}
        seconds = round(median[name], 3)
        show(f"{corpus} {name}", options.new / median[name], "episodes/s", old=beside[name], seconds=seconds, **parts)
    for name in ("many", "same"):
        ratios = [one["seconds"] / few["seconds"] for one, few in zip(took[name], took["few"], strict=True)]
        show(
            f"{corpus} {name} against few", statistics.median(ratios), "times", rounds=[round(one, 3) for one in ratios]
        )


def _database() -> str:
    from django.db import connection

    return str(connection.settings_dict["NAME"])


def _create(name: str, template: str) -> None:
    """A database as a copy of another, to which nobody may be connected."""
    _drop(name)
    with _in_database("postgres") as cursor:
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE {template}")


def _drop(name: str) -> None:
    with _in_database("postgres") as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@contextmanager
def _in_database(name: str) -> Iterator[Any]:
    from django.db import connection

    before = _database()
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        with connection.cursor() as cursor:
            yield cursor
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before


if __name__ == "__main__":
    main()
