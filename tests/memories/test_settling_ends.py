"""The daily job comes to its end, and a floor is no ladder."""

import time
from datetime import timedelta
from typing import Any

import pytest

from memories import lifecycle
from memories.lifecycle import batches, confidence_decay
from memories.models import Memory
from memories.values import decay
from memories.values.decay import Pace
from tests.make import AT, make_memory
from tests.memos_site.processes import PATIENCE

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
WITHOUT_THE_NEXT_LOOK = """
UPDATE memories_memory AS m SET confidence = settled.confidence, decay_steps = settled.steps
FROM unnest(%s::uuid[], %s::smallint[], %s::smallint[], %s::timestamptz[]) AS settled (id, confidence, steps, due_at)
WHERE m.id = settled.id
"""


def test_rows_that_stay_due_end_the_job_with_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make_memory(confidence=80, status="confirmed", **decay.awake(AT))
    monkeypatch.setattr(confidence_decay, "WRITE", WITHOUT_THE_NEXT_LOOK)
    with pytest.raises(batches.Stuck, match=str(memory.pk)):
        lifecycle.settle(at=AT + 31 * DAY, until=time.monotonic() + PATIENCE)


def test_rows_that_stay_expired_end_the_job_with_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    make_memory(expires_at=AT)
    monkeypatch.setattr(confidence_decay, "remove_expired", lambda *_, **__: None)
    with pytest.raises(batches.Stuck):
        lifecycle.expire(at=AT + DAY, until=time.monotonic() + PATIENCE)


def test_batch_after_batch_of_other_rows_is_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH", 2)
    for n in range(7):
        make_memory(f"claim {n}", confidence=80, status="confirmed", **decay.awake(AT))
    assert lifecycle.settle(at=AT + 31 * DAY)["settled"] == 7


@pytest.mark.parametrize(("confidence", "left"), [(20, 20), (50, 50), (52, 50), (80, 75)])
def test_a_floor_raises_nobody(settings: Any, confidence: int, left: int) -> None:
    settings.DECAY = {**settings.DECAY, "floor": 50}
    make_memory(confidence=confidence, status="confirmed", **decay.awake(AT))
    lifecycle.settle(at=AT + 31 * DAY)
    assert Memory.objects.get().confidence == Pace.of_settings().left(confidence, 1) == left
