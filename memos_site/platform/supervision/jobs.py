"""The job cluster: workers of django-q2, as many as there is work for, which end rather than hang.

A worker that was killed by a signal may leave a shared lock taken, and then all wait for ever. So it ends the whole
cluster by force; the supervisor starts a new one, and unfinished jobs are delivered again.
"""

import logging
import os
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from django.db import connections
from django_q.conf import Conf
from django_q.worker import worker

from memos_site.platform.outages import UNAVAILABLE
from memos_site.platform.postgres.launch import die_with_parent
from memos_site.platform.supervision.broker import CrashSafeBroker
from memos_site.platform.supervision.child import FORK, Ready
from memos_site.platform.supervision.exchange import JobSource, ResultSink

if TYPE_CHECKING:
    from memos_site.platform.supervision.redis_broker import NudgeBroker

GRACE = 10  # seconds for running jobs after a SIGTERM
RESULT_SECONDS = 10.0  # for a job that ran out of time to report it
SILENT_SECONDS = 10.0  # without a question for jobs, as all workers are busy; then the cluster itself says it lives
FORCED_EXIT_CODE = 3
IDLE, OUT_OF_TIME = -1.0, 0.0  # values of a worker's timer; above: seconds that its job still has
log = logging.getLogger("memos.jobs")


def broker_of(beat: Callable[[], None]) -> "CrashSafeBroker | NudgeBroker":
    """The broker of this host's cluster, by the settings. Create it before the cluster is forked."""
    if not Conf.BROKER_CLASS:
        broker = CrashSafeBroker(beat)
        connections.close_all()  # it has opened one, and forks must not share it
        return broker
    from memos_site.platform.supervision.redis_broker import NudgeBroker  # many megabytes, where few need it

    return NudgeBroker(beat=beat)


class Worker:
    """A process that does one job after the other. Its timer is django-q2's: what the job in hand may still take."""

    def __init__(self, source: JobSource, results: ResultSink) -> None:
        self.timer: Any = FORK.Value("f", IDLE)
        arguments = (source, results, self.timer, Conf.TIMEOUT)
        self.process = FORK.Process(target=worker, args=arguments, daemon=Conf.DAEMONIZE_WORKERS)
        self.process.start()

    @property
    def is_busy(self) -> bool:
        return bool(self.timer.get_obj().value > OUT_OF_TIME)

    def count_down(self, seconds: float) -> bool:
        """Take these from the time of its job; whether none is left. One that records its result has the lock."""
        if not self.timer.acquire(block=False):
            return False
        try:
            if self.is_busy:
                self.timer.value = max(self.timer.value - seconds, OUT_OF_TIME)
            return bool(self.timer.value == OUT_OF_TIME)
        finally:
            self.timer.release()


class Jobs:
    """Runs up to `most` workers: one at least, a further one when all are busy. One without work ends by itself."""

    def __init__(self, broker: "CrashSafeBroker | NudgeBroker", most: int, ready: Ready) -> None:
        self.broker, self.most, self.ready = broker, most, ready
        self.source, self.results = JobSource(broker), ResultSink(broker)
        self.workers: list[Worker] = []
        self.stopping = False
        os.register_at_fork(after_in_child=self._prepare_child)
        for number in (signal.SIGTERM, signal.SIGQUIT):
            signal.signal(number, self._request_stop)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # is for the supervisor
        signal.signal(signal.SIGALRM, lambda *_: self._exit_by_force("jobs still run: cutting them off"))
        signal.signal(signal.SIGCHLD, self._check_workers)

    @staticmethod
    def _prepare_child() -> None:
        for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGALRM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        die_with_parent(signal.SIGKILL)

    def run(self) -> None:
        """Until SIGTERM or SIGQUIT; jobs in hand are ended."""
        self._start_worker()
        self.ready()
        while not self.stopping:
            time.sleep(Conf.GUARD_CYCLE)
            self._look_after_workers()
        self.source.close()
        for process in self.workers:
            process.process.join()

    def _start_worker(self) -> None:
        connections.close_all()  # forks must not share one
        self.workers = [*self.workers, Worker(self.source, self.results)]

    def _look_after_workers(self) -> None:
        for process in self.workers:
            if process.count_down(Conf.GUARD_CYCLE):
                self._end_late(process)
            if process.process.exitcode:
                log.error("a worker ended with code %s", process.process.exitcode)
        self._check_workers()
        self.workers = [process for process in self.workers if process.process.exitcode is None]
        if all(process.is_busy for process in self.workers):
            if len(self.workers) < self.most:
                self._start_worker()
            elif self.source.silence() > SILENT_SECONDS:
                self._beat()

    def _end_late(self, late: Worker) -> None:
        """A worker whose job ran out of time ends by itself, as soon as it has recorded that."""
        late.process.join(RESULT_SECONDS)
        if late.process.exitcode is None:
            self._exit_by_force("a job ran out of time and does not end")
        log.error("a job ran out of time")

    def _beat(self) -> None:
        """By a connection that is only open for the moment."""
        try:
            self.broker.beat()
        except UNAVAILABLE as error:
            log.warning("the database does not answer, or takes no writes: %s", error)
        finally:
            connections.close_all()

    def _request_stop(self, *_: object) -> None:
        self.stopping = True
        signal.alarm(GRACE)

    def _check_workers(self, *_: object) -> None:
        """End the cluster if a worker was killed. A signal handler: the main thread may wait for another one's end."""
        for process in self.workers:
            if process.process.pid and (code := process.process.exitcode or 0) < 0:
                self._exit_by_force(f"a worker was killed by {signal.Signals(-code).name}")

    def _exit_by_force(self, why: str) -> NoReturn:
        log.error("%s", why)
        for process in self.workers:
            if process.process.pid and process.process.exitcode is None:
                process.process.kill()
        os._exit(FORCED_EXIT_CODE)


def run(broker: "CrashSafeBroker | NudgeBroker", workers: int, ready: Ready) -> None:
    """Run the cluster in this process until SIGTERM or SIGQUIT, after releasing what was left unfinished before."""
    broker.release_jobs()
    Jobs(broker, workers, ready).run()
