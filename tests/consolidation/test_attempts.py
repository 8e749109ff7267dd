"""Attempts of rows in a queue: counted before the work, each row alone after a failed batch, set aside after three."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.utils import timezone

from consolidation.models import Pattern, PlanShape
from consolidation.pipelines.attempts import attempt, attempt_one
from memories.models.row_queue import MOST_ATTEMPTS, QueuedRow

OTHER_ATTEMPTS = {"Run", "RunStep", "WebhookDelivery", "EventBatch", "Mail"}  # orders, and what is tried again later

pytestmark = pytest.mark.django_db


def plans(number: int) -> list[Any]:
    rows = [PlanShape(sha256=uuid4().bytes, sensitivity=1, steps=f"step {n}", graph={}) for n in range(number)]
    return [row.pk for row in PlanShape.objects.bulk_create(rows)]


def work_except(bad: Any, done: list[Any], ids: Sequence[Any]) -> Counter[str]:
    if bad in ids:
        raise ValueError("cannot be read")
    done += ids
    return Counter(written=len(ids))


def test_after_a_failed_batch_each_row_is_worked_on_alone_and_only_the_bad_one_keeps_its_error() -> None:
    ids = plans(4)
    done: list[Any] = []
    counters = attempt(PlanShape.objects.all(), ids, partial(work_except, ids[2], done))
    assert counters == Counter(written=3, failed=1)
    assert done == [ids[0], ids[1], ids[3]]
    assert dict(PlanShape.objects.exclude(error="").values_list("pk", "error")) == {
        ids[2]: "ValueError: cannot be read"
    }


def test_an_attempt_is_counted_before_the_work() -> None:
    [id] = plans(1)

    def work(ids: Sequence[Any]) -> Counter[str]:
        return Counter(attempts=PlanShape.objects.get(pk=ids[0]).attempts)

    assert attempt(PlanShape.objects.all(), [id], work) == Counter(attempts=1)


def test_a_row_that_failed_three_times_is_set_aside_and_may_be_put_back() -> None:
    [id] = plans(1)
    for _ in range(MOST_ATTEMPTS):
        assert PlanShape.objects.due().filter(pk=id).exists()
        attempt(PlanShape.objects.all(), [id], partial(work_except, id, []))
    assert [row.pk for row in PlanShape.objects.set_aside()] == [id]
    assert PlanShape.objects.set_aside().try_again() == 1
    assert PlanShape.objects.due().filter(pk=id).exists()


def test_a_single_row_that_fails_is_not_worked_on_twice() -> None:
    [id] = plans(1)
    calls: list[Any] = []

    def work(ids: Sequence[Any]) -> Counter[str]:
        calls.append(ids)
        raise ValueError

    assert attempt(PlanShape.objects.all(), [id], work) == Counter(failed=1)
    assert calls == [[id]]


def test_nothing_is_done_for_rows_that_have_left_the_queue() -> None:
    ids = plans(2)
    done: list[Any] = []
    PlanShape.objects.update(due=False)
    assert attempt(PlanShape.objects.all(), ids, partial(work_except, None, done)) == Counter()
    assert done == []


def test_a_failure_that_the_worker_survived_is_forgiven_where_the_next_run_may_do_better() -> None:
    at = timezone.now()
    pattern = Pattern.objects.create(sensitivity=1, signature_sha256=uuid4().bytes, first_seen_at=at, last_seen_at=at)
    for _ in range(MOST_ATTEMPTS + 1):
        assert attempt_one(pattern, partial(work_except, pattern.pk, [], [pattern.pk])) == Counter(failed=1)
    pattern.refresh_from_db()
    assert (pattern.attempts, pattern.error) == (0, "ValueError: cannot be read")
    assert Pattern.objects.due().filter(pk=pattern.pk).exists()


def test_no_other_table_counts_attempts_by_itself() -> None:
    counting = {m.__name__ for m in apps.get_models() if any(field.name == "attempts" for field in m._meta.fields)}
    own = {m.__name__ for m in apps.get_models() if issubclass(m, QueuedRow)}
    assert counting - own - OTHER_ATTEMPTS == set()
