"""The job cluster: django-q2's sentinel and workers, which end rather than hang.

django-q2 replaces a worker that died, but a worker killed by a signal may leave a lock of the shared queues taken, and
then all wait for ever. So a process killed by a signal ends the whole cluster by force; the supervisor starts a new
one, and unfinished jobs are delivered again.
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
from memos_site.platform.supervision.broker import CrashSafeBroker
from memos_site.platform.supervision.heartbeat import HEARTBEAT

GRACE = 10  # seconds for running jobs after a SIGTERM
RESULT_SECONDS = 3.0  # for a job that ran out of time to report it
FORCED_EXIT_CODE = 3
log = logging.getLogger("memos.jobs")


class StopEvent:
    """An event for django-q2 without a lock to hang on: only our own signal handler sets it."""

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
    def __init__(self, broker: CrashSafeBroker, workers: int) -> None:
        super().__init__(StopEvent(), StopEvent(), uuid.uuid4(), broker, start=False)  # type: ignore[no-untyped-call]  # django-q has no types
        self.pool_size = workers
        os.register_at_fork(after_in_child=self._prepare_child)
        signal.signal(signal.SIGTERM, self._request_stop)
        signal.signal(signal.SIGALRM, lambda *_: self._exit_by_force("jobs still run: cutting them off"))
        signal.signal(signal.SIGCHLD, self._check_processes)

    @staticmethod
    def _prepare_child() -> None:
        for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        die_with_parent(signal.SIGKILL)

    def _request_stop(self, *_: object) -> None:
        self.stop_event.set()
        signal.alarm(GRACE)

    def _processes(self) -> list[Any]:
        return [process for process in (*self.pool, self.monitor, self.pusher) if process is not None]

    def _check_processes(self, *_: object) -> None:
        """End the cluster if a child was killed. A signal handler: the main thread may wait for the child's lock."""
        for process in self._processes():
            if process.pid and (process.exitcode or 0) < 0:
                self._exit_by_force(f"a process of the cluster was killed by {signal.Signals(-process.exitcode).name}")

    def _exit_by_force(self, why: str) -> NoReturn:
        log.error("%s", why)
        for process in self._processes():
            if process.pid and process.exitcode is None:
                process.kill()
        os._exit(FORCED_EXIT_CODE)

    def reincarnate(self, process: Any) -> None:
        """Replace a process that ended by itself. One that ran out of time gets a moment to deliver its result."""
        if process in self.pool and process.timer.value == 0:
            process.join(RESULT_SECONDS)
            if process.exitcode is None:
                self._exit_by_force("a job ran out of time and does not end")
        self._check_processes()
        super().reincarnate(process)  # type: ignore[no-untyped-call]  # django-q has no types

    def spawn_pusher(self) -> Any:
        """Start the process that polls for jobs, with a database connection named as the heartbeat."""
        options = connection.settings_dict["OPTIONS"]
        connection.settings_dict["OPTIONS"] = options | {"application_name": HEARTBEAT}
        try:
            return super().spawn_pusher()
        finally:
            connection.settings_dict["OPTIONS"] = options


def run(broker: CrashSafeBroker, workers: int) -> None:
    """Run the cluster in this process until SIGTERM, after releasing the jobs left unfinished by its predecessor."""
    broker.release_jobs()
    Jobs(broker, workers).start()  # type: ignore[no-untyped-call]  # django-q has no types
