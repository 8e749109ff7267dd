"""A worker host that is suspended while it holds the lease of a scope, between two transactions.

One that is suspended within a transaction keeps the lease: nobody can take over until the database ends it.
"""

import os
import random
import re
import signal
import time
from contextlib import suppress
from dataclasses import dataclass

import psycopg

from tests.cluster.whole import Cluster, Host
from tests.memos_site.processes import children

SECONDS = 15.0  # that a lease is waited for
LOOK, SETTLED = 0.002, 0.05  # seconds from one look to the next; for what the database was asked before
NUDGE_SECONDS = 0.5
HELD = "SELECT name, fence, owner FROM memories_lease WHERE name LIKE 'consolidate:%' AND until > clock_timestamp()"
FREE = "SELECT fence FROM memories_lease WHERE fence = %s FOR UPDATE SKIP LOCKED"
LEFT = "SELECT fence FROM memories_lease WHERE fence = %s"
GAVE_UP = re.compile(r"the lease of .* is lost|the run \S+ failed")


@dataclass
class Freeze:
    """Of the processes for jobs of a host. `name`, `fence`: of the lease that one of them holds; '' for none."""

    host: Host
    group: int
    name: str = ""
    fence: int = 0
    logged: int = 0  # characters in the host's log
    replaced: bool = False

    @property
    def line(self) -> str:
        return f"{self.name or 'no lease'}{', replaced' if self.replaced else ''}"

    def thaw(self, cluster: Cluster) -> None:
        """`replaced`: another worker has taken the lease over meanwhile."""
        with suppress(psycopg.Error):
            self.replaced = bool(self.name) and not cluster.primary.sql(LEFT, self.fence)
        self.host.thaw()

    def fault(self) -> str:
        """What is wrong: the worker has gone on though it was replaced. It may have been killed before it could."""
        if not self.replaced or self.group not in self.host.processes()[1]:
            return ""
        noticed = GAVE_UP.search(self.host.said[self.logged :])
        return "" if noticed else f"{self.host.url} was replaced in {self.name}, and has not given up"


def freeze(cluster: Cluster, hosts: list[Host], chance: random.Random) -> Freeze:
    """Freeze one of the hosts that holds a lease; any of them where none is met in time."""
    end, nudge = time.monotonic() + SECONDS, 0.0
    with suppress(psycopg.Error), psycopg.connect(cluster.primary.url, autocommit=True) as looking:
        while time.monotonic() < end:
            if time.monotonic() >= nudge:
                nudge, workers = time.monotonic() + NUDGE_SECONDS, _workers(hosts)
                cluster.enqueue("consolidation.tasks.consolidate")
            for name, fence, owner in looking.execute(HELD).fetchall():
                held = workers.get(int(owner.split("/")[-2]))
                if held and (met := _stopped(looking, Freeze(*held, name, fence))):
                    return met
            time.sleep(LOOK)
    host = chance.choice(hosts)
    host.freeze()
    return Freeze(host, 0)


def _workers(hosts: list[Host]) -> dict[int, tuple[Host, int]]:
    """Each process that does jobs -> its host and its group."""
    return {pid: (host, group) for host in hosts for group in host.processes()[1] for pid in children(group)}


def _stopped(looking: "psycopg.Connection[tuple[object, ...]]", met: Freeze) -> Freeze | None:
    """The freeze, unless the lease is released by now, or a transaction holds it: then the host goes on."""
    met.logged = len(met.host.said)
    with suppress(ProcessLookupError):
        os.killpg(met.group, signal.SIGSTOP)
    time.sleep(SETTLED)
    if looking.execute(FREE, [met.fence]).fetchall():
        met.host.freeze()
        return met
    with suppress(ProcessLookupError):
        os.killpg(met.group, signal.SIGCONT)
    return None
