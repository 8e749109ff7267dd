"""The broker of the job queue in a Redis (Q_BROKER_URL): no question to the database while there is nothing to do.

What must be done stands in rows, so the queue holds nudges only. One is lost with the worker that has taken it, or
while Redis is away: its schedule gives the next. One that comes twice finds nothing to do.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

from django.db import close_old_connections
from django_q.brokers import Broker
from django_q.conf import Conf
from redis import Redis
from redis.exceptions import RedisError

from memos_site.platform.outages import UNAVAILABLE, OutageLog
from memos_site.platform.supervision.broker import FETCHED_AGAIN

PAUSE = 1.0  # seconds, while Redis or the database is unreachable
WAIT_SECONDS = 1  # of a worker for a job
ANSWER_SECONDS = 5.0
log = logging.getLogger("memos.jobs")


class NudgeBroker(Broker):
    """A list of jobs. A Redis that is away is no error: neither for who enqueues nor for a worker."""

    enqueueing = OutageLog(log, over="jobs are enqueued again")  # of this process: every job has a broker of its own

    def __init__(self, list_key: str | None = None, beat: Callable[[], None] = lambda: None) -> None:
        """`beat` is called at every question for jobs, to tell that this process asks."""
        super().__init__(list_key=f"memos:jobs:{list_key or Conf.CLUSTER_NAME}")
        self.beat, self.outages = beat, OutageLog(log, over=FETCHED_AGAIN)

    @staticmethod
    def get_connection(list_key: str | None = None) -> Any:
        return Redis.from_url(Conf.REDIS, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS)

    def enqueue(self, task: str) -> int | None:
        try:
            length = int(self.connection.rpush(self.list_key, task))
        except RedisError as error:
            self.enqueueing.note("jobs are left to their schedules, for Redis does not answer: %s", error)
            return None
        self.enqueueing.end()
        return length

    def dequeue(self) -> list[tuple[None, bytes]] | None:
        try:
            if self.outages.present:
                self.ping()  # no sign of life while Redis is away: /health/ready would say that all is well
            self.beat()
            job = self.connection.blpop([self.list_key], WAIT_SECONDS)
        except (RedisError, *UNAVAILABLE) as error:
            self.outages.note("Redis or the database does not answer, or takes no writes: %s", error)
            close_old_connections()  # by a broken one the heartbeat would fail for ever
            time.sleep(PAUSE)
            return None
        self.outages.end()
        return [(None, job[1])] if job else None

    def queue_size(self) -> int:
        return int(self.connection.llen(self.list_key))

    def lock_size(self) -> int:
        """None is kept of what a worker has taken."""
        return 0

    def purge_queue(self) -> None:
        self.connection.delete(self.list_key)

    delete_queue = purge_queue

    def ping(self) -> bool:
        return bool(self.connection.ping())

    def info(self) -> str:
        return "Redis"

    def release_jobs(self) -> None:
        """Nothing: what a killed worker had taken is gone, and comes with the next schedule."""
