"""Plans of the time before calls in a row were one node become the plans of today: nothing falls or comes back."""

from collections.abc import Iterator
from importlib import import_module
from itertools import groupby
from typing import Any

import pytest
from django.apps import apps

from consolidation.consolidation_run import consolidate
from consolidation.learning import plan_graphs
from consolidation.models import PlannedRun, PlanShape, Run
from consolidation.pipelines import counting
from memories.lifecycle import removal
from memories.models import Memory
from memories.values.choices import ActorKind, Status, Type
from memories.values.trust import Actor
from tests.consolidation.experience import NOON
from tests.consolidation.test_plans import digested, memories, refund, return_of

pytestmark = pytest.mark.django_db
PERSON = Actor(ActorKind.PERSON, "Rita")
FORMER = import_module("consolidation.migrations.0038_former_patterns_and_plans")
LINE = "get_user → get_order → return_order"


def each_alone(pairs: Any, key: Any) -> Iterator[tuple[Any, list[Any]]]:
    return ((key(pair), [pair]) for pair in pairs)


def with_numbers(graph: dict[str, Any]) -> str:
    rows = [(op, len(list(row))) for op, row in groupby(node["op"] for node in graph["nodes"])]
    return " → ".join(op if times == 1 else f"{op} ×{times}" for op, times in rows)


@pytest.fixture(autouse=True)
def _former(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three customers with one, two and three orders, as they were counted then; one plan without repetition."""
    with monkeypatch.context() as then:
        then.setattr(plan_graphs, "groupby", each_alone)
        then.setattr(counting, "intent", with_numbers)
        for number in (1, 2, 3):
            return_of(number, number)
        refund(9)
        digested()
    yield


def upgraded() -> None:
    FORMER.fold_plans(apps, None)
    digested()


def live() -> list[Memory]:
    return [memory for memory in memories() if memory.status == Status.CANDIDATE]


def test_plans_that_are_the_same_become_one_with_the_runs_of_all() -> None:
    assert sorted(memory.content for memory in live()) == [
        "get_order → get_payment → refund",
        "get_user → get_order ×2 → return_order",
        "get_user → get_order ×3 → return_order",
        LINE,
    ]
    untouched = PlanShape.objects.get(steps__contains="refund")

    return_of(4, 4)
    upgraded()

    (plan,) = (memory for memory in live() if memory.content == LINE)
    assert (plan.performance.successes, plan.evidence.count(), PlanShape.objects.count()) == (4, 4, 2)
    assert PlanShape.objects.get(memory=plan).cases == 4
    assert plan.payload["nodes"][1]["repeat"] == {"least": 1, "most": 4, "per": ["order_id"]}
    assert [memory.status for memory in memories()].count(Status.SUPERSEDED) == 2
    assert PlanShape.objects.get(pk=untouched.pk).sha256 == untouched.sha256


def test_nothing_is_left_to_convert_and_the_numbers_stay_when_all_is_read_again() -> None:
    return_of(4, 4)
    upgraded()
    before = [(plan.pk, plan.performance.successes, plan.payload) for plan in live()]
    return_of(5, 1)
    upgraded()

    assert [one[0] for one in before] == [plan.pk for plan in live()]
    assert PlannedRun.objects.uncounted().count() == 0


def test_what_a_person_believed_stays_and_takes_the_runs_of_the_others() -> None:
    held = next(memory for memory in live() if "×3" in memory.content)
    held.promote(by=PERSON, at=NOON)
    return_of(4, 2)
    upgraded()

    held.refresh_from_db()
    assert (held.status, held.content) == (Status.CONFIRMED, "get_user → get_order ×3 → return_order")
    assert Memory.objects.select_related("performance").get(pk=held.pk).performance.successes == 4


def test_what_was_dismissed_or_forgotten_in_every_form_does_not_come_back() -> None:
    first, second, third = sorted((m for m in live() if "get_user" in m.content), key=lambda m: len(m.content))
    first.dismiss(by=PERSON, why="no", at=NOON)
    for memory in (second, third):
        memory.dismiss(by=PERSON, why="no", at=NOON)
    removal.remove([third.pk])
    return_of(4, 5)
    upgraded()

    assert [memory.content for memory in live()] == ["get_order → get_payment → refund"]


def test_a_scope_without_new_runs_is_converted_too_and_once() -> None:
    removal.remove([episode.pk for episode in Memory.objects.filter(type=Type.EPISODIC)])
    upgraded()

    (plan,) = (memory for memory in live() if memory.content == LINE)
    assert (plan.performance.successes, PlanShape.objects.count()) == (3, 2)
    assert consolidate(trigger=Run.Trigger.SCHEDULE, wait=True, at=NOON) is None


def test_a_dismissed_plan_does_not_come_back_as_one_that_waited_with_repeated_steps() -> None:
    held = next(memory for memory in live() if memory.content == LINE)
    held.dismiss(by=PERSON, why="no", at=NOON)
    return_of(4, 2)
    upgraded()

    assert [memory.content for memory in live()] == ["get_order → get_payment → refund"]
    held.refresh_from_db()
    assert held.status == Status.DISMISSED
    assert PlanShape.objects.get(memory=held).runs.count() == 4
