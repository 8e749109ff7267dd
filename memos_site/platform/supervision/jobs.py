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
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from django_q.cluster import Sentinel
from django_q.conf import Conf

from memos_site.platform.postgres.launch import die_with_parent
from memos_site.platform.supervision.broker import CrashSafeBroker
from memos_site.platform.supervision.child import Ready

if TYPE_CHECKING:
    from memos_site.platform.supervision.redis_broker import NudgeBroker

GRACE = 10  # seconds for running jobs after a SIGTERM
RESULT_SECONDS = 10.0  # for a job that ran out of time to report it
FORCED_EXIT_CODE = 3
log = logging.getLogger("memos.jobs")


def broker_of(beat: Callable[[], None]) -> "CrashSafeBroker | NudgeBroker":
    """The broker of this host's cluster, by the settings. Create it before the cluster is forked."""
    if not Conf.BROKER_CLASS:
        return CrashSafeBroker(beat)
    from memos_site.platform.supervision.redis_broker import NudgeBroker  # many megabytes, where few need it

    return NudgeBroker(beat=beat)


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
    def __init__(self, broker: "CrashSafeBroker | NudgeBroker", workers: int, ready: Ready) -> None:
        self.ready = ready
        super().__init__(StopEvent(), StopEvent(), uuid.uuid4(), broker, start=False)  # type: ignore[no-untyped-call]  # django-q has no types
        self.pool_size = workers
        os.register_at_fork(after_in_child=self._prepare_child)
        for number in (signal.SIGTERM, signal.SIGQUIT):
            signal.signal(number, self._request_stop)
        signal.signal(signal.SIGALRM, lambda *_: self._exit_by_force("jobs still run: cutting them off"))
        signal.signal(signal.SIGCHLD, self._check_processes)

    @staticmethod
    def _prepare_child() -> None:
        for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGALRM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        die_with_parent(signal.SIGKILL)

    def spawn_cluster(self) -> None:
        super().spawn_cluster()  # type: ignore[no-untyped-call]  # django-q has no types
        self.ready()

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


def run(broker: "CrashSafeBroker | NudgeBroker", workers: int, ready: Ready) -> None:
    """Run the cluster in this process until SIGTERM or SIGQUIT, after releasing what was left unfinished before."""
    broker.release_jobs()
    Jobs(broker, workers, ready).start()  # type: ignore[no-untyped-call]  # django-q has no types
