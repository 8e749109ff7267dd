"""The broker of the job queue in the database.

It remembers the jobs that this host has fetched, so that a crash does not delay them.
"""

import logging
import time
from collections.abc import Callable
from multiprocessing.sharedctypes import RawArray

from django.db import close_old_connections, connections
from django.utils import timezone
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.models import OrmQ

from memos_site.platform.outages import UNAVAILABLE, OutageLog

PAUSE, RETRY_SECONDS = 1.0, 60.0  # while the database is unreachable
SLOTS = 1024  # far above workers plus jobs waiting in memory; a job without a slot comes again after `retry`
FETCHED_AGAIN = "jobs are fetched again"
log = logging.getLogger("memos.jobs")


class CrashSafeBroker(ORM):
    """django-q2's ORM broker with the ids of unfinished jobs in memory shared by the cluster's processes.

    Create it before the cluster is forked; the memory outlives the processes. Only the one worker that asks adds, and
    each removes what it has done, so there is no lock that could die with one of them. A negative number is a job that
    was released before: if it kills its worker, it waits for `retry` next time, and others have their turn.
    """

    def __init__(self, beat: Callable[[], None]) -> None:
        """`beat` is called at every question for jobs, to tell that this process asks."""
        super().__init__(list_key=str(Conf.CLUSTER_NAME))
        self.beat, self.outages = beat, OutageLog(log, over=FETCHED_AGAIN)
        self.rows = RawArray("q", SLOTS)

    def dequeue(self) -> list[tuple[int, str]] | None:
        try:
            self.beat()
            jobs: list[tuple[int, str]] | None = super().dequeue()  # type: ignore[no-untyped-call]  # django-q has no types
        except UNAVAILABLE as error:  # django-q2 would end the process and pause for 10 s
            self.outages.note("the database does not answer, or takes no writes: %s", error)
            close_old_connections()  # django-q2 does so after the heartbeat, which would fail by a broken one for ever
            time.sleep(PAUSE)
            return None
        self.outages.end()
        for row, _ in jobs or []:
            if -row not in self.rows:
                self._replace(0, row)
        return jobs

    def delete(self, task_id: int) -> None:
        """Record that a job is done, retrying for a minute: an unrecorded job would be done a second time."""
        deadline = time.monotonic() + RETRY_SECONDS
        while True:
            try:
                super().delete(task_id)  # type: ignore[no-untyped-call]  # django-q has no types
                break
            except UNAVAILABLE:
                if time.monotonic() > deadline:
                    raise
                time.sleep(PAUSE)
        self._replace(task_id, 0)
        self._replace(-task_id, 0)

    def _replace(self, old: int, new: int) -> None:
        for slot, row in enumerate(self.rows):
            if row == old:
                self.rows[slot] = new
                return

    def release_jobs(self) -> None:
        """Make this host's unfinished jobs available at once. Call it only while no cluster runs."""
        job_ids = [row for row in self.rows if row > 0]
        if not job_ids:
            return
        try:
            OrmQ.objects.using(str(Conf.ORM)).filter(pk__in=job_ids).update(lock=timezone.now())
        except UNAVAILABLE as error:
            log.warning(
                "%s jobs come again only in %s s, for the database does not answer or takes no writes: %s",
                len(job_ids),
                Conf.RETRY,
                error,
            )
        connections.close_all()  # the caller forks
        for row in job_ids:
            self._replace(row, -row)
