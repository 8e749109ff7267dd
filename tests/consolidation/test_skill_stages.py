"""Stages from a conversation to a skill that need no language model: repairing answers, merging versions."""

from typing import Any

import pytest
from pydantic import ValidationError

from consolidation.extraction.skill_answers import Extraction, Query, Scripts, Tools
from consolidation.extraction.task_answers import Chunks, divide
from consolidation.extraction.transcript_question import WholeReading
from skills.manifest import Fields, Step
from skills.merging import merge

POSITIONS = range(1, 13)


def tasks(*answers: Any) -> dict[str, tuple[int, ...]]:
    division = divide([Chunks.model_validate(answer) for answer in answers], POSITIONS)
    return {task.name: task.positions for task in division.tasks}


def task(name: str, *ranges: Any) -> dict[str, Any]:
    return {"task_id": 1, "task_name": name, "message_indices": list(ranges), "reasoning": "because"}


def test_a_task_may_jump_and_its_ranges_include_both_ends() -> None:
    assert tasks({"tasks": [task("Plan", [1, 3], [7, 8])]}) == {"Plan": (1, 2, 3, 7, 8)}


def test_tasks_of_one_name_are_one_also_over_the_parts_of_a_long_conversation() -> None:
    assert tasks({"tasks": [task("Plan", [1, 2])]}, {"tasks": [task("plan ", [9, 9])]}) == {"Plan": (1, 2, 9)}


def test_a_message_that_two_tasks_need_stands_in_both_but_no_task_repeats_another() -> None:
    assert tasks({"tasks": [task("A", [1, 4]), task("B", [4, 6])]}) == {"A": (1, 2, 3, 4), "B": (4, 5, 6)}
    assert tasks({"tasks": [task("A", [1, 4]), task("B", [2, 5])]}) == {"A": (1, 2, 3, 4), "B": (5,)}


@pytest.mark.parametrize(
    ("indices", "positions"),
    [
        ([[4, 2]], (2, 3, 4)),
        ([[11, 40]], (11, 12)),
        ([3], (3,)),
        (["5-6"], (5, 6)),
        (["5～6"], (5, 6)),
        ([["2", "4"]], (2, 3, 4)),
        ([[1, 2], "x", None, [[]], [True, 2]], (1, 2)),
        ([2, 4], (2, 3, 4)),
        ([{"start": 2, "end": 3}], (2, 3)),
    ],
)
def test_ranges_are_repaired(indices: Any, positions: tuple[int, ...]) -> None:
    assert tasks({"tasks": [{"task_name": "A", "message_indices": indices}]}) == {"A": positions}


@pytest.mark.parametrize("answer", [None, {}, [], {"tasks": None}, {"tasks": "none"}, {"tasks": [1, "x"]}, "prose"])
def test_an_answer_without_tasks_is_no_task(answer: Any) -> None:
    assert tasks(answer) == {}


@pytest.mark.parametrize("shape", [Chunks, WholeReading, Extraction])
def test_an_object_of_another_shape_is_asked_for_again_and_is_not_nothing(shape: Any) -> None:
    for answer in ({"result": {"tasks": [task("A", [1, 2])], "skill": SKILL}}, {"error": "I cannot help with that."}):
        with pytest.raises(ValidationError):
            shape.model_validate(answer)


def test_what_is_dropped_is_said_with_its_reason() -> None:
    division = divide([Chunks.model_validate([task("A", [1, 2]), task("B", [1, 2]), task("", [3, 4])])], POSITIONS)
    assert [one.partition(":")[0] for one in division.dropped] == ["B", "a task without a name"]


def test_tasks_come_in_the_order_in_which_they_begin() -> None:
    assert list(tasks({"tasks": [task("Late", [8, 9]), task("Early", [1, 2])]})) == ["Early", "Late"]


SKILL = {"name": "plan-trip", "description": "Plans a trip.", "trigger": "trip, travel", "procedure": ["Ask", "Plan"]}


