"""A trial of a cluster: mixed load under random faults, then the books. `python -m tests.cluster`: a long one."""

import json
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

import psycopg

from tests.cluster import books
from tests.cluster.faults import Faults
from tests.cluster.load import Client, Ledger
from tests.cluster.whole import Cluster
from tests.memos_site.processes import PATIENCE, until

HURRY = (
    "UPDATE django_q_schedule SET next_run = now() WHERE name IN "
    "('consolidation.tasks.consolidate', 'consolidation.tasks.queued', 'memories.tasks.embed_pending')"
)
HURRY_SECONDS = 4.0


@dataclass
class Outcome:
    ledger: Ledger
    faults: list[str]
    """That were made"""
    wrong: list[str]
    """That were found"""
    drained: float

    @property
    def line(self) -> str:
        told = {kind: len(names) for kind, names in sorted(self.ledger.acknowledged.items())}
        times = {f"p{share}": round(self.ledger.percentile(share / 100), 3) for share in (50, 95, 100)}
        made = {"acknowledged": told, "tries": self.ledger.tries, "calls": len(self.ledger.seconds), **times}
        return json.dumps({**made, "drained_s": round(self.drained, 1), "faults": self.faults, "wrong": self.wrong})


class Hurry(threading.Thread):
    """Makes the jobs of consolidation due again and again, for the schedulers of all hosts at once."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(daemon=True)
        self.cluster, self.ended = cluster, threading.Event()

    def run(self) -> None:
        while not self.ended.wait(HURRY_SECONDS):
            with suppress(psycopg.Error):
                self.cluster.primary.sql(HURRY)


def trial(cluster: Cluster, *, seed: int, seconds: float, every: float, clients: int = 4) -> Outcome:
    stop, hurry, faults = threading.Event(), Hurry(cluster), Faults(cluster, seed)
    callers = [Client(number, seed, cluster, stop) for number in range(clients)]
    for thread in (hurry, *callers):
        thread.start()
    faults.rage(seconds=seconds, every=every)
    stop.set()
    cluster.heal()
    for caller in callers:
        caller.join(PATIENCE)
    ledger = books.merged([caller.ledger for caller in callers])
    ledger.wrong += [f"{caller.name} does not end" for caller in callers if caller.is_alive()]
    healed = time.monotonic()
    try:
        until(lambda: not any(books.waiting(cluster.primary)), what="background work")
    except AssertionError as error:
        error.add_note(f"episodes, passages, patterns: {books.waiting(cluster.primary)}\n{cluster.said[-8000:]}")
        raise
    hurry.ended.set()
    hurry.join()
    return Outcome(ledger, faults.told, books.faults(cluster.primary, ledger), time.monotonic() - healed)
