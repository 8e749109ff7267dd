"""Where the workers of a cluster get their jobs and leave the results: the database, with no process in between.

django-q2 has a process that fetches jobs and one that records them, each with a connection of its own. Here one idle
worker asks for all, and each records what it has done.
"""

import logging
import time
from datetime import datetime, timedelta
from multiprocessing.sharedctypes import RawValue
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, connection, connections
from django.db.models import F
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import Schedule
from django_q.monitor import save_task
from django_q.scheduler import scheduler
from django_q.signing import BadSignature, SignedPackage

from memos_site.platform.outages import UNAVAILABLE
from memos_site.platform.supervision.child import FORK

if TYPE_CHECKING:
    from memos_site.platform.supervision.broker import CrashSafeBroker
    from memos_site.platform.supervision.redis_broker import NudgeBroker

STOP = "STOP"  # in place of a job: the end of django-q2's worker
SPARE_SECONDS = 10.0  # that a worker waits while another one asks; then it ends, and its memory is free
SCHEDULE_SECONDS = 30.0  # from one look at the schedules to the next
PAUSE = 10.0  # after a failure that the broker does not know
MOST_SUCCESSES = 500  # that are kept to be seen in the admin
TRIM = """
    DELETE FROM django_q_task WHERE id IN (
        SELECT id FROM django_q_task
        WHERE id IN (SELECT id FROM django_q_task WHERE success ORDER BY stopped DESC OFFSET %s)
        FOR UPDATE SKIP LOCKED
    )
"""
OTHER_KEY = "a job is left out that was not signed with this SECRET_KEY, which all hosts of a database must share"
log = logging.getLogger("memos.jobs")


class JobSource:
    """Create it before the workers are forked. What they share has no lock but that of the one who asks."""

    def __init__(self, broker: "CrashSafeBroker | NudgeBroker") -> None:
        self.broker = broker
        self.asking = FORK.Lock()
        self._asked_at, self._scheduled_at = RawValue("d", time.monotonic()), RawValue("d", time.monotonic())
        self._closed = RawValue("b", 0)

    def close(self) -> None:
        """End the workers that wait for a job."""
        self._closed.value = 1

    def silence(self) -> float:
        """Seconds since a worker asked."""
        return float(time.monotonic() - self._asked_at.value)

    def get(self) -> Any:
        """The next job of this worker, or STOP. A failure ends this worker too, as another one starts afresh."""
        if not self.asking.acquire(timeout=SPARE_SECONDS):
            return STOP
        try:
            while not self._closed.value:
                if job := self._ask():
                    return job
        except Exception:
            log.exception("jobs cannot be fetched")
            time.sleep(PAUSE)  # with the lock, or the next worker would fail in the same way at once
        finally:
            self.asking.release()
        return STOP

    def _ask(self) -> dict[str, Any] | None:
        self._asked_at.value = time.monotonic()
        if self._asked_at.value - self._scheduled_at.value > SCHEDULE_SECONDS and self._can_schedule():
            self._scheduled_at.value = self._asked_at.value
            bring_forward(at=timezone.now())
            scheduler(broker=self.broker)
        for number, package in self.broker.dequeue() or []:  # one at a time: `bulk` of Q_CLUSTER is 1
            try:
                job: dict[str, Any] = SignedPackage.loads(package)
            except (TypeError, BadSignature):
                log.error(OTHER_KEY)
                self.broker.fail(number)  # type: ignore[no-untyped-call]  # django-q has no types
            else:
                return job | {"cluster": Conf.CLUSTER_NAME, "ack_id": number}
        return None

    def _can_schedule(self) -> bool:
        """Whether the scheduler may run: on a read-only database that of django-q2 logs a traceback each time."""
        if self.broker.outages.present:
            return False
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT current_setting('transaction_read_only') = 'off'")
                return bool(cursor.fetchone()[0])
        except UNAVAILABLE:  # the broker says so at its next question
            return False


class ResultSink:
    def __init__(self, broker: "CrashSafeBroker | NudgeBroker") -> None:
        self.broker = broker

    def put(self, job: dict[str, Any]) -> None:
        """Record a job that this worker has done."""
        if not job["success"]:
            connections.close_all()  # one that was cut off amid a statement takes no other
            log.error("job %s failed: %s", job["func"], job["result"])
        save_task(job | {"save": True}, self.broker)
        if job["success"]:
            _trim()
        number = job.pop("ack_id")
        if number and (job["success"] or job.get("ack_failure")):
            self.broker.acknowledge(number)  # type: ignore[no-untyped-call]  # django-q has no types


def bring_forward(*, at: datetime) -> None:
    """Have schedules due at once after the clock was set back, else no job would run until it is as late again.

    That it was is known by the most frequent ones: an operator may postpone one, but all are due within their interval.
    """
    rows = Schedule.objects.filter(schedule_type=Schedule.MINUTES).exclude(repeats=0)
    soonest = rows.order_by("minutes", "next_run").first()
    if soonest and soonest.next_run and soonest.next_run > at + timedelta(minutes=soonest.minutes or 1):
        late = rows.filter(next_run__gt=at + F("minutes") * timedelta(minutes=1)).update(next_run=at)
        log.warning("the clock was set back: %s schedules are due again", late)


def _trim() -> None:
    """Keep the newest successes. By a statement that locks only what goes: `save_limit` of django-q2 locks them all."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(TRIM, [MOST_SUCCESSES])
    except DatabaseError:
        log.exception("old successes cannot be removed")
