from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from skills.manifest import Fields, Step
from tests.skills.generated import FIELDS, patiently


def make_fields(**given_fields: Any) -> Fields:
    return Fields.model_validate({"name": "plan-trip", "description": "Plans a trip"} | given_fields)


@pytest.mark.parametrize(
    ("field", "given_value", "value"),
    [
        ("trigger", "travel, trip，旅行、行程", ["travel", "trip", "旅行", "行程"]),
        ("trigger", "- a, b\n- c", ["a, b", "c"]),
        ("experience", "one thing", ["one thing"]),
        ("experience", "1. first\n2. second", ["first", "second"]),
        ("preference", None, []),
        ("preference", ["", "  ", "kept"], ["kept"]),
        ("examples", "only one", ["only one"]),
        ("examples", None, []),
        ("tool", [], None),
        ("tool", "websearch", ["websearch"]),
        ("scripts", {}, None),
        ("others", {"advice": "x"}, {"advice.md": "x"}),
        ("recipe", None, []),
        ("procedure", ["Ask", "2. Book\nat once"], "1. Ask\n2. Book\n   at once"),
        ("procedure", None, ""),
        ("procedure", "a\r\nb\x00\x07  \n", "a\nb"),
        ("procedure", "half \ud800 a letter", "half \ufffd a letter"),
        ("title", None, "Plan Trip"),
        ("performance", {}, None),
    ],
)
def test_what_models_vary_is_put_into_one_form(field: str, given_value: Any, value: Any) -> None:
    assert getattr(make_fields(**{field: given_value}), field) == value


@pytest.mark.parametrize(
    ("field", "value", "path"),
    [
        ("name", "", "name"),
        ("name", None, "name"),
        ("description", " \n ", "description"),
        ("experience", [1], "experience.0"),
        ("experience", {"a": "b"}, "experience"),
        ("examples", [["a"]], "examples.0"),
        ("scripts", ["a.py"], "scripts"),
        ("scripts", {"../../evil.py": ""}, "scripts"),
        ("scripts", {"a b.py": "", "a_b.py": ""}, "scripts"),
        ("scripts", {"A.py": "", "a.py": ""}, "scripts"),
        ("scripts", {"a.py": None}, "scripts.a.py"),
        ("recipe", [{"step": "a", "surprise": 1}], "recipe.0.surprise"),
        ("recipe", [{"step": "a", "args_schema": {"a": float("nan")}}], "recipe.0.args_schema"),
        ("recipe", [{"step": "a", "args_schema": {"a": {1}}}], "recipe.0.args_schema"),
        ("performance", {"successes": -1}, "performance.successes"),
    ],
)
def test_anything_else_is_refused_with_its_path(field: str, value: Any, path: str) -> None:
    with pytest.raises(ValidationError) as refused:
        make_fields(**{field: value})
    assert [".".join(map(str, error["loc"])) for error in refused.value.errors()] == [path]


def test_unknown_keys_are_ignored() -> None:
    assert make_fields(update="true", surprise=1) == make_fields()


def test_a_chinese_name_is_kept_as_the_title() -> None:
    fields = make_fields(name="旅行计划")
    assert fields.title == "旅行计划"
    assert fields.name.startswith("skill-")


def test_a_skill_with_only_a_title_is_named_after_it() -> None:
    assert Fields.model_validate({"title": "Plan a Trip", "description": "Plans"}).name == "plan-a-trip"


def test_a_long_description_ends_between_words() -> None:
    description = make_fields(description="word " * 400).description
    assert len(description) <= 1024
    assert description.endswith("word…")


def test_an_open_code_fence_is_closed_with_its_own_length() -> None:
    assert make_fields(procedure="Run\n\n````sh\nls\n```").procedure == "Run\n\n````sh\nls\n```\n````"


def test_a_fence_in_a_list_item_ends_with_the_item() -> None:
    assert make_fields(procedure="- Run\n  ```sh\n  ls").procedure == "- Run\n  ```sh\n  ls"


def test_a_recipe_without_a_procedure_becomes_one() -> None:
    step = Step(
        step="Find flights",
        tool="search",
        args_schema={"properties": {"from": {}, "to": {}}},
        validation="a list is returned",
        optional=True,
    )
    assert make_fields(recipe=[step]).procedure == (
        "1. Optional: Find flights (`search` with `from`, `to`). Done when: a list is returned"
    )


def test_a_procedure_that_is_there_is_not_replaced_by_the_recipe() -> None:
    assert make_fields(procedure="Ask", recipe=[Step(step="Find")]).procedure == "Ask"


def test_a_schema_that_is_none_is_kept_and_not_told() -> None:
    fields = make_fields(recipe=[{"step": "Ask", "tool": "ask", "args_schema": {"properties": 5}}])
    assert (fields.procedure, fields.recipe[0].args_schema) == ("1. Ask (`ask`)", {"properties": 5})


def test_endless_nesting_is_refused() -> None:
    nested: list[Any] = []
    for _ in range(5000):
        nested = [nested]
    with pytest.raises(ValidationError, match="nested too deeply"):
        make_fields(experience=nested)


@patiently
@given(FIELDS)
def test_canonical_fields_stay_as_they_are(fields: Fields) -> None:
    assert Fields.model_validate(fields.model_dump(mode="json")) == fields


@pytest.mark.parametrize("folder", ["scripts", "assets", "others"])
def test_files_whose_names_differ_only_in_letter_case_are_refused(folder: str) -> None:
    with pytest.raises(ValidationError, match="two files would have the same name"):
        make_fields(**{folder: {"A.md": "x", "a.md": "y"}})
