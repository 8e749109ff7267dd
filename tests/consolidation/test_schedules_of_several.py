"""Schedules where several workers look at them at the same time."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_q.models import OrmQ, Schedule
from django_q.scheduler import scheduler

from consolidation import schedules
from tests.at_once import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_schedules_that_four_workers_find_due_at_once_are_queued_once() -> None:
    schedules.ensure()
    Schedule.objects.update(next_run=timezone.now() - timedelta(minutes=1))
    at_once(*[scheduler] * 4)
    queued = sorted(job.task["func"] for job in OrmQ.objects.all())
    assert queued == sorted(schedules.JOBS)
