"""The job cluster: django-q2's sentinel with its workers, made to die rather than to hang.

django-q2 replaces a worker that died, but a worker killed by a signal may take a lock of the shared queues with it, and
then all wait for it for ever. So here a process killed by a signal ends the whole cluster, at once and by force; the
supervisor starts a fresh one, and what was in hand is delivered again.
"""

import logging
import os
import signal
import time
import uuid
from typing import Any, NoReturn

from django.db import connection
from django_q.cluster import Sentinel

from memos_site.platform.postgres.launch import die_with_parent
from memos_site.platform.supervision.broker import InHand
from memos_site.platform.supervision.heartbeat import HEARTBEAT

GRACE = 10  # seconds for running jobs after a SIGTERM
LAST_WORDS = 3.0  # seconds for a job that ran out of time to say so
ENDED_BY_FORCE = 3  # our exit code
log = logging.getLogger("memos.jobs")


class Asked:
    """Stands for the events of django-q2: only our own signal handler sets it, so it needs no lock to hang on."""

    def __init__(self) -> None:
        self._set = False

    def set(self) -> None:
        self._set = True

    def is_set(self) -> bool:
        return self._set

    def wait(self, seconds: float) -> bool:
        time.sleep(seconds)
        return self._set


class Jobs(Sentinel):
    def __init__(self, queue: InHand, workers: int) -> None:
        super().__init__(Asked(), Asked(), uuid.uuid4(), queue, start=False)  # type: ignore[no-untyped-call]  # django-q has no types
        self.pool_size = workers
        os.register_at_fork(after_in_child=self._be_born)
        signal.signal(signal.SIGTERM, self._finish)
        signal.signal(signal.SIGALRM, lambda *_: self._end("jobs still run: cutting them off"))
        signal.signal(signal.SIGCHLD, self._look)

    @staticmethod
    def _be_born() -> None:
        for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        die_with_parent(signal.SIGKILL)

    def _finish(self, *_: object) -> None:
        self.stop_event.set()
        signal.alarm(GRACE)

    def _processes(self) -> list[Any]:
        return [process for process in (*self.pool, self.monitor, self.pusher) if process is not None]

    def _look(self, *_: object) -> None:
        """A child ended. In a signal handler, because the main thread may wait for a lock that died with the child."""
        for process in self._processes():
            if process.pid and (process.exitcode or 0) < 0:
                self._end(f"a process of the cluster was killed by {signal.Signals(-process.exitcode).name}")

    def _end(self, why: str) -> NoReturn:
        log.error("%s", why)
        for process in self._processes():
            if process.pid and process.exitcode is None:
                process.kill()
        os._exit(ENDED_BY_FORCE)

    def reincarnate(self, process: Any) -> None:
        """Replaces one that ended by itself. One that ran out of time gets a moment, for its answer is on its way."""
        if process in self.pool and process.timer.value == 0:
            process.join(LAST_WORDS)
            if process.exitcode is None:
                self._end("a job ran out of time and does not let go")
        self._look()
        super().reincarnate(process)  # type: ignore[no-untyped-call]  # django-q has no types

    def spawn_pusher(self) -> Any:
        """The one that asks the database for work carries the heartbeat: its connection's name."""
        options = connection.settings_dict["OPTIONS"]
        connection.settings_dict["OPTIONS"] = options | {"application_name": HEARTBEAT}
        try:
            return super().spawn_pusher()
        finally:
            connection.settings_dict["OPTIONS"] = options


def run(queue: InHand, workers: int) -> None:
    """Runs the cluster in this process until SIGTERM. `queue` is what the last cluster may have left things in."""
    queue.give_back()
    Jobs(queue, workers).start()  # type: ignore[no-untyped-call]  # django-q has no types
