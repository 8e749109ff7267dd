"""What makes runs one skill: what they changed, counted in cases."""

import hashlib
import json
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps

from consolidation.models import Pattern
from memories.models import Memory
from tests.consolidation.experience import NOON, competence, consolidated, run

pytestmark = pytest.mark.django_db
BUILD = ["go_test", "go_build", "lint"]
SIGNATURE = "go_build+go_test+lint"


def test_runs_with_other_look_ups_and_the_same_effect_share_one_skill() -> None:
    run(["get_user", "cancel_order"])
    run(["search_orders", "cancel_order"], minutes=1)
    consolidated()
    assert competence("cancel_order").performance.successes == 2
    assert Memory.objects.filter(type="competence").count() == 1


def test_runs_without_an_effect_are_one_skill_and_handing_over_is_none() -> None:
    run(["get_user"])
    run(["search_orders", "transfer_to_human"], minutes=1)
    consolidated()
    memory = competence("no_action")
    assert (memory.payload["skill_name"], memory.payload["effects"]) == ("skill:no_action", [])


def test_two_successes_of_one_thread_are_one_case_and_teach_no_skill() -> None:
    run(BUILD, thread_id="task-1")
    run(BUILD, thread_id="task-1", minutes=1)
    consolidated()
    assert (pattern := Pattern.objects.get()).successes == 2
    assert (pattern.cases, pattern.memory) == (1, None)
    run(BUILD, thread_id="task-2", minutes=2)
    consolidated(at=NOON + timedelta(hours=2))
    assert competence(SIGNATURE).performance.successes == 3


def test_an_outcome_that_is_replaced_moves_the_cases() -> None:
    run(BUILD, id="a", thread_id="task-1")
    run(BUILD, "failure", id="b", thread_id="task-2", minutes=1)
    run(BUILD, "failure", id="c", thread_id="task-1", minutes=2)
    consolidated()
    run(BUILD, "success", id="b", thread_id="task-2", minutes=5)
    run(BUILD, "success", id="c", thread_id="task-1", minutes=6)
    consolidated(at=NOON + timedelta(hours=2))
    assert Pattern.objects.get().cases == 2
    run(BUILD, "failure", id="b", thread_id="task-2", minutes=7)
    consolidated(at=NOON + timedelta(hours=3))
    assert Pattern.objects.get().cases == 1


def test_a_combination_of_skills_is_a_skill_only_when_many_cases_speak_for_it() -> None:
    for minute in range(2):
        for tools in (["cancel_order"], ["refund"], ["refund", "cancel_order"]):
            run(tools, minutes=minute)
    consolidated()
    assert set(effects_of_skills()) == {("cancel_order",), ("refund",)}
    for minute in range(2, 5):
        run(["refund", "cancel_order"], minutes=minute)
    consolidated(at=NOON + timedelta(hours=2))
    assert ("cancel_order", "refund") in effects_of_skills()


def test_of_two_sets_that_hardly_differ_the_one_with_more_cases_is_the_skill() -> None:
    for minute in range(3):
        run(["edit", "build", "test", "lint", "commit"], minutes=minute)
    for minute in range(2):
        run(["edit", "build", "test", "commit"], minutes=5 + minute)
    consolidated()
    assert effects_of_skills() == [("build", "commit", "edit", "lint", "test")]


def effects_of_skills() -> list[tuple[str, ...]]:
    return [tuple(memory.payload["effects"]) for memory in Memory.objects.filter(type="competence")]


def test_commands_of_a_command_line_are_the_effects() -> None:
    for minute in range(2):
        run(["bash"], messages=command_lines("cd x && python -m pytest -q", "git log"), minutes=minute)
    consolidated()
    assert effects_of_skills() == [("pytest",)]


def command_lines(*lines: str) -> list[dict[str, object]]:
    said: list[dict[str, object]] = [{"role": "user", "content": "please mend it"}]
    for n, line in enumerate(lines):
        function = {"name": "bash", "arguments": json.dumps({"command": line})}
        call = {"id": f"c{n}", "type": "function", "function": function}
        said.append({"role": "assistant", "content": None, "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": f"c{n}", "content": "ok"})
    return said