def test_null_and_an_empty_object_mean_that_nothing_is_worth_keeping() -> None:
    answers: list[Any] = [None, {}, {"skill": None, "reason": "small talk"}, {"skill": {}}]
    for answer in answers:
        assert Extraction.model_validate(answer).skill is None


def test_the_bare_fields_are_a_skill_with_the_usual_variances_of_models() -> None:
    draft = Extraction.model_validate({**SKILL, "update": "true", "tool": "search", "unknown": 1}).skill
    assert draft is not None
    assert (draft.fields.trigger, draft.fields.procedure) == (["trip", "travel"], "1. Ask\n2. Plan")
    assert (draft.update, [tool.name for tool in draft.tool], draft.scripts) == (True, ["search"], [])


@pytest.mark.parametrize("wrong", [{"name": ""}, {"description": None}, {"procedure": 3}, {"scripts": 7}])
def test_wrong_types_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Extraction.model_validate({"skill": {**SKILL, **wrong}})


def test_briefs_come_as_objects_sentences_or_by_file_name() -> None:
    for briefs in ([{"file": "a.py", "brief": "adds"}], ["a.py: adds"], {"a.py": "adds"}, "a.py: adds"):
        draft = Extraction.model_validate({**SKILL, "scripts": briefs}).skill
        assert draft is not None
        assert [(one.file, one.brief) for one in draft.scripts] == [("a.py", "adds")]


def test_a_query_is_a_sentence_alone_too_and_never_empty() -> None:
    assert Query.model_validate("Plan a trip").query == "Plan a trip"
    with pytest.raises(ValidationError):
        Query.model_validate({"query": "  "})


def test_scripts_and_tools_come_with_and_without_the_object_around_them() -> None:
    assert Scripts.model_validate({"a.py": "print(1)", "b.py": " "}).scripts == {"a.py": "print(1)"}
    assert [tool.name for tool in Tools.model_validate(["search", {"name": "book"}]).tools] == ["search", "book"]


def fields(**given: Any) -> Fields:
    return Fields.model_validate({"name": "plan-trip", "description": "Plans a trip.", **given})


def test_lists_are_united_without_saying_the_same_twice() -> None:
    former = fields(
        trigger=["trip", "travel"], experience=["Ask for the budget first."], preference=["Prices in euros"]
    )
    new = fields(trigger=["Travel", "holiday"], experience=["ask for the budget first", "Hotels near stations."])
    merged = merge(former, new).fields
    assert merged.trigger == ["trip", "travel", "holiday"]
    assert merged.experience == ["Ask for the budget first.", "Hotels near stations."]
    assert merged.preference == ["Prices in euros"]


def test_the_procedure_is_the_new_one_and_lost_lines_are_told() -> None:
    former = fields(procedure="1. Ask\n2. Search\n3. Book")
    merged = merge(former, fields(procedure="1. Ask\n2. Compare\n3. Offer\n4. Book"))
    assert merged.fields.procedure.endswith("4. Book")
    assert merged.losses == ("2 of 3 lines of the procedure are gone",)
    assert merge(former, fields(procedure="")).fields.procedure == former.procedure


def test_what_was_counted_from_runs_is_not_replaced_by_one_conversation() -> None:
    former = fields(procedure="1. Look up", recipe=[Step(step="Look up", tool="get")], failure_modes=["fails"])
    merged = merge(former, fields(description="Another.", procedure="1. Guess", experience=["Learned"])).fields
    assert (merged.procedure, merged.description, merged.failure_modes) == ("1. Look up", "Plans a trip.", ["fails"])
    assert merged.experience == ["Learned"]


def test_a_script_that_differs_is_kept_twice() -> None:
    merged = merge(fields(scripts={"a.py": "print(1)\n"}), fields(scripts={"a.py": "print(2)\n", "b.py": "print(3)\n"}))
    assert merged.fields.scripts == {"a.py": "print(1)\n", "a-2.py": "print(2)\n", "b.py": "print(3)\n"}
