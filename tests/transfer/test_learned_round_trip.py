"""What was learned from runs: after an import of an export, consolidation goes on with it and counts nothing twice."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from consolidation.models import Pattern, PlanShape
from memories.models import Memory, Performance
from tests.consolidation.experience import consolidated, run
from tests.make import ANNA, AT
from tests.transfer.imports import Imports, counts
from tests.transfer.test_round_trip import empty_store

pytestmark = pytest.mark.django_db(transaction=True)
TOOLS = ["get_order", "get_payment", "refund"]


def an_empty_store() -> None:
    empty_store()
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE consolidation_runprofile, consolidation_pattern, consolidation_planshape CASCADE")


@pytest.fixture
def learned(tmp_path: Path) -> Iterator[Path]:
    """The export of a store in which consolidation has read twelve runs."""
    for number in range(6):
        run(TOOLS, "failure" if number == 5 else "success", minutes=number, thread_id=f"case-{number}")
        run(["get_order"], minutes=number, thread_id=f"other-{number}")
    consolidated()
    yield tmp_path / "export.jsonl"
    an_empty_store()


def imported(path: Path) -> None:
    call_command("export_memories", path)
    an_empty_store()
    lines = path.read_text().splitlines()
    assert Imports("memos")(path) == counts(imported=len(lines))


def knowledge() -> list[Any]:
    rows = Memory.objects.filter(type__in=["competence", "plan_graph"]).order_by("pk")
    counted = Performance.objects.order_by("pk").values_list("pk", "successes", "failures")
    return [list(rows.values_list("pk", "status", "content")), list(counted)]


def test_the_runs_of_an_imported_skill_and_plan_are_counted_for_these_and_once(learned: Path) -> None:
    before = knowledge()
    assert {pk for pk, *_ in before[0]} == {pk for pk, *_ in before[1]} and len(before[0]) > 1
    imported(learned)
    consolidated()
    assert knowledge() == before
    pattern, shape = Pattern.objects.get(memory__content__icontains="refund"), PlanShape.objects.get()
    assert pattern.memory is not None and shape.memory is not None
    assert pattern.memory.skill.versions.get().status == "proposed"
    run(TOOLS, minutes=30, thread_id="case-30")
    consolidated()
    assert Performance.objects.get(memory=pattern.memory).successes == 6
    assert Performance.objects.get(memory=shape.memory).successes == 6


def test_a_skill_that_was_dismissed_before_the_export_is_not_learned_again(learned: Path) -> None:
    for memory in Memory.objects.filter(type__in=["competence", "plan_graph"]):
        memory.dismiss(by=ANNA, why="wrong", at=AT)
    imported(learned)
    consolidated()
    assert {line["status"] for line in map(json.loads, learned.read_text().splitlines()) if "reason" in line} == {
        "dismissed"
    }
    assert not Memory.objects.filter(type__in=["competence", "plan_graph"]).exclude(status="dismissed").exists()