def test_the_literal_rule_counts_all_tools_and_its_patterns_are_grouped_by_effects_when_it_ends(settings: Any) -> None:
    settings.SIGNATURE = "all"
    run(["get_user", "cancel_order"])
    run(["search_orders", "cancel_order"], minutes=1)
    consolidated()
    assert set(Pattern.objects.values_list("kind", "signature")) == {
        ("exact", "cancel_order+get_user"),
        ("exact", "cancel_order+search_orders"),
    }
    settings.SIGNATURE = "effects"
    consolidated(at=NOON + timedelta(hours=2))
    assert list(Pattern.objects.values_list("kind", "signature", "cases")) == [("effects", "cancel_order", 2)]


def test_a_tool_that_its_schema_calls_read_only_is_no_effect() -> None:
    tools = [{"type": "function", "function": {"name": "cancel_preview", "annotations": {"readOnlyHint": True}}}]
    run(["cancel_preview", "cancel_order"], tools=tools)
    consolidated()
    assert Pattern.objects.get().signature == "cancel_order"


def test_what_ended_well_alone_and_as_a_part_of_more_is_a_skill() -> None:
    run(["cancel_order"])
    consolidated()
    assert effects_of_skills() == []
    run(["get_order", "refund", "cancel_order"], minutes=1)
    consolidated(at=NOON + timedelta(hours=2))
    assert effects_of_skills() == [("cancel_order",)]
    fields = competence("cancel_order").skill.versions.get().fields
    assert "1 also called `refund`" in fields["procedure"]
    assert "did only this: 1; it was a part of more in: 1" in fields["experience"][0]


def test_a_part_of_what_failed_or_of_one_case_is_none() -> None:
    run(["cancel_order"], thread_id="task-1")
    run(["refund", "cancel_order"], thread_id="task-1", minutes=1)
    run(["refund", "cancel_order"], "failure", minutes=2)
    consolidated()
    assert effects_of_skills() == []


def test_a_part_of_what_ends_well_later_becomes_a_skill() -> None:
    run(["cancel_order"])
    run(["refund", "cancel_order"], "failure", id="b", thread_id="task-2", minutes=1)
    consolidated()
    run(["refund", "cancel_order"], "success", id="b", thread_id="task-2", minutes=2)
    consolidated(at=NOON + timedelta(hours=2))
    assert effects_of_skills() == [("cancel_order",)]


def test_edits_and_chores_of_command_lines_tell_no_run_from_another() -> None:
    run(["bash"], messages=command_lines("cat > a.py <<E\nE", "python a.py", "pytest -q", "rm a.py"))
    run(["bash"], messages=command_lines("sed -i s/a/b/ c.py", "pytest", "git add -A"), minutes=1)
    consolidated()
    assert effects_of_skills() == [("pytest",)]


def test_command_lines_that_only_edit_and_tidy_up_are_no_skill() -> None:
    for minute in range(6):
        run(["bash"], messages=command_lines("cat > a.py <<E\nE", "sed -i s/a/b/ c.py", "rm a.py"), minutes=minute)
    consolidated()
    assert (Pattern.objects.get().effects, effects_of_skills()) == (["cat >", "sed -i"], [])


def test_what_was_counted_with_chores_is_carried_over_once() -> None:
    for minute in range(2):
        run(["bash"], messages=command_lines("python a.py", "bin/test a"), minutes=minute)
    consolidated()
    old = Pattern.objects.get()
    sha = hashlib.sha256(b"bin/test+python").digest()
    Pattern.objects.filter(pk=old.pk).update(
        signature="bin/test+python", effects=["bin/test", "python"], signature_sha256=sha
    )
    run(["bash"], messages=command_lines("bin/test b"), minutes=2)
    import_module("consolidation.migrations.0038_former_patterns_and_plans").mark_patterns(apps, None)
    consolidated(at=NOON + timedelta(hours=2))
    pattern = Pattern.objects.get()
    assert (pattern.signature, pattern.cases, pattern.memory) == ("bin/test", 3, old.memory)
    assert effects_of_skills() == [("bin/test",)]
