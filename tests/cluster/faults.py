"""What goes wrong in a cluster, at random and by a seed."""

import os
import random
import signal
import time
from collections.abc import Callable, Collection
from contextlib import ExitStack, suppress

import psycopg

from tests.cluster import hurry
from tests.cluster.freezes import Freeze, freeze
from tests.cluster.whole import Cluster, Host
from tests.memos_site.processes import belonging, children
from tests.slow_sockets import unfinished_requests

FROZEN_SECONDS = hurry.LEASE_SECONDS + 4.0
AWAY_SECONDS = 3.0  # a server that is replaced, a store that refuses in a short trial, clients that say nothing
REFUSAL_SECONDS, LONG = 60.0, 180.0  # of a store in a trial that takes so long
LATE_SECONDS = 30.0  # of a replica
SILENT = 1_000  # sockets
Undo = Callable[[], None]


class Faults:
    """Each kind once before any comes again. Some are made good later, by `heal` of the cluster at the latest."""

    def __init__(self, cluster: Cluster, seed: int, only: Collection[str] = ()) -> None:
        self.cluster, self.chance, self.only = cluster, random.Random(seed), only
        self.kinds: list[Callable[[], None]] = []
        self.later: list[tuple[float, Undo]] = []
        self.freezes: list[Freeze] = []
        self.told: list[str] = []
        self.refusal = AWAY_SECONDS

    def rage(self, *, seconds: float, every: float) -> None:
        """One fault every so many seconds."""
        self.refusal = REFUSAL_SECONDS if seconds >= LONG else AWAY_SECONDS
        end = time.monotonic() + seconds
        due = time.monotonic() + every / 2
        while (now := time.monotonic()) < end:
            for undo in [undo for at, undo in self.later if at <= now]:
                undo()
            self.later = [(at, undo) for at, undo in self.later if at > now]
            if now >= due:
                due = now + every
                self._next()
            time.sleep(0.1)
        for _, undo in self.later:
            undo()
        self.later = []

    def _next(self) -> None:
        if not self.kinds:
            self.kinds = [self.web, self.worker, self.host, self.reload, self.frozen_jobs, self.pooler, self.replica,
                          self.primary, self.store, self.silent, self.late_replica]  # fmt: skip
            self.kinds = [kind for kind in self.kinds if not self.only or kind.__name__ in self.only]
            self.chance.shuffle(self.kinds)
            if not self.told and self.frozen_jobs in self.kinds:  # the first: it takes longest
                self.kinds.remove(self.frozen_jobs)
                self.kinds.append(self.frozen_jobs)
        fault = self.kinds.pop()
        self.told.append(fault.__name__)
        fault()

    def _undo(self, seconds: float, undo: Undo) -> None:
        self.later.append((time.monotonic() + seconds, undo))

    def _running(self) -> Host:
        return self.chance.choice(self._hosts())

    def _hosts(self) -> list[Host]:
        """Those that are up, and not frozen."""
        return [host for host in self.cluster.hosts if not host.frozen and host.supervisor.poll() is None]

    def web(self) -> None:
        self._kill(self._running().processes()[0])

    def worker(self) -> None:
        """Any process of those that fetch, do and record jobs."""
        jobs = self._running().processes()[1]
        self._kill([pid for parent in jobs for pid in children(parent)])

    def _kill(self, pids: list[int]) -> None:
        if pids:
            with suppress(ProcessLookupError):
                os.kill(self.chance.choice(sorted(pids)), signal.SIGKILL)

    def host(self) -> None:
        """As a machine that loses its power, and starts again."""
        host = self._running()
        for pid in belonging(host.folder):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        host.supervisor.wait()
        self._undo(AWAY_SECONDS, host.start)

    def reload(self) -> None:
        """New code takes over."""
        self._running().reload()

    def frozen_jobs(self) -> None:
        """A host freezes amid its work for so long that others take it over, and comes back."""
        if any(host.frozen for host in self.cluster.hosts):
            return  # who would take over
        met = freeze(self.cluster, self._hosts(), self.chance)
        self.freezes.append(met)
        self._undo(FROZEN_SECONDS, lambda: met.thaw(self.cluster))

    def pooler(self) -> None:
        self.cluster.pooler.stop(self.chance.choice([signal.SIGINT, signal.SIGKILL]))
        self.cluster.pooler.start()

    def replica(self) -> None:
        self.cluster.replica.kill()
        self._undo(AWAY_SECONDS, self.cluster.start_replica)

    def primary(self) -> None:
        """Cut off, or stopped in order; clients meet a server that is away for seconds either way."""
        self.chance.choice([self.cluster.primary.kill, self.cluster.primary.stop])()
        self.cluster.primary.start("fsync=off")

    def store(self) -> None:
        """The store of packages answers 503."""
        self.cluster.store.refuses = True
        self._undo(self.refusal, self.cluster.store.accept)

    def silent(self) -> None:
        """Many clients connect to one host and say nothing."""
        opened = ExitStack()
        with suppress(ConnectionRefusedError):  # it starts
            opened.enter_context(unfinished_requests(self._running().port, SILENT, b""))
        self._undo(AWAY_SECONDS, opened.close)

    def late_replica(self) -> None:
        """It does not replay for so long; one that is started again meanwhile does."""
        with suppress(psycopg.Error):
            self.cluster.replica.sql("SELECT pg_wal_replay_pause()")
        self._undo(LATE_SECONDS, self.cluster.resume_replica)
