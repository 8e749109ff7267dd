"""Which plans a person is asked about: those that say an order of changes which no skill says."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from consolidation.models import Pattern, PlanShape
from consolidation.pipelines.waiting_plans import choose, note_changes
from memories.models import Memory
from memories.values.choices import ActorKind
from memories.values.trust import Actor, everything
from memos_site import review
from tests.consolidation.experience import NOON, run
from tests.consolidation.test_plans import digested, memories, refund
from tests.make import answer, call, user

pytestmark = pytest.mark.django_db
PERSON = Actor(ActorKind.PERSON, "Rita")


def waiting() -> list[Memory]:
    return list(review.waiting_memories(everything(PERSON), at=NOON + timedelta(days=2), kind="plan_graph"))


def moved(number: int, *, order: str = "pause move resume", outcome: str = "success", **fields: Any) -> Memory:
    """A stored run: a booking is looked up, then changed in this order."""
    messages = [user(f"move booking-{number:04}")]
    for step, tool in enumerate(["get_booking", *order.split()]):
        messages += [call(tool, f"c{step}", booking_id=f"booking-{number:04}"), answer("done", f"c{step}")]
    return run([], outcome, messages=messages, minutes=number, **fields)


def test_a_plan_that_says_what_a_skill_says_or_changes_nothing_waits_for_nobody() -> None:
    for number in (1, 2):
        refund(number)
        moved(10 + number, order="get_seats get_fees")
    digested()
    assert [plan.plan_shape.cases for plan in memories()] == [2, 2]
    assert list(Memory.objects.filter(type="competence").values_list("payload__effects", flat=True))
    assert waiting() == []


def test_a_plan_waits_from_its_second_case_when_it_says_an_order_of_changes_which_no_skill_says() -> None:
    again = "pause move pause"
    moved(1, order=again, thread_id="anna")
    moved(2, order=again, thread_id="anna")
    digested()
    assert (len(memories()), waiting()) == (1, [])
    moved(3, order=again, thread_id="ben")
    digested()
    assert waiting() == memories()


def test_of_plans_with_the_same_order_of_changes_the_most_frequent_one_waits() -> None:
    for number in range(1, 6):
        moved(number, order="pause move pause" if number < 4 else "get_seats pause move pause")
    digested()
    assert [(plan.plan_shape.cases, plan in waiting()) for plan in memories()] == [(3, True), (2, False)]
    (chosen,) = waiting()
    chosen.dismiss(by=PERSON, why="noise", at=NOON + timedelta(days=2))
    moved(6, order="get_seats pause move pause")
    digested()
    assert waiting() == []


def test_where_as_many_cases_have_another_order_of_the_same_changes_no_plan_waits() -> None:
    for number, order in enumerate(["pause move pause"] * 2 + ["move pause move"] * 2, start=1):
        moved(number, order=order)
    digested()
    assert (len(memories()), waiting()) == (2, [])


def test_what_waits_already_is_not_written_again() -> None:
    for number in range(1, 4):
        moved(number, order="pause move pause")
    digested()
    (shape,) = PlanShape.objects.all()
    assert shape.waits
    with CaptureQueriesContext(connection) as queries:
        choose([shape])
    assert not [query for query in queries.captured_queries if query["sql"].startswith("UPDATE")]


def test_a_plan_whose_tools_are_known_to_change_nothing_by_now_waits_no_longer() -> None:
    for number in range(1, 4):
        moved(number, order="pause move pause")
    digested()
    (shape,) = PlanShape.objects.all()
    Pattern.objects.update(effects=[])
    note_changes([shape])
    assert (shape.changes, shape.waits) == ([], False)
