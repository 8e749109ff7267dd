"""The form of an answer that a prompt shows is the form that the schema beside it lets a model write."""

import json
import re
from typing import Any

import pytest
from pydantic import BaseModel

from consolidation.extraction import needs, skill_answers
from consolidation.extraction.task_answers import Chunks
from consolidation.extraction.transcript_question import Facts, Judgement, WholeReading
from consolidation.model_lines.line_answers import ModelLines
from consolidation.policies.instructions import ModelPolicies
from consolidation.prompts import prompt

SHAPES: dict[str, type[BaseModel]] = {
    "facts": Facts,
    "task_chunking": Chunks,
    "outcome": Judgement,
    "and_together": WholeReading,
    "need": needs.Answer,
    "skill_extraction": skill_answers.Extraction,
    "skill_extraction_simple": skill_answers.Extraction,
    "tool_generation": skill_answers.Tools,
    "script_generation": skill_answers.Scripts,
    "others_generation": skill_answers.Document,
    "query_rewrite": skill_answers.Query,
    "contrast": ModelLines,
    "policies": ModelPolicies,
}


def forms(name: str, language: Any) -> list[Any]:
    """The JSON objects that a prompt shows, without those within its example's records."""
    shown = re.findall(r"^\{.*\}$", prompt(name, language), re.MULTILINE)
    return [json.loads(line) for line in shown]


def misplaced(form: Any, schema: Any, definitions: Any) -> list[str]:
    """The fields of a form that the schema does not know there, or knows in another order."""
    if reference := schema.get("$ref"):
        return misplaced(form, definitions[reference.rpartition("/")[2]], definitions)
    if choices := schema.get("anyOf"):
        return misplaced(form, next(choice for choice in choices if choice.get("type") != "null"), definitions)
    if isinstance(form, list):
        return [name for item in form for name in misplaced(item, schema.get("items", {}), definitions)]
    if not isinstance(form, dict) or "properties" not in schema:
        return []
    known = list(schema["properties"])
    wrong = [name for name in form if name not in known]
    order = [name for name in known if name in form]
    inner = [fault for name in order for fault in misplaced(form[name], schema["properties"][name], definitions)]
    return wrong or ([] if order == list(form) else [f"order {order}"]) or inner


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", list(SHAPES))
def test_a_schema_lets_a_model_write_what_its_prompt_asks_for(name: str, language: str) -> None:
    schema = SHAPES[name].model_json_schema()
    shown = forms(name, language)
    assert shown
    assert [fault for form in shown for fault in misplaced(form, schema, schema.get("$defs", {}))] == []


def test_a_schema_of_a_skill_asks_for_nothing_that_a_model_cannot_know() -> None:
    schema = skill_answers.Extraction.model_json_schema()
    assert set(schema["$defs"]) == {"DraftSkill", "ToolUse", "Brief"}
    assert list(schema["$defs"]["DraftSkill"]["properties"])[:2] == ["name", "description"]


def test_a_model_says_nothing_of_the_record_of_a_skill() -> None:
    fields = {"name": "pack", "description": "Packs.", "performance": {"successes": 99}, "recipe": [{"step": "Pack."}]}
    for written in (fields, {"fields": fields}):
        skill = skill_answers.Extraction.model_validate({"skill": written}).skill
        assert skill is not None
        assert (skill.fields.name, skill.fields.performance, skill.fields.recipe) == ("pack", None, [])
        assert (
            skill_answers.Extraction.model_validate(skill_answers.Extraction(skill=skill).model_dump()).skill == skill
        )


def test_a_file_that_repeats_the_form_of_the_answer_is_not_written() -> None:
    scripts, document = (forms(name, "en")[0] for name in ("script_generation", "others_generation"))
    assert skill_answers.Scripts.model_validate(scripts).scripts == {}
    assert skill_answers.Document.model_validate(document).content == ""
    assert skill_answers.Document.model_validate({"content": " # Fares\n\n... "}).content == "# Fares\n\n..."
