"""What plans cost, what they may not hold (values of runs that became secret), and runs that are counted meanwhile."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from consolidation.models import PlannedRun, PlanShape
from consolidation.pipelines import plans
from memories.models import Memory
from tests.consolidation.experience import NOON, run
from tests.consolidation.test_plans import digested, memories, refund
from tests.make import make_memory
from tests.plans import copies, count_rows, new_tables, plan_of

pytestmark = pytest.mark.django_db


def test_what_is_asked_for_the_next_plans_does_not_grow_with_those_that_were_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plans, "BATCH", 1)
    refund(1)
    for number in (2, 3):
        run(["look", "pay", "send", "thank"][: number + 1], minutes=number)
    with CaptureQueriesContext(connection) as asked:
        digested()
    due = [one["sql"] for one in asked if one["sql"].startswith("SELECT") and 'planshape"."due" AND' in one["sql"]]
    sizes = {len(sql) for sql in due if "LIMIT 1" in sql}
    assert len(memories()) == 3
    assert len(sizes) == 1


def test_a_plan_holds_no_value_of_a_run_that_became_more_secret_since_it_was_counted() -> None:
    for number in (1, 2):
        refund(number, reason="broken in transit")
    digested()
    secret = refund(3, reason="broken in transit")
    Memory.objects.filter(pk=secret.pk).update(sensitivity=1)
    digested()
    assert "broken in transit" in str(memories()[0].payload)
    Memory.objects.filter(pk=secret.pk).update(sensitivity=3)
    PlanShape.objects.update(due=True)
    digested()
    assert "broken in transit" not in str(memories()[0].payload)


def test_a_run_that_is_counted_while_its_plan_is_written_keeps_the_plan_due(monkeypatch: pytest.MonkeyPatch) -> None:
    refund(1)
    note_changes = plans._note_changes

    def another_run_comes_first(shapes: list[PlanShape]) -> None:
        PlannedRun.objects.create(shape=shapes[0], episode_id=uuid4(), case=uuid4(), outcome="success", at=NOON)
        note_changes(shapes)

    with monkeypatch.context() as patched:
        patched.setattr(plans, "_note_changes", another_run_comes_first)
        digested()
    assert list(PlannedRun.objects.order_by("pk").values_list("counted", flat=True)) == ["success", ""]
    assert PlanShape.objects.get().due
    digested()
    assert memories()[0].performance.successes == 2
    assert not PlanShape.objects.get().due


def test_plans_with_the_same_effects_are_found_by_their_index() -> None:
    new_tables(PlanShape, Memory)
    copies(make_memory(), 2_000)
    shape = PlanShape.objects.create(sha256=uuid4().bytes, sensitivity=1, graph={}, changes=["pay", "mail"])
    copies(shape, 4_000, sha256="sha256(i::text::bytea)", changes="ARRAY['pay ' || i, 'mail']")
    count_rows(PlanShape, Memory)
    plan = plan_of(PlanShape.objects.with_effects(["mail", "pay 7"], scope="", sensitivity=1))
    assert "plan_shape_by_effects" in plan, plan
