"""What a run says of itself is true whatever becomes of its worker: what was read, and how often a worker died."""

from typing import Any

import pytest

from consolidation import pattern_run, run_queue
from consolidation.consolidation_run import consolidate
from consolidation.execution import Reporter, abandon_dead_runs
from consolidation.extraction import queue
from consolidation.models import Run
from consolidation.models.runs import MOST_DEATHS
from consolidation.patterns import reading
from consolidation.pipelines import sightings
from tests.consolidation.experience import NOON, consolidated, run
from tests.consolidation.plugins import EMAIL, LATER, MORNING, days, ran, ruled
from tests.make import ANNA, AT

pytestmark = pytest.mark.django_db
BUILD = ["go_test", "go_build", "lint"]


class Killed(BaseException):
    """What nobody catches: the process is gone."""


@pytest.fixture(autouse=True)
def _silent_between_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast the machine is: progress is told by nothing but what counts within the transactions."""
    monkeypatch.setattr(Reporter, "SECONDS", 1e9)
    monkeypatch.setattr(run_queue, "async_task", lambda _task: None)


def dies_after(calls: int, place: Any, name: str, patched: pytest.MonkeyPatch) -> None:
    """The worker dies instead of a further call of this function."""
    whole, left = getattr(place, name), [calls]

    def deadly(*args: Any, **how: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        return whole(*args, **how)

    patched.setattr(place, name, deadly)


def ordered(**facts: Any) -> Run:
    return Run.objects.create(**{"kind": "consolidate", "trigger": Run.Trigger.PAGE} | facts)


def test_a_killed_consolidation_has_counted_every_episode_that_it_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sightings, "BATCH", 2)
    for minute in range(5):
        run(BUILD, minutes=minute)
    with monkeypatch.context() as dying, pytest.raises(Killed):
        dies_after(2, sightings, "_digest", dying)
        consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=NOON)
    killed = Run.objects.get()
    assert (killed.status, killed.done, killed.counters) == ("running", 4, {"episodes_read": 4})
    assert consolidated().counters["episodes_read"] == 1
    assert sum(one.counters["episodes_read"] for one in Run.objects.all()) == 5


def test_an_ordered_run_goes_on_counting_where_its_worker_died(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sightings, "BATCH", 2)
    for minute in range(5):
        run(BUILD, minutes=minute)
    order = ordered()
    with monkeypatch.context() as dying, pytest.raises(Killed):
        dies_after(1, sightings, "_digest", dying)
        run_queue.work()
    run_queue.work()
    order.refresh_from_db()
    assert (order.status, order.done, order.counters["episodes_read"]) == ("succeeded", 5, 5)
    assert (order.attempts, order.deaths) == (2, 1)


def test_an_episode_that_is_rolled_back_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    run(BUILD)
    with monkeypatch.context() as dying, pytest.raises(Killed):
        dies_after(0, queue, "queue_digested", dying)
        consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=NOON)
    assert Run.objects.get().counters.get("episodes_read", 0) == 0


def test_a_killed_run_of_the_pattern_rules_has_counted_every_event_that_it_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "BATCH", 2)
    for n in range(5):
        ran(at=MORNING + days(n), **EMAIL)
    with monkeypatch.context() as dying, pytest.raises(Killed):
        dies_after(2, reading, "_read_batch", dying)
        pattern_run.apply_rules(trigger=Run.Trigger.COMMAND, wait=True, at=LATER)
    assert Run.objects.get().counters == {"events_read": 4}
    assert ruled().counters["events_read"] == 1


def test_only_deaths_of_its_worker_end_an_ordered_run() -> None:
    many_slices = ordered(status=Run.Status.RUNNING, attempts=40)
    abandon_dead_runs("consolidate", at=AT)
    many_slices.refresh_from_db()
    assert (many_slices.status, many_slices.deaths) == ("queued", 1)
    Run.objects.update(status=Run.Status.RUNNING, deaths=MOST_DEATHS - 1)
    abandon_dead_runs("consolidate", at=AT)
    many_slices.refresh_from_db()
    assert (many_slices.status, many_slices.error) == ("failed", "its worker died three times")


def test_a_slice_that_came_to_its_end_forgets_the_deaths_before_it() -> None:
    order = ordered(status=Run.Status.RUNNING, attempts=3, deaths=2)
    order.requeue()
    order.refresh_from_db()
    assert (order.status, order.attempts, order.deaths) == ("queued", 3, 0)


def test_a_worker_of_before_a_retry_says_nothing_about_the_run_of_after() -> None:
    stale = ordered(status=Run.Status.RUNNING, attempts=1)
    run = Run.objects.get(pk=stale.pk)
    run.fail("no space", at=AT)
    run.retry(by=ANNA, at=AT)
    assert run.begin(at=AT)
    stale.fail("it lost its lease", at=AT)
    run.refresh_from_db()
    assert (run.status, run.error, run.deaths) == ("running", "", 0)
