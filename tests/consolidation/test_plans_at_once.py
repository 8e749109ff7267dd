"""Two workers write the plans of one scope at once, the one with rows that it read before the other wrote them."""

from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from consolidation.consolidation_run import AFTER
from consolidation.models import PlanShape
from consolidation.pipelines import plans, sightings
from consolidation.pipelines.plans import write_plans
from memories.models import Memory
from tests.consolidation.experience import NOON
from tests.consolidation.test_plans import SCOPE, refund

pytestmark = pytest.mark.django_db(transaction=True)


def backend_pid() -> int:
    """Of this thread's connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def waits_for_a_lock(pid: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [pid])
        return bool(cursor.fetchone()[0])


def test_a_plan_that_two_workers_write_at_once_gets_one_memory_that_counts_each_run_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number in (1, 2):
        refund(number)
    sightings.digest(SCOPE, at=NOON, after=AFTER)
    create, others = plans._create, list[Future[Counter[str]]]()
    with ThreadPoolExecutor(1) as pool:
        pid = pool.submit(backend_pid).result()

        def another_worker_comes(*args: Any, **options: Any) -> Counter[str]:
            if not others:
                others.append(pool.submit(write_plans, SCOPE, at=NOON))
                while not others[0].done() and not waits_for_a_lock(pid):
                    pass
            return create(*args, **options)

        monkeypatch.setattr(plans, "_create", another_worker_comes)
        counters = write_plans(SCOPE, at=NOON) + others[0].result()
        pool.submit(lambda: connection.close()).result()  # noqa: PLW0108  # that of the thread
    assert counters == Counter(plans_created=1)
    memory = Memory.objects.get(type="plan_graph")
    shape = PlanShape.objects.get()
    assert (shape.memory, shape.due, shape.attempts, shape.cases) == (memory, False, 0, 2)
    assert memory.evidence.count() == 2
