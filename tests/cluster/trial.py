"""A trial of a cluster: mixed load under random faults, then the books. `python -m tests.cluster`: a long one."""

import json
import threading
import time
from collections.abc import Collection
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
NOTICE_SECONDS = 60.0  # in which a worker that was replaced comes to a write
READY = "the new processes are ready"


@dataclass
class Outcome:
    ledger: Ledger
    faults: list[str]
    """That were made"""
    freezes: list[str]
    """The lease that each met, and whether another worker took it over"""
    reloads: int
    """After which new code took over"""
    wrong: list[str]
    """That were found"""
    drained: float

    @property
    def line(self) -> str:
        told = {kind: len(names) for kind, names in sorted(self.ledger.acknowledged.items())}
        times = {f"p{share}": round(self.ledger.percentile(share / 100), 3) for share in (50, 95, 100)}
        made = {"acknowledged": told, "tries": self.ledger.tries, "calls": len(self.ledger.seconds), **times}
        met = {"faults": self.faults, "freezes": self.freezes, "reloads_done": self.reloads}
        return json.dumps({**made, "drained_s": round(self.drained, 1), **met, "wrong": self.wrong})


class Hurry(threading.Thread):
    """Makes the jobs of consolidation due again and again, for the schedulers of all hosts at once."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(daemon=True)
        self.cluster, self.ended = cluster, threading.Event()

    def run(self) -> None:
        while not self.ended.wait(HURRY_SECONDS):
            with suppress(psycopg.Error):
                self.cluster.primary.sql(HURRY)
            self.cluster.enqueue("consolidation.tasks.consolidate")


def trial(
    cluster: Cluster, *, seed: int, seconds: float, every: float, clients: int = 4, only: Collection[str] = ()
) -> Outcome:
    """`only`: kinds of faults."""
    stop, hurry, faults = threading.Event(), Hurry(cluster), Faults(cluster, seed, only)
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
        error.add_note(f"as in `books.WAITING`: {books.waiting(cluster.primary)}\n{cluster.said[-8000:]}")
        raise
    hurry.ended.set()
    hurry.join()
    drained = time.monotonic() - healed
    with suppress(AssertionError):
        until(lambda: not any(one.fault() for one in faults.freezes), seconds=NOTICE_SECONDS)
    wrong = [*books.faults(cluster.primary, ledger), *filter(None, (one.fault() for one in faults.freezes))]
    freezes = [one.line for one in faults.freezes]
    return Outcome(ledger, faults.told, freezes, cluster.said.count(READY), wrong, drained)
