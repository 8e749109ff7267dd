"""Claims that nobody uses lose confidence, step by step; the daily job may come twice, late, or twice at once."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, example, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from memories import lifecycle, tasks
from memories.lifecycle import batches
from memories.models import Adaptation, AuditEntry, Memory, Tombstone
from memories.values import decay
from memories.values.choices import DeletionPolicy, Hold, Status, Type
from memories.values.decay import Pace
from memories.values.trust import SYSTEM, everything
from memos_site import review
from tests.at_once import at_once
from tests.make import ANNA, AT, make_memory

DAY = timedelta(days=1)
PACE = Pace()


def make_claim(confidence: int = 80, status: str = Status.CONFIRMED, **facts: Any) -> Memory:
    """One that was used last at AT."""
    return make_memory(confidence=confidence, status=status, **decay.awake(AT) | facts)


def settled(memory: Memory, day: float) -> Memory:
    """The memory after the job of that day."""
    lifecycle.settle(at=AT + day * DAY)
    memory.refresh_from_db()
    return memory


@pytest.mark.parametrize(
    ("day", "steps"), [(-1, 0), (0, 0), (29.99, 0), (30, 1), (36.99, 1), (37, 2), (44, 3), (51, 4)]
)
def test_a_step_is_due_after_thirty_idle_days_and_one_more_each_week(day: float, steps: int) -> None:
    assert PACE.steps_due(day * DAY) == steps


@given(st.integers(0, 5_000), st.integers(0, 100), st.lists(st.integers(0, 5_000), max_size=20))
def test_however_often_it_is_looked_at_the_loss_is_that_of_the_last_day(
    day: int, confidence: int, visits: list[int]
) -> None:
    left, steps = confidence, 0
    for visit in [*sorted(visit for visit in visits if visit < day), day]:
        due = PACE.steps_due(visit * DAY)
        left, steps = PACE.left(left, due - steps), due
    assert left == max(0, confidence - 5 * PACE.steps_due(day * DAY))


@given(st.integers(0, 3_000))
def test_the_next_look_is_when_one_more_step_is_due(day: int) -> None:
    steps = PACE.steps_due(day * DAY)
    next_look = PACE.next_look(AT, steps)
    assert PACE.steps_due(next_look - AT) == steps + 1
    assert PACE.steps_due(next_look - AT - timedelta(seconds=1)) == steps
    assert next_look > AT + day * DAY


@pytest.mark.django_db
@pytest.mark.parametrize(("day", "confidence"), [(29, 80), (30, 75), (36, 75), (37, 70), (44, 65), (51, 60)])
def test_confidence_80_falls_by_five_each_week_after_a_month(day: int, confidence: int) -> None:
    assert settled(make_claim(), day).confidence == confidence


@pytest.mark.django_db
def test_the_job_twice_on_one_day_subtracts_once() -> None:
    memory = make_claim()
    assert [settled(memory, 30).confidence, settled(memory, 30.5).confidence] == [75, 75]
    assert lifecycle.settle(at=AT + 31 * DAY) == {}


@pytest.mark.django_db
@examples(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(80, [29, 30, 31, 37, 44], 51)
@given(st.integers(10, 100), st.lists(st.integers(1, 200), max_size=6), st.integers(1, 200))
def test_after_weeks_it_comes_to_what_day_by_day_would_have_come_to(
    confidence: int, visits: list[int], last: int
) -> None:
    often, once = make_claim(confidence), make_claim(confidence)
    Memory.objects.filter(pk=once.pk).update(deletion_policy=DeletionPolicy.NEVER)  # out of the way of the visits
    for visit in [*sorted(visit for visit in visits if visit < last), last]:
        Memory.objects.filter(pk=once.pk).update(decay_due_at=None)
        lifecycle.settle(at=AT + visit * DAY)
    facts = ("confidence", "status", "decay_steps", "decay_due_at", "updated_at")
    came_to = Memory.objects.filter(pk=often.pk).values(*facts).first()
    Memory.objects.filter(pk=once.pk).update(deletion_policy=DeletionPolicy.AUTO_PRUNE, decay_due_at=AT)
    lifecycle.settle(at=AT + last * DAY)
    comes_to = Memory.objects.filter(pk=once.pk).values(*facts).first()
    for row in (came_to, comes_to):
        if row and row["status"] == Status.CANDIDATE:
            row.pop("updated_at")  # when it was demoted: the day of the job that saw it
    assert came_to == comes_to
    Memory.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_two_jobs_at_once_subtract_once() -> None:
    for number in range(30):
        make_claim(key=f"k{number}")
    job = lambda: lifecycle.settle(at=AT + 37 * DAY)  # noqa: E731 - one job, thrice
    done = at_once(job, job, job)
    assert sum(counters["settled"] for counters in done) == 30
    assert set(Memory.objects.values_list("confidence", "decay_steps")) == {(70, 2)}


@pytest.mark.django_db
def test_a_use_begins_the_idle_time_anew() -> None:
    memory = make_claim()
    Memory.objects.count_use([memory.pk], at=AT + 20 * DAY)
    assert [settled(memory, day).confidence for day in (30, 40, 49, 50, 57)] == [80, 80, 80, 75, 70]


@pytest.mark.django_db
def test_a_use_keeps_what_is_left_and_the_next_loss_is_a_month_away() -> None:
    memory = make_claim()
    assert settled(memory, 39).confidence == 70
    Memory.objects.count_use([memory.pk], at=AT + 40 * DAY)
    assert [settled(memory, day).confidence for day in (44, 69, 70)] == [70, 70, 65]


@pytest.mark.django_db
def test_a_use_moves_no_index_of_the_job() -> None:
    memory = make_claim()
    Memory.objects.count_use([memory.pk], at=AT + DAY)
    memory.refresh_from_db()
    assert (memory.idle_since, memory.decay_due_at) == (AT + DAY, AT + 30 * DAY)


@pytest.mark.django_db
def test_a_candidate_that_nobody_confirms_fades_although_it_is_used_and_is_gone_below_ten() -> None:
    memory = make_claim(20, Status.CANDIDATE)
    Memory.objects.count_use([memory.pk], at=AT + 20 * DAY)
    assert [settled(memory, day).confidence for day in (29, 30, 37)] == [20, 15, 10]
    lifecycle.settle(at=AT + 44 * DAY)
    assert not Memory.objects.exists()


@pytest.mark.django_db
def test_what_was_never_more_than_five_goes_only_after_a_step() -> None:
    memory = make_claim(5, Status.CANDIDATE)
    assert settled(memory, 29).confidence == 5
    assert lifecycle.settle(at=AT + 30 * DAY)["expired"] == 1


@pytest.mark.django_db
def test_what_expires_leaves_a_watermark_that_blocks_nothing_and_a_line_in_the_trail() -> None:
    memory = make_claim(14, Status.APPLIED, category="preference", key="net-30")
    Adaptation.objects.open(memory, by=SYSTEM, at=AT, again=False)
    lifecycle.settle(at=AT + 30 * DAY)
    tombstone, entry, adaptation = Tombstone.objects.get(), AuditEntry.objects.get(), Adaptation.objects.get()
    assert (tombstone.key, tombstone.blocks, tombstone.memory_id) == ("net-30", False, memory.pk)
    assert (entry.action, entry.actor_kind, entry.before) == (
        "expire",
        "system",
        {"status": "applied", "confidence": 9},
    )
    assert (adaptation.revert_reason, adaptation.memory_id) == ("expired", None)


@pytest.mark.django_db
def test_below_sixty_what_a_rule_applied_is_a_candidate_again_and_in_the_inbox() -> None:
    memory = make_claim(70, Status.APPLIED, category="workflow", version=4)
    Adaptation.objects.open(memory, by=SYSTEM, at=AT, again=False)
    assert [settled(memory, day).status for day in (30, 37)] == ["applied", "applied"]
    memory = settled(memory, 44)
    assert (memory.status, memory.confidence, memory.version) == ("candidate", 55, 5)
    assert list(review.waiting_memories(everything(ANNA), at=timezone.now())) == [memory]
    assert Adaptation.objects.get().revert_reason == "demoted"
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.before, entry.after) == ("decay", {"status": "applied"}, {"status": "candidate"})


@pytest.mark.django_db
def test_a_job_demotes_as_a_decision_on_one_row_does() -> None:
    facts: dict[str, Any] = {"category": "preference", "scope": "project:a", "sensitivity": 3}
    by_job, by_verb = make_claim(60, Status.APPLIED, **facts), make_claim(60, Status.APPLIED, **facts)
    for memory in (by_job, by_verb):
        Adaptation.objects.open(memory, by=SYSTEM, at=AT, again=False)
    Memory.objects.filter(pk=by_verb.pk).update(decay_due_at=None)
    at = AT + 30 * DAY
    lifecycle.settle(at=at)
    Memory.objects.filter(pk=by_verb.pk).update(confidence=55, decay_steps=1, decay_due_at=AT + 37 * DAY)
    by_verb.refresh_from_db()
    why = AuditEntry.objects.get().rationale
    by_verb.revise("decay", {"status": Status.CANDIDATE}, by=SYSTEM, why=why, at=at)
    trails = AuditEntry.objects.order_by("pk").values()
    pairs: list[Any] = [Memory.objects.order_by("pk").values(), Adaptation.objects.order_by("pk").values(), trails]
    ids = {"id", "memory_id", "subject_id", "batch_id"}
    for one, other in pairs:
        assert {name: one[name] for name in one.keys() - ids} == {name: other[name] for name in other.keys() - ids}


@pytest.mark.django_db
def test_a_demotion_can_be_switched_off(settings: Any) -> None:
    settings.DECAY = {**settings.DECAY, "demotes": False}
    assert settled(make_claim(60), 30).status == Status.CONFIRMED


@pytest.mark.django_db
def test_the_pace_is_a_setting(settings: Any) -> None:
    settings.DECAY = {**settings.DECAY, "idle_days": 2, "step_days": 1, "points": 10, "floor": 50, "demotes": False}
    memory = make_claim(**decay.awake(AT))
    assert [settled(memory, day).confidence for day in (1, 2, 3, 4, 9)] == [80, 70, 60, 50, 50]


@pytest.mark.django_db
@pytest.mark.parametrize("hold", [Hold.FLOOR, Hold.FIXED])
def test_what_a_person_holds_fades_but_keeps_its_status_and_its_life(hold: Hold) -> None:
    memory = settled(make_claim(80, Status.APPLIED, hold=hold), 400)
    assert (memory.confidence, memory.status) == (0, Status.APPLIED)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "facts",
    [
        {"status": Status.DISMISSED},
        {"status": Status.RETRACTED},
        {"pinned": True},
        {"deletion_policy": DeletionPolicy.MANUAL_ONLY},
        {"deletion_policy": DeletionPolicy.NEVER},
        {"type": Type.COMPETENCE, "idle_since": None, "decay_due_at": None},
    ],
)
def test_what_is_exempt_never_fades(facts: dict[str, Any]) -> None:
    assert settled(make_claim(**facts), 400).confidence == 80


@pytest.mark.django_db
def test_the_time_of_a_pin_is_not_charged_later() -> None:
    memory = make_claim(pinned=True)
    settled(memory, 100)
    Memory.objects.update(pinned=False)
    assert [settled(memory, day).confidence for day in (101, 107)] == [80, 75]


@pytest.mark.django_db
def test_a_step_is_no_change_of_what_is_known() -> None:
    memory = settled(make_claim(), 37)
    assert (memory.updated_at, memory.version, AuditEntry.objects.count()) == (AT, 1, 0)


@pytest.mark.django_db
def test_a_restored_claim_fades_from_then_on() -> None:
    memory = make_claim()
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    settled(memory, 100)
    memory.restore(by=ANNA, at=AT + 100 * DAY)
    assert [settled(memory, day).confidence for day in (129, 130)] == [80, 75]


@pytest.mark.django_db
def test_the_daily_task_says_what_it_did() -> None:
    assert tasks.settle() == "nothing was due"
    make_claim(12, Status.CANDIDATE)
    make_memory(expires_at=AT)
    assert tasks.settle() == "1 settled, 2 expired"


@pytest.mark.django_db
def test_the_job_goes_on_batch_after_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH", 2)
    for n in range(7):
        make_memory(f"claim {n}", confidence=80, status="confirmed", **decay.awake(AT))
    assert lifecycle.settle(at=AT + 31 * DAY)["settled"] == 7


@pytest.mark.django_db
@pytest.mark.parametrize(("confidence", "left"), [(20, 20), (50, 50), (52, 50), (80, 75)])
def test_a_floor_raises_nobody(settings: Any, confidence: int, left: int) -> None:
    settings.DECAY = {**settings.DECAY, "floor": 50}
    memory = settled(make_claim(confidence), day=31)
    assert memory.confidence == Pace.of_settings().left(confidence, 1) == left
