"""The queue of jobs, with a memory of what this host has taken from it, so that a crash does not cost the wait."""

import logging
import time
from multiprocessing.sharedctypes import RawArray

from django.db import InterfaceError, OperationalError, connections
from django.utils import timezone
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.models import OrmQ

PAUSE, PATIENCE = 1.0, 60.0  # seconds, while the database is away
SLOTS = 1024  # far above workers plus what waits in memory; what finds no slot comes again after `retry`
log = logging.getLogger("memos.jobs")


class InHand(ORM):
    """Made before the cluster is forked; its processes write into the same memory, which outlives them.

    Only the process that fetches adds, and only the one that records results removes, so there is no lock that one of
    them could take with it when it dies. A negative number is a row that was given back before: if it is a job that
    kills whoever does it, the next time it has to wait for `retry`, and the others have their turn.
    """

    def __init__(self) -> None:
        super().__init__(list_key=str(Conf.CLUSTER_NAME))
        self.rows = RawArray("q", SLOTS)

    def dequeue(self) -> list[tuple[int, str]] | None:
        try:
            taken: list[tuple[int, str]] | None = super().dequeue()  # type: ignore[no-untyped-call]  # django-q has no types
        except (OperationalError, InterfaceError) as error:  # django-q2 would end the process and pause for 10 s
            log.warning("the database does not answer: %s", error)
            time.sleep(PAUSE)
            return None
        for row, _ in taken or []:
            if -row not in self.rows:
                self._replace(0, row)
        return taken

    def delete(self, task_id: int) -> None:
        """Records that a job is done. Worth some patience: what is not recorded is done a second time."""
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                super().delete(task_id)  # type: ignore[no-untyped-call]  # django-q has no types
                break
            except (OperationalError, InterfaceError):
                if time.monotonic() > give_up:
                    raise
                time.sleep(PAUSE)
        self._replace(task_id, 0)
        self._replace(-task_id, 0)

    def _replace(self, old: int, new: int) -> None:
        for slot, row in enumerate(self.rows):
            if row == old:
                self.rows[slot] = new
                return

    def give_back(self) -> None:
        """What nobody on this host works on any more may be taken at once. To be called when no cluster runs."""
        lost = [row for row in self.rows if row > 0]
        if not lost:
            return
        try:
            OrmQ.objects.using(str(Conf.ORM)).filter(pk__in=lost).update(lock=timezone.now())
        except OperationalError as error:
            log.warning(
                "%s jobs come again only in %s s, for the database does not answer: %s", len(lost), Conf.RETRY, error
            )
        connections.close_all()  # the caller forks
        for row in lost:
            self._replace(row, -row)
